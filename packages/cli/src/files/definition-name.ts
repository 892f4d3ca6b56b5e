import { readFileSync, statSync } from 'node:fs';
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

/** The file of the working folder that has the name of an index and describes it, for any word. */
export function fileOfIndex(index: string): string | undefined {
  if (!/^[\w.-]{1,128}$/.test(index)) return undefined;
  return [`${index}.yaml`, `${index}.yml`].find((file) => {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    return readFileSync(file, 'utf8').split(/\r?\n/).includes(`index: ${index}`);
  });
}
