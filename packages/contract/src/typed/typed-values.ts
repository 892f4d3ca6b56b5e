import type { CallContext } from '../call.ts';
import type { Json } from '../json.ts';
import type { HitsRequest, SearchRequest } from '../search/request.ts';
import type { AggResults, Hit } from '../search/response.ts';
import type { DefinedIndex } from './define-index.ts';
import { figuresOf, type NumberRules } from './figures.ts';

const DOUBLES: ReadonlyMap<Json, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);
const toNumber = (value: Json): Json => DOUBLES.get(value) ?? value;

type TypedRequest = Pick<SearchRequest, 'index' | 'aggs'>;
interface Found {
  readonly hits?: readonly Hit[];
  readonly aggs?: AggResults;
  readonly results?: AggResults;
}
type Read = (request: TypedRequest, call?: CallContext) => Promise<Found>;
type Reads = Readonly<Record<(typeof READS)[number], Read>> & {
  readonly hits: (request: HitsRequest, call?: CallContext) => AsyncGenerator<Hit>;
};

/** The reads whose types have fields and figures. */
const READS = ['search', 'semantic', 'hybrid', 'aggregate'] as const;

/**
 * A copy of the backend whose reads have the numbers NaN, Infinity and -Infinity as values of
 * DOUBLE fields and as figures, instead of the texts that JSON has.
 */
export function withNumbers(backend: Reads, indexes: readonly DefinedIndex[]): object {
  const doubles = new Map(indexes.map((index) => [index.name, index.doubles]));
  const of = ({ index = '' }: Pick<HitsRequest, 'index'>) => doubles.get(index) ?? [];
  const reads = READS.filter((name) => name in backend).map((name) => {
    const read = async (request: TypedRequest, call?: CallContext) =>
      numbersOf(of(request), request, await backend[name](request, call));
    return [name, read] as const;
  });
  async function* hits(request: HitsRequest, call?: CallContext): AsyncGenerator<Hit> {
    for await (const hit of backend.hits(request, call)) yield hitOf(of(request), hit);
  }
  const iterated = 'hits' in backend ? { hits } : {};
  return Object.freeze({ ...backend, ...Object.fromEntries(reads), ...iterated });
}

function numbersOf(doubles: readonly string[], { aggs: specs }: TypedRequest, found: Found): Found {
  const rules: NumberRules = { isNumeric: (field) => doubles.includes(field), toNumber };
  const { hits, aggs, results } = found;
  const counted = (results: AggResults) => figuresOf(rules, specs ?? {}, results);
  return Object.freeze({
    ...found,
    ...(hits === undefined ? {} : { hits: hits.map((hit) => hitOf(doubles, hit)) }),
    ...(aggs === undefined ? {} : { aggs: counted(aggs) }),
    ...(results === undefined ? {} : { results: counted(results) }),
  });
}

function hitOf(doubles: readonly string[], hit: Hit): Hit {
  const { fields } = hit;
  if (fields === undefined || doubles.length === 0) return hit;
  const entries = Object.entries(fields).map(([name, value]) => {
    if (!doubles.includes(name)) return [name, value];
    return [name, Array.isArray(value) ? value.map(toNumber) : toNumber(value)];
  });
  return Object.freeze({ ...hit, fields: Object.fromEntries(entries) });
}
