import { readdirSync, readFileSync, statSync } from 'node:fs';
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

/**
 * The file of the working folder that describes an index, for any word: the one that has its name,
 * else the first one.
 */
export function fileOfIndex(index: string): string | undefined {
  if (!/^[\w.-]{1,128}$/.test(index)) return undefined;
  const names = [`${index}.yaml`, `${index}.yml`, ...yamlFiles()];
  return names.find((file) => describes(file, index));
}

/** Files of YAML in the working folder; of many files, the first ones. */
function yamlFiles(): readonly string[] {
  try {
    const names = readdirSync('.').filter((file) => /\.ya?ml$/.test(file));
    return names.sort().slice(0, MOST_FILES);
  } catch {
    return [];
  }
}

function describes(file: string, index: string): boolean {
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > MOST_BYTES) return false;
    return readFileSync(file, 'utf8').split(/\r?\n/).includes(`index: ${index}`);
  } catch {
    return false;
  }
}

const MOST_FILES = 100;
const MOST_BYTES = 100_000;
