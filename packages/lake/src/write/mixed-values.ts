import { quoteText } from '../scan/duckdb/quoting.ts';
import type { StagedInput } from './input.ts';
import type { DescribedType } from './wide-objects.ts';
import type { WriterSession } from './writer-session.ts';

/**
 * The columns, those of JSON with values of several types with the type that is left without the
 * texts that stand for NULL.
 */
export async function withoutNullValues(
  session: WriterSession,
  { objects, options: { nulls = [] } }: StagedInput,
  columns: readonly DescribedType[],
): Promise<readonly DescribedType[]> {
  // a path cannot name a key with a quote
  const mixed = columns.filter(({ name, sql }) => sql === 'JSON' && !/["\\]/.test(name));
  if (nulls.length === 0 || mixed.length === 0) return columns;
  const list = nulls.map(quoteText).join(', ');
  const kinds = mixed.map(({ name }) => {
    const path = quoteText(`$."${name}"`);
    const isValue = `(json ->> ${path}) NOT IN (${list})`;
    return `list(DISTINCT json_type(json, ${path})) FILTER (${isValue})`;
  });
  const [row] = await session.rows(`SELECT ${kinds.join(', ')} FROM ${objects}`);
  const types = new Map(mixed.map((column, i) => [column, commonType(kindsOf(row[i]))]));
  return columns.map((column) => ({ ...column, sql: types.get(column) ?? column.sql }));
}

const kindsOf = (list: unknown): readonly string[] =>
  (list as { readonly items: readonly unknown[] } | null)?.items.map(String) ?? [];

/** The type of values of these kinds of JSON; undefined if they have none in common. */
function commonType(kinds: readonly string[]): string | undefined {
  const only = (...types: readonly string[]) => kinds.every((kind) => types.includes(kind));
  if (only('VARCHAR')) return 'VARCHAR';
  if (only('BOOLEAN')) return 'BOOLEAN';
  if (only('BIGINT', 'UBIGINT')) return 'BIGINT';
  return only('BIGINT', 'UBIGINT', 'DOUBLE') ? 'DOUBLE' : undefined;
}
