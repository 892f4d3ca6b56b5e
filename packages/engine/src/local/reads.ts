/**
 * Reads of an index. Each one is a check of its request and the function that answers it from one
 * commit; the code of that function is loaded with the first request. All reads take one path:
 * check the request, find the index, wait for the snapshot that the request demands, open the
 * commit, then answer, in a search thread if one can answer the read.
 */
import type {
  BenchRequest,
  BenchResponse,
  CallContext,
  TableLag,
} from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkBenchRequest,
  checkExplainRequest,
  checkFacetsRequest,
  checkHybridRequest,
  checkKeysRequest,
  checkSearchRequest,
  checkSemanticRequest,
  checkSuggestRequest,
} from '@lakehouse-search/contract';
import { Deadline } from '../base/deadline.ts';
import { lazily } from '../base/lazily.ts';
import type { KnownIndex, OpenIndex } from '../open/open-index.ts';
import { mentionsNow } from '../query/bind/relative-dates.ts';
import type { SearchContext } from '../search/context.ts';
import { localShards } from '../shard/local-shard.ts';
import { tenantFilter } from '../shard/request/tenant-filter.ts';
import { holdColdBytes } from '../storage/cold-cache.ts';
import type { ReadName } from '../workers/messages.ts';
import type { ThreadRead } from '../workers/search-threads.ts';
import { accessible, requireWanted } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { holdPit } from './point-in-time.ts';
import { tableOf } from './read-table.ts';
import type { ResultCache } from './result-cache.ts';
import { repeatUntilReached, type SnapshotWait } from './wait-for-snapshot.ts';

/** An operation of the embedded engine. */
export type Operation<Q, R> = (indexes: LocalIndexes, request: Q, call: CallContext) => Promise<R>;

/** Which index is read, and at which commit: the newest one unless a point in time says so. */
export interface ReadTarget {
  readonly index?: string;
  readonly pit_id?: string;
}

/** What requests for reads have in common, as far as they have it. */
interface ReadRequest extends ReadTarget, SnapshotWait {
  readonly hydrate?: boolean;
}

const loadSummaries = lazily(() => import('../search/summarize.ts'));
const loadHybrid = lazily(() => import('../search/hybrid/search-meaning.ts'));

/** One search. Throws as `searchIndex`. */
export const searchLocal = reads(
  checkSearchRequest,
  async () => (await import('../search/search.ts')).searchIndex,
  { read: 'search', repeats: 'search' },
);

/** One semantic search. Throws as `searchSemantic`. */
export const semanticLocal = reads(
  checkSemanticRequest,
  async () => (await loadHybrid()).searchSemantic,
  { repeats: 'semantic' },
);

/** One hybrid search. Throws as `searchHybrid`. */
export const hybridLocal = reads(
  checkHybridRequest,
  async () => (await loadHybrid()).searchHybrid,
  { repeats: 'hybrid' },
);

/** Aggregations. Throws as `aggregateIndex`. */
export const aggregateLocal = reads(
  checkAggregateRequest,
  async () => (await loadSummaries()).aggregateIndex,
  { read: 'aggregate', repeats: 'aggregate' },
);

/** Facets. Throws as `facetIndex`. */
export const facetsLocal = reads(
  checkFacetsRequest,
  async () => (await loadSummaries()).facetIndex,
  { read: 'facets', repeats: 'facets' },
);

/** Suggestions. Throws as `suggestIndex`. */
export const suggestLocal = reads(
  checkSuggestRequest,
  async () => (await import('../search/suggest.ts')).suggestIndex,
  { read: 'suggest', repeats: 'suggest' },
);

/** Documents of each clause of a query. */
export const clauseCountsLocal = reads(
  checkSearchRequest,
  async () => (await import('../search/clause-counts.ts')).clauseCounts,
  { read: 'clauseCounts' },
);

/** Why a row is, or is not, among hits. A tenant's caller learns nothing of other rows. */
export const explainLocal = reads(
  checkExplainRequest,
  async () => (await import('../search/explain/explain.ts')).explainKey,
);

/** Rows by key. */
export const keysLocal = reads(
  checkKeysRequest,
  async () => (await import('../search/fetch/get-keys.ts')).getKeys,
);

/** Measures queries of an index. */
export const benchLocal: Operation<BenchRequest, BenchResponse> = reads(
  checkBenchRequest,
  async () => (await import('../search/bench.ts')).benchIndex,
);

/** A request whose dates may say `now` means the time at which it arrived, in all its steps. */
function atOneTime<Q>(request: Q, now: number): Q {
  return mentionsNow(request) ? { now, ...request } : request;
}

/** How a read runs. */
interface ReadPlan {
  /** The name of the same read in search threads; absent: threads cannot answer it. */
  readonly read?: ReadName;
  /** The name under which its answers are kept for repeated requests; absent: they are not. */
  readonly repeats?: string;
}

