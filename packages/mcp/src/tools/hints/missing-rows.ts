import type { AggResult, AggResults, AggSpecs } from '@lakehouse-search/contract';
import { isPlain } from '@lakehouse-search/contract/internal';

/** Kinds of groups in which rows without a value are in none. */
const KINDS = ['terms', 'histogram', 'date_histogram', 'date_part'];
/** Groups of a request whose rows without a value are counted. */
const COUNTED = 8;

const countOf = (name: string): string => `missing ${name}`;

/** Aggregations with a count of the rows that are in no group for lack of a value. */
export function withMissing(specs: AggSpecs): AggSpecs {
  const counts = Object.entries(specs).flatMap(([name, spec]): [string, AggSpecs[string]][] => {
    const body = Object.entries(spec ?? {}).find(([kind]) => KINDS.includes(kind))?.[1];
    if (!isPlain(body)) return [];
    const { field, missing } = body as { readonly field?: unknown; readonly missing?: unknown };
    if (typeof field !== 'string' || missing !== undefined) return [];
    return [[countOf(name), { missing: { field } }]];
  });
  return { ...specs, ...Object.fromEntries(counts.slice(0, COUNTED)) };
}

/** Results in which groups have the counts of `withMissing`; none is not named. */
export function foldMissing(results: AggResults): AggResults {
  const names = new Set(Object.keys(results).map(countOf));
  const own = Object.entries(results).filter(([name]) => !names.has(name));
  return Object.fromEntries(
    own.map(([name, result]): [string, AggResult] => {
      const count = results[countOf(name)];
      const missing = count !== undefined && 'doc_count' in count ? count.doc_count : 0;
      const counted = { ...result, missing };
      return [name, missing === 0 ? result : counted];
    }),
  );
}
