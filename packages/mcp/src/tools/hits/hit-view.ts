import type { Hit, IndexDescription, Json, JsonObject } from '@lakehouse-search/contract';
import { keyName, keyText } from '../../base/key-text.ts';
import { visible } from '../../base/visible.ts';
import type { CitedRows } from './cited-rows.ts';
import { rowPath, valueAt } from './row-paths.ts';

/** A hit as a model sees it. */
export interface HitView {
  /** Of a call over several indexes. */
  readonly index?: string;
  readonly key: string;
  /** Of the citation. */
  readonly hash?: string;
  readonly score?: number;
  /** The values that the hits are sorted by. */
  readonly sort?: JsonObject;
  readonly fields?: JsonObject;
  readonly highlight?: JsonObject;
  readonly row?: JsonObject;
  /** Names of values that were shortened. */
  readonly cut?: readonly string[];
  /** There was no room for the row. */
  readonly row_omitted?: true;
  /** The row was written after the snapshot that the search read. */
  readonly newer?: true;
  /** The table no longer has the row. */
  readonly deleted?: true;
}

/** What the views of a search's hits depend on. */
export interface ViewOptions {
  readonly index: IndexDescription;
  /** Fields of the order; empty: the hits are ranked. */
  readonly sortFields: readonly string[];
  /** Fields that the request names. */
  readonly named: readonly string[];
  /** Rows of the table; absent: they were not read. */
  readonly rows?: CitedRows;
}

const SCORE_DIGITS = 4;

/** A hit with what the table says of it. */
export function viewOf(hit: Hit, { index, sortFields, named, rows }: ViewOptions): HitView {
  const cited = rows?.rows.get(keyName(hit.coordinates));
  const fields = { ...hit.fields, ...uncached(index, named, hit.fields ?? {}, cited?.row) };
  const sorted = sortFields.map((name, i): [string, Json] => [name, hit.sort?.[i] ?? null]);
  const sorts = Object.fromEntries(sorted);
  const isGone = rows !== undefined && rows.fault === undefined && cited === undefined;
  return {
    key: keyText(hit.coordinates),
    ...(cited === undefined ? {} : { hash: cited.hash }),
    ...orderOf(hit, sorted, fields),
    ...present('fields', visible(datesIn(fields))),
    ...present('highlight', visible(fragments(hit, { ...keyValues(hit), ...sorts, ...fields }))),
    ...(cited === undefined ? {} : { row: visible(datesIn(cited.row)) }),
    ...(cited?.newer ? { newer: true as const } : {}),
    ...(isGone ? { deleted: true as const } : {}),
  };
}

const present = (name: string, values: JsonObject): JsonObject =>
  Object.keys(values).length === 0 ? {} : { [name]: values };

/** The score, or the values of the order that are not shown anyway. */
function orderOf(
  hit: Hit,
  sorted: readonly [string, Json][],
  fields: JsonObject,
): Partial<HitView> {
  if (sorted.length === 0) return { score: Number(hit.score.toPrecision(SCORE_DIGITS)) };
  const sort = Object.fromEntries(sorted.filter(([name]) => fields[name] === undefined));
  return present('sort', visible(datesIn(sort)));
}

/** Named fields and paths that the index does not return, from the row. */
function uncached(
  index: IndexDescription,
  named: readonly string[],
  known: JsonObject,
  row: JsonObject | undefined,
): JsonObject {
  const missing = named.filter((name) => known[name] === undefined);
  const found = missing.flatMap((name): [string, Json][] => {
    const at = rowPath(name, index);
    const source = index.fields.find((field) => field.name === name)?.source ?? [];
    const value = row?.[at?.column ?? source[0]];
    if (value === undefined) return [];
    if (at !== undefined) return [[name, valueAt(value, at.path)]];
    return source.length === 1 ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}

const keyValues = ({ coordinates: { partition = [], identifier } }: Hit): JsonObject =>
  Object.fromEntries([...partition, ...identifier].map(({ name, value }) => [name, value]));

/** The first fragment of each field, unless it is the whole of a value that is shown. */
function fragments({ highlight = {} }: Hit, values: JsonObject): JsonObject {
  const found = Object.entries(highlight).flatMap(([name, [fragment]]): [string, Json][] => {
    if (fragment === undefined) return [];
    const text = fragment.map((part) => part.text).join('');
    const value = values[name];
    if (value !== undefined && text === String(value)) return [];
    const words = fragment.map((part) => ({ ...part, text: shortDates(part.text) }));
    return [[name, words.map((part) => (part.marked ? `«${part.text}»` : part.text)).join('')]];
  });
  return Object.fromEntries(found);
}

/** Values with short dates. */
export const datesIn = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shortDates(value)]));

/** Dates without digits that say nothing: `2025-01-31T10:00:00Z`. */
export function shortDates(value: Json): Json {
  if (Array.isArray(value)) return value.map(shortDates);
  return typeof value === 'string'
    ? value.replace(/^(\d{4}-\d\d-\d\dT[\d:]+)\.0+Z$/, '$1Z')
    : value;
}

/** A view as an object of a structured response. */
export const viewJson = (view: HitView): JsonObject => ({ ...view }) as JsonObject;
