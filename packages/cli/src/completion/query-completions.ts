import type { BackendApi } from '@lakehouse-search/contract/internal';

/** The end of a query: a field, `:` and the start of a value. */
const CLAUSE = /(?<![^\s(!+-])([\p{L}\p{N}_.@]+):([\p{L}\p{N}_.@-]*)$/u;
/** The end of a query: the start of a field. */
const NAME = /[\p{L}\p{N}_.@]*$/u;
/** Values that are one word of a query without quotes. */
const PLAIN = /^[\p{L}\p{N}_.@]+$/u;

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
  const [, name, text = ''] = CLAUSE.exec(current) ?? [];
  const field = fields.find((one) => one.name === name);
  if (field === undefined) {
    const head = current.replace(NAME, '');
    return fields.map((one) => `${head}${one.name}:`);
  }
  const head = current.slice(0, current.length - text.length);
  if (field.type === 'BOOL') return [`${head}true`, `${head}false`];
  if (field.type !== 'KEYWORD' && field.type !== 'TEXT') return [];
  const { suggestions } = await backend.suggest({ index, field: field.name, text, limit: 20 });
  return suggestions.filter((word) => PLAIN.test(word.text)).map((word) => head + word.text);
}