function reads<Q extends ReadRequest, C, R>(
  check: (request: unknown) => C,
  load: () => Promise<(context: SearchContext, checked: C) => R | Promise<R>>,
  { read, repeats }: ReadPlan = {},
): Operation<Q, R> {
  const loaded = lazily(load);
  return async (indexes, request, call) => {
    const timed = atOneTime(request, indexes.clock.now());
    const checked = check(timed);
    const answer = await loaded();
    requireWanted(call, indexes.clock);
    const { hydrate, min_snapshot } = request;
    // Rows and snapshots are read from the table, which threads do not open.
    const isOfTable = hydrate === true || min_snapshot !== undefined;
    const { pit_id } = request;
    const isKept = indexes.results !== null && repeats !== undefined;
    const isRepeated = isKept && pit_id === undefined && timed === request;
    const repeat = isRepeated ? `${repeats} ${JSON.stringify(checked)}` : undefined;
    const plan = isOfTable ? {} : { read, repeat };
    const work = (context: SearchContext) => answer(context, checked);
    const attempt = () => readIndex(indexes, request, call, work, plan);
    return min_snapshot === undefined
      ? attempt()
      : repeatUntilReached(indexes, request, call, attempt);
  };
}

/** How one read of a commit runs. */
interface CommitRead {
  /** The name of the same work in search threads; absent: it runs in this thread. */
  readonly read?: ReadName | undefined;
  /** The request as the key of its answer; absent: the answer is not kept. */
  readonly repeat?: string | undefined;
}

/**
 * Runs `work` on an index at one commit. A tenant's caller sees only the documents and rows of that
 * tenant (shard/request/tenant-filter.ts).
 */
export async function readIndex<T>(
  indexes: LocalIndexes,
  target: ReadTarget,
  call: CallContext,
  work: (context: SearchContext) => T | Promise<T>,
  { read, repeat }: CommitRead = {},
): Promise<T> {
  const known = accessible(indexes, target.index, call);
  const tenant = call.principal?.tenant;
  const deadline = Deadline.of(call, indexes.clock);
  const { pit_id } = target;
  const open = pit_id === undefined ? indexes.hold(known) : holdPit(indexes, known, pit_id);
  const endOfRead = holdColdBytes();
  try {
    // A definition that names a tenant field which the index lacks answers no tenant.
    if (tenant !== undefined) tenantFilter(open.mapping, tenant);
    const compute = async (): Promise<T> => {
      if (read !== undefined && indexes.searchThreads !== null) {
        const answer = await answerInThread(indexes, known, open, {
          ...{ read, request: target, tenant, deadline },
        });
        if (answer !== null) return answer as T;
      }
      return work(await contextOf(indexes, known, open, { tenant, deadline }));
    };
    const { results } = indexes;
    if (repeat === undefined || results === null) return await compute();
    const key = results.keyOf(open, tenant, repeat);
    const lag = () => indexes.lag(known, open);
    return (await remembered(results, key, lag, compute as () => Promise<object>)) as T;
  } finally {
    endOfRead();
    open.snapshot.release();
  }
}

/** An answer from the cache with the lag of now, or a new one, which is kept. */
async function remembered(
  results: ResultCache,
  key: string,
  lag: () => Promise<TableLag>,
  compute: () => Promise<object>,
): Promise<object> {
  const started = performance.now();
  const found = results.get(key);
  if (found !== undefined) return { ...found, took_ms: millisSince(started), ...(await lag()) };
  const answer = await compute();
  const { lag_checked_ms: _, ...kept } = answer as TableLag;
  results.put(key, kept);
  return answer;
}

const millisSince = (started: number): number =>
  Math.round((performance.now() - started) * 1000) / 1000;

/** The answer of a search thread with what only the engine knows; null: it has none. */
async function answerInThread(
  indexes: LocalIndexes,
  known: KnownIndex,
  open: OpenIndex,
  read: ThreadRead,
): Promise<object | null> {
  const started = performance.now();
  const lag = indexes.lag(known, open);
  lag.catch(() => {});
  const threads = await indexes.searchThreads?.();
  const answer = (await threads?.read(open, read)) ?? null;
  if (answer === null || !('lag_snapshots' in answer)) return answer;
  return Object.assign(answer, { took_ms: millisSince(started) }, await lag);
}

async function contextOf(
  indexes: LocalIndexes,
  known: KnownIndex,
  open: OpenIndex,
  caller: Pick<SearchContext, 'tenant' | 'deadline'>,
): Promise<SearchContext> {
  const { snapshot, mapping } = open;
  const { filters, clock, searchThreads } = indexes;
  const local = localShards(snapshot, mapping, { filters, clock });
  const threads = searchThreads === null ? null : await searchThreads();
  const shards = threads === null ? local : threads.shardsOf(open, local, caller.deadline.signal);
  return {
    snapshot,
    mapping,
    shards,
    ...caller,
    ...tableOf(indexes, known, open),
    openModel: (model, checksum) => indexes.models.open(model, known.registered.baseDir, checksum),
  };
}
