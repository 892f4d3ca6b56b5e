import { resolve } from 'node:path';
import { readText } from './read-text.ts';

/**
 * A definition's text with the lines of files in place of their names (`synonyms: FILE`). Empty
 * lines and those that begin with `#` are left out. Throws as `readText`.
 */
export async function inlineSynonyms(text: string, baseDir: string): Promise<string> {
  if (!/\bsynonyms\b/.test(text)) return text;
  const { isScalar, parseDocument, visit } = await import('yaml');
  const files: { readonly name: string; readonly from: number; readonly to: number }[] = [];
  visit(parseDocument(text), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.value !== 'synonyms' || !isScalar(value)) return;
      if (typeof value.value !== 'string' || value.range == null) return;
      files.push({ name: value.value, from: value.range[0], to: value.range[1] });
    },
  });
  let whole = text;
  for (const { name, from, to } of files.toReversed()) {
    const lines = (await readText(resolve(baseDir, name))).split('\n').map((line) => line.trim());
    const rules = lines.filter((line) => line !== '' && !line.startsWith('#'));
    whole = whole.slice(0, from) + JSON.stringify(rules) + whole.slice(to);
  }
  return whole;
}
