import { LhsError } from '@lakehouse-search/contract';
import type { DefinitionFile } from './definition-file.ts';

/** The name of the index that a definition describes. Throws invalid_definition if it has none. */
export async function indexNameOf({ file, definition }: DefinitionFile): Promise<string> {
  const { parseDocument } = await import('yaml');
  const name = parseDocument(definition).get('index');
  if (typeof name === 'string' && name !== '') return name;
  throw new LhsError('invalid_definition', `${file} names no index`, {
    hint: 'a definition begins with "version: 1" and "index: NAME"',
    next: [{ step: 'validate_definition' }],
  });
}
