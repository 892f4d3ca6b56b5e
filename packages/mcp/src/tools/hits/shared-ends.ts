import type { Json, JsonObject } from '@lakehouse-search/contract';

/** What the texts of a column begin and end with; the names of columns say it once. */
export interface SharedEnds {
  readonly start: string;
  readonly end: string;
}

const NONE: SharedEnds = Object.freeze({ start: '', end: '' });
const DATE = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const MIDNIGHT = /^\d{4}-\d\d-\d\dT00:00:00Z$/;
/** Values that may share ends, and characters of a key that are worth it. */
const VALUES = 5;
const KEY_CHARS = 6;

/** The ends that dates or keys of a column have in common, in whole parts. */
export function sharedEnds(column: readonly (Json | undefined)[], isKey: boolean): SharedEnds {
  const texts = column.map((value) => (typeof value === 'string' ? value : ''));
  const isDate = texts.every((text) => DATE.test(text));
  if (texts.length < VALUES || !(isKey || isDate)) return NONE;
  const sorted = texts.toSorted();
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  let same = 0;
  while (same < first.length && first[same] === last[same]) same++;
  const parts = isKey ? /^.*[:/_.-]/s : /^.*[-T:]/;
  const start = parts.exec(first.slice(0, same))?.[0] ?? '';
  const end = isDate ? 'Z' : texts.every((text) => text.endsWith('*')) ? '*' : '';
  return { start: isKey && start.length < KEY_CHARS ? '' : start, end };
}

/** Hits in whose values a date without a time of day has none, if no date of its name has one. */
export function withoutMidnight<Hit extends { readonly values: JsonObject }>(
  hits: readonly Hit[],
): readonly Hit[] {
  const names = new Set(hits.flatMap(({ values }) => Object.keys(values)));
  const dates = [...names].filter((name) =>
    hits.every(({ values }) => values[name] == null || MIDNIGHT.test(`${values[name]}`)),
  );
  return hits.map((hit) => {
    const short = dates.flatMap((name): [string, Json][] => {
      const value = hit.values[name];
      return typeof value === 'string' ? [[name, value.slice(0, value.indexOf('T'))]] : [];
    });
    return { ...hit, values: { ...hit.values, ...Object.fromEntries(short) } };
  });
}
