import { writeFile } from 'node:fs/promises';
import { isMap, isNode, isScalar, type Pair, parseDocument } from 'yaml';

/**
 * Writes the `hybrid` setting into a definition's file: it replaces the one that is there, or goes
 * before the fields. The rest of the text stays as it is, comments too.
 */
export async function setHybrid(file: string, definition: string, line: string): Promise<void> {
  await writeFile(file, withHybrid(definition, line));
}

/** A definition's text with another `hybrid` setting. */
export function withHybrid(definition: string, line: string): string {
  const { contents } = parseDocument(definition);
  const pairs = isMap(contents) ? contents.items : [];
  const pairOf = (name: string) =>
    pairs.find(({ key }) => isScalar(key) && key.value === name) as Pair | undefined;
  const own = pairOf('hybrid');
  if (own !== undefined) {
    const end = isNode(own.value) ? (own.value.range?.[1] ?? startOf(own)) : startOf(own);
    const newLine = definition[end - 1] === '\n' ? '\n' : '';
    return definition.slice(0, startOf(own)) + line + newLine + definition.slice(end);
  }
  const first = pairOf('fields') ?? pairOf('variants');
  const at = first === undefined ? definition.length : startOf(first);
  return `${definition.slice(0, at)}${line}\n${definition.slice(at)}`;
}

const startOf = ({ key }: Pair): number => (isNode(key) ? (key.range?.[0] ?? 0) : 0);
