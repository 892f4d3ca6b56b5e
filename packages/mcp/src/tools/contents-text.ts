import type { Json, JsonObject } from '@lakehouse-search/contract';
import { isPlain } from '@lakehouse-search/contract/internal';
import { plainName, quoted, shown } from '../base/data-text.ts';

/** What a line says of a field. */
export interface FieldText {
  readonly name: string;
  readonly type: string;
  readonly searchable: boolean;
  readonly sortable: boolean;
  readonly folded?: boolean | undefined;
  readonly several?: boolean | undefined;
  readonly analyzer?: string | undefined;
  readonly alike?: number | undefined;
  readonly description?: string | undefined;
  readonly contents?: JsonObject | undefined;
  readonly columns: readonly string[];
}

/**
 * A field with its contents: `repo KEYWORD folded: 2 values: curl 40, git 12`, `size LONG: 0 to 7`.
 * What is the rule is not said: TEXT does not sort, other types do.
 */
export function fieldLine(field: FieldText, vectors: readonly string[]): string {
  const { name, type, analyzer, folded, several, alike, description, contents } = field;
  const isVector = type === 'VECTOR';
  const meaning = vectors.includes(name) ? `semantic search of ${field.columns.join(', ')}` : '';
  const able = [
    ...[analyzer === 'standard' ? '' : analyzer, folded === true ? 'folded' : '', meaning],
    ...[several === true ? 'several' : '', field.searchable || isVector ? '' : 'not searchable'],
    type === 'TEXT' || isVector || field.sortable ? '' : 'not sortable',
    alike === undefined ? '' : `(${alike} fields)`,
  ];
  const head = [plainName(name), type, ...able].filter((word) => word !== undefined && word !== '');
  const about = [
    ...(description === undefined ? [] : [description]),
    ...(contents === undefined ? [] : contentsWords(contents)),
  ];
  return `${head.join(' ')}${about.length === 0 ? '' : `: ${about.join('; ')}`}`;
}

/** Paths inside columns: `details.*: kind, pool.size`. */
export const pathLines = (paths: JsonObject): readonly string[] =>
  Object.entries(paths).map(([column, all]) => {
    const inner = (all as readonly string[]).map((path) =>
      path.startsWith(`${column}.`) ? path.slice(column.length + 1) : path,
    );
    return `${plainName(`${column}.`)}*: ${inner.map(word).join(', ')}`;
  });

function contentsWords({ min, max, distinct, values, ...others }: JsonObject): readonly string[] {
  const range = min === undefined ? [] : [`${date(min)} to ${date(max ?? null)}`];
  const counts = isPlain(values) ? Object.entries(values as JsonObject) : [];
  const list = counts.map(([value, count]) => `${word(value)} ${shown(count)}`).join(', ');
  const isAll = distinct === counts.length;
  const groups =
    distinct === undefined ? [] : [isAll ? list : `${shown(distinct)} values: ${list}`];
  const rest = Object.entries(others).map(([other, value]) => `${other} ${shown(value)}`);
  return [...range, ...groups, ...rest].filter((part) => part !== '');
}

/** A date without a time of day if it has none. */
const date = (value: Json): string => shown(value).replace(/T00:00:00Z$/, '');

/** A value of a list, in quotes if it has a comma; one beside a count needs none else. */
const word = (value: Json): string => {
  if (typeof value === 'string' && value.includes(',')) return quoted(value);
  return /^(?:true|false|[\d.]+)$/.test(`${value}`) ? `${value}` : shown(value);
};
