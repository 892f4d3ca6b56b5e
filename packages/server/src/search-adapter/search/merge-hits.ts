/** Hits of several indexes in one order. */
import type { Hit, Json } from '@lakehouse-search/contract';
import { isoOfMicros } from '../base/date-format.ts';
import { clipped, illegal } from '../query/refusal.ts';
import { compareValues } from './compare-values.ts';
import { constantValue, type SortKey } from './read-sort.ts';
import type { SearchPlan } from './search-plan.ts';

/** A hit with its place among the hits of its index. */
export interface PlacedHit {
  /** Which of the plans found it. */
  readonly at: number;
  readonly rank: number;
  readonly hit: Hit;
}

const NUMBERS: ReadonlySet<string> = new Set(['LONG', 'DOUBLE']);

/** Throws for a sort key that has values of different types in the indexes. */
export function requireSameOrder(plans: readonly SearchPlan[]): void {
  const [first] = plans;
  for (const at of first.sort.keys.keys()) {
    const keys = plans.map(({ sort }) => sort.keys[at]);
    const known = keys.filter(({ type }) => type !== undefined);
    const types = new Set(known.map(({ type }) => (NUMBERS.has(type!) ? 'number' : type!)));
    if (types.size < 2) continue;
    throw illegal(
      `Can't sort on field [${clipped(known[0].spec!.field)}]; the field has incompatible sort ` +
        `types: [${[...types].join(', ')}] across indexes`,
    );
  }
}

/** All hits in the order of the search: by sort values, then by index, then as the index has them. */
export function mergeHits(
  plans: readonly SearchPlan[],
  lists: readonly (readonly Hit[])[],
): readonly PlacedHit[] {
  const keys = plans[0].sort.keys.map((key, at) => knownKey(plans, at) ?? key);
  const all = lists.flatMap((hits, at) => hits.map((hit, rank): PlacedHit => ({ at, rank, hit })));
  const values = new Map(all.map((one) => [one, valuesOf(one, plans[one.at], keys)]));
  return all.sort((a, b) => {
    if (a.at === b.at) return a.rank - b.rank;
    const [x, y] = [values.get(a)!, values.get(b)!];
    for (const at of x.keys()) {
      const order = compareKeys(keys[at], x[at], y[at]);
      if (order !== 0) return order;
    }
    return a.at - b.at;
  });
}

/** A sort key as the indexes with its field have it; undefined: none has the field. */
function knownKey(plans: readonly SearchPlan[], at: number): SortKey | undefined {
  const own = plans.map(({ sort }) => sort.keys[at]);
  return own.find(({ type }) => type === 'DOUBLE') ?? own.find(({ spec }) => spec !== undefined);
}

/** `key` undefined: the order is by relevance. */
function compareKeys(key: SortKey | undefined, x: Json, y: Json): number {
  const { kind = 'score', spec, type = '' } = key ?? {};
  if (kind === 'score') return (spec?.desc === false ? 1 : -1) * (Number(x) - Number(y));
  const sign = spec?.desc === true ? -1 : 1;
  if (kind === 'key') return sign * (Number(x) - Number(y));
  if (x === null || y === null) {
    return x === y ? 0 : (x === null) === (spec?.missing === '_first') ? -1 : 1;
  }
  return sign * compareValues(x, y, type);
}

/**
 * The sort values of a hit; of a key, the place of its index. An index without the field of a key
 * has one value for all hits.
 */
function valuesOf(
  { at, hit }: PlacedHit,
  { sort }: SearchPlan,
  keys: readonly SortKey[],
): readonly Json[] {
  if (sort.keys.length === 0) return [hit.score];
  let own = 0;
  return sort.keys.map((key, place): Json => {
    const { spec, kind } = key;
    if (spec !== undefined) {
      const value = hit.sort?.[own++] ?? null;
      return kind === 'key' ? at : value;
    }
    const value = constantValue(key);
    const isMillis = typeof value === 'number' && keys[place].kind === 'date';
    return isMillis ? isoOfMicros(value * 1000) : value;
  });
}

/** The first hit of each value of the field of `collapse`. */
export function collapsed(
  plans: readonly SearchPlan[],
  hits: readonly PlacedHit[],
): readonly PlacedHit[] {
  if (plans[0].collapse === undefined) return hits;
  const seen = new Set<string>();
  return hits.filter(({ hit }) => {
    const value = JSON.stringify(hit.collapse?.value ?? null);
    return !seen.has(value) && seen.add(value);
  });
}
