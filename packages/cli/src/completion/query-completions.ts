import type { BackendApi } from '@lakehouse-search/contract/internal';

/** The end of a query: a field, `:` and the start of a value, which may be in quotes. */
const CLAUSE = /(?<![^\s(!+-])([\p{L}\p{N}_.@][\p{L}\p{N}_.@-]*):("[^"\\]*|[\p{L}\p{N}_.@-]*)$/u;
/** The end of a query: the start of a field. */
const NAME = /(?:[\p{L}\p{N}_.@][\p{L}\p{N}_.@-]*)?$/u;
/** Values that are one word of a query without quotes. */
const PLAIN = /^[\p{L}\p{N}_.@][\p{L}\p{N}_.@-]*$/u;

/**
 * The query with the name of a field at its end completed, or a value behind one: `a AND ser`
 * offers `a AND service:`, `service:b` offers `service:billing`.
 */
export async function queryCompletions(
  backend: Pick<BackendApi, 'describeIndex' | 'suggest'>,
  index: string,
  current: string,
): Promise<string[]> {
  const { fields } = await backend.describeIndex({ index });
  const [, name, start = ''] = CLAUSE.exec(current) ?? [];
  if (name === undefined) {
    const [typed] = NAME.exec(current)!;
    const head = current.slice(0, current.length - typed.length);
    const names = fields.map((one) => one.name);
    return withoutCopies(names, typed).map((one) => `${head}${one}:`);
  }
  const field =
    fields.find((one) => one.name === name) ??
    fields.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (field === undefined) return [];
  const before = current.slice(0, current.length - start.length - name.length - 1);
  const head = `${before}${field.name}:`;
  if (field.type === 'BOOL') return [`${head}true`, `${head}false`];
  if (field.type !== 'KEYWORD' && field.type !== 'TEXT') return [];
  const text = start.replace(/^"/, '');
  const { suggestions } = await backend.suggest({ index, field: field.name, text, limit: 20 });
  return suggestions.map((word) => head + valueWord(word.text, start !== text));
}

/** A value as a query has it: in quotes if it is no word, or if a quote is typed. */
const valueWord = (text: string, isQuoted: boolean): string =>
  !isQuoted && PLAIN.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;

/** The names without those of whole values beside their texts, unless `_exact` is typed. */
export function withoutCopies(names: readonly string[], typed: string): readonly string[] {
  return names.filter((name) => {
    const base = name.replace(/_exact$/, '');
    return base === name || typed.length > base.length || !names.includes(base);
  });
}
