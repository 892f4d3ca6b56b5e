/**
 * Measures queries inside the engine: from the query's text to the ranked keys and the exact total,
 * without fetching fields. Every round runs all queries in turn, so that no query is always
 * measured with its own data in the cache. Over remote shards a query is a whole search.
 */
import { type BenchRequest, type BenchResponse, LhsError } from '@lakehouse-search/contract';
import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import { Deadline } from '../base/time/deadline.ts';
import { BY_SCORE } from '../collect/order.ts';
import { bindQuery } from '../query/bind/bind.ts';
import type { Query } from '../query/query.ts';
import { parseQuery } from '../query/syntax/parse.ts';
import { writeTree } from '../query/tree/write.ts';
import type { Mapping } from '../schema/mapping.ts';
import { weightedField } from '../schema/parse/default-fields.ts';
import { execute } from '../shard/execute/execute.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import type { LocalContext, SearchContext } from './context.ts';
import { searchIndex } from './search.ts';

const DEFAULT_WARM = 3;
const DEFAULT_REPEAT = 9;
const DEFAULT_LIMIT = 10;

/** Runs a benchmark. Throws invalid_argument, and what the queries throw. */
export async function benchIndex(
  context: LocalContext,
  request: BenchRequest,
): Promise<BenchResponse> {
  await context.lag();
  const { mapping, snapshot } = context;
  const { segments } = snapshot;
  const rest = {
    filter: null,
    tenantFilter: null,
    windows: null,
    collapse: null,
    after: null,
    filters: null,
  };
  const limit = request.limit || DEFAULT_LIMIT;
  const fields = queryFields(mapping);
  return measured(mapping, request, (query, text) => {
    const clause = bindQuery(query, fields, text);
    const page = { ...rest, order: BY_SCORE, limit, total: true, statistics: null };
    return execute(segments, { ...page, clause, deadline: new Deadline() }).total;
  });
}

/**
 * Runs a benchmark over remote shards: each run is a search of the coordinator without fields.
 * Throws unreachable if a shard does not answer, and as `benchIndex`.
 */
export function benchShards(context: SearchContext, request: BenchRequest): Promise<BenchResponse> {
  const { mapping } = context;
  const limit = request.limit || DEFAULT_LIMIT;
  return measured(mapping, request, async (query) => {
    const search = checkSearchRequest({ ast: writeTree(query), limit, fields: [] });
    const { total, partial } = await searchIndex(context, search);
    if (partial !== true) return total ?? 0;
    const message = `a shard of "${mapping.definition.index}" did not answer the benchmark`;
    throw new LhsError('unreachable', message);
  });
}

/** Runs a query; the number of documents that match. */
type Run = (query: Query, text: string) => number | Promise<number>;

async function measured(mapping: Mapping, request: BenchRequest, run: Run): Promise<BenchResponse> {
  const operator = request.operator ?? 'query';
  const { queries, warm = DEFAULT_WARM, repeat = DEFAULT_REPEAT } = request;
  const times = queries.map((): number[] => []);
  const totals = queries.map(() => 0);
  for (let round = -warm; round < repeat; round++) {
    for (const [i, text] of queries.entries()) {
      const started = performance.now();
      const total = run(benchQuery(text, operator, mapping), text);
      totals[i] = typeof total === 'number' ? total : await total;
      if (round >= 0) times[i].push((performance.now() - started) * 1000);
    }
  }
  return summary(request, operator, times.map(median), totals, mapping);
}

function summary(
  request: BenchRequest,
  operator: string,
  medians: readonly number[],
  totals: readonly number[],
  mapping: Mapping,
): BenchResponse {
  const sorted = medians.toSorted((a, b) => a - b);
  const sum = medians.reduce((a, b) => a + b, 0);
  return {
    engine: 'lhs',
    index: mapping.definition.index,
    operator,
    queries: request.queries.map((query, i) => {
      return { query, median_us: rounded(medians[i]), total: totals[i] };
    }),
    mean_us: rounded(medians.length === 0 ? 0 : sum / medians.length),
    p50_us: rounded(percentile(sorted, 0.5)),
    p90_us: rounded(percentile(sorted, 0.9)),
    p99_us: rounded(percentile(sorted, 0.99)),
  };
}

/** The words of a text under one operator, or the query that the text is. */
function benchQuery(
  text: string,
  operator: 'or' | 'and' | 'phrase' | 'query',
  mapping: Mapping,
): Query {
  const { defaultFields } = mapping;
  const [field = null] = defaultFields.map((entry) => weightedField(entry).name);
  if (operator === 'query') return parseQuery(text, { defaultFields });
  if (field === null) {
    const { index } = mapping.definition;
    const message = `index "${index}" has no TEXT or KEYWORD field to search words in`;
    throw new LhsError('invalid_argument', message, {
      hint: 'the operator "query" takes query strings with fields',
    });
  }
  if (operator === 'phrase') return { kind: 'phrase', field, value: text, slop: 0 };
  return { kind: 'match', field, value: text, operator };
}

function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The value below or at which a share of the sorted values lies (nearest rank); 0 of none. */
function percentile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return 0;
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
