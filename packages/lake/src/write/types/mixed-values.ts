import { quoteText } from '../../scan/duckdb/quoting.ts';
import type { Type } from '../../schema/type.ts';
import type { StagedInput } from '../input/input.ts';
import type { TextNote } from '../input/input-notes.ts';
import type { WriterSession } from '../writer-session.ts';
import { isNearly, MAX_EXCEPTIONS } from './null-mark.ts';
import type { DescribedType } from './wide-objects.ts';

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

/** A column, its key in the rows, and its type there. */
interface ReadColumn {
  readonly name: string;
  readonly key: string;
  readonly source: Type;
  readonly isWide: boolean;
}

/**
 * Columns of JSON with values of several types: those with lists, and those of texts and numbers,
 * or texts and booleans, if most values, or all but one mark for NULL, are of the other type.
 */
export async function mixedColumns(
  session: WriterSession,
  { objects }: StagedInput,
  columns: readonly ReadColumn[],
): Promise<readonly TextNote[]> {
  const mixed = columns.filter(({ source, key, isWide }) => {
    return !isWide && source.kind === 'variant' && !/["\\]/.test(key);
  });
  if (mixed.length === 0) return [];
  // two aggregates a column: the time that DuckDB plans grows with the square of their number
  const counted = mixed.map(({ key }) => {
    const path = quoteText(`$."${key}"`);
    const type = `json_type(json, ${path})`;
    const text = `left(json ->> ${path}, 40)`;
    return `histogram(${type}),
      approx_top_k(${text}, ${MAX_EXCEPTIONS}) FILTER (${type} = 'VARCHAR')`;
  });
  const [row] = await session.rows(`SELECT ${counted.join(', ')} FROM ${objects}`);
  return mixed.flatMap(({ name: column }, i): readonly TextNote[] => {
    const count = counter(row[2 * i]);
    const [texts, lists] = [count('VARCHAR'), count('ARRAY')];
    const [numbers, booleans] = [count('BIGINT', 'UBIGINT', 'DOUBLE'), count('BOOLEAN')];
    const values = texts + lists + numbers + booleans + count('OBJECT');
    if (lists > 0) return [{ note: 'lists_as_text', column, values, lists }];
    const exceptions = kindsOf(row[2 * i + 1]);
    const fitting = values - texts;
    const kind = fitting === numbers ? 'number' : fitting === booleans ? 'boolean' : undefined;
    if (fitting === 0 || kind === undefined || !isNearly(fitting, values, exceptions)) return [];
    return [{ note: 'nearly_typed', column, kind, values, fitting, exceptions }];
  });
}

/** How many values of a histogram are of some kinds. */
function counter(histogram: unknown): (...kinds: readonly string[]) => number {
  const { entries = [] } = (histogram ?? {}) as { readonly entries?: readonly KindCount[] };
  const counts = new Map(entries.map(({ key, value }) => [key, Number(value)]));
  return (...kinds) => kinds.reduce((sum, kind) => sum + (counts.get(kind) ?? 0), 0);
}

interface KindCount {
  readonly key: string;
  readonly value: bigint;
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
