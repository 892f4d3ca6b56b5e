import { LhsError } from '@lakehouse-search/contract';
import { yaml } from './parse/bounded-yaml.ts';
import { createReport, readYaml } from './parse/yaml-tree.ts';

/**
 * The text of a definition with another index name; all else, comments too, stays as it is. Throws
 * invalid_definition.
 */
export function renameDefinition(text: string, name: string): string {
  const tree = readYaml(text, createReport(text));
  const entries = tree?.kind === 'map' ? tree.entries : [];
  const value = entries.find(({ key }) => key === 'index')?.value;
  if (value?.kind === 'scalar') {
    const { at, source } = value;
    const quote = /["']/.test(text[at]) ? 1 : 0;
    const end = at + source.length + 2 * quote;
    if (text.slice(at + quote, end - quote) === source) {
      return text.slice(0, at) + name + text.slice(end);
    }
  }
  throw new LhsError('invalid_definition', 'the name of the index in the definition is not found', {
    hint: 'write it on one line: "index: name"',
  });
}

/** Settings of an index in a store: a definition without one has no cold windows, and no copies. */
const OF_STORES = [['storage'], ['windows', 'hot'], ['replicas']];

/** The text of a definition with another store, or in none. */
export function withStorage(text: string, storage: string | undefined): string {
  if (storage !== undefined) return withSetting(text, ['storage'], storage);
  return OF_STORES.reduce((rest, path) => withSetting(rest, path, undefined), text);
}

/** The text of a definition with another value of a setting, or without it. */
export function withSetting(
  text: string,
  path: readonly string[],
  value: string | undefined,
): string {
  const document = yaml().parseDocument(text, { uniqueKeys: false });
  if (value !== undefined) document.setIn(path, value);
  else if (document.hasIn(path)) document.deleteIn(path);
  return document.toString();
}
