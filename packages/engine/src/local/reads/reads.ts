/**
 * Reads of an index (search/reads.ts). All take one path: check the request, find the index, wait
 * for the snapshot that the request demands, open the commit, then answer, in a search thread if
 * one can answer the read.
 */
import type {
  BenchRequest,
  BenchResponse,
  CallContext,
  HighlightSpec,
  TableLag,
} from '@lakehouse-search/contract';
import { checkBenchRequest, writingJson } from '@lakehouse-search/contract/internal';
import { Deadline } from '../../base/time/deadline.ts';
import { inTurns, pauses } from '../../base/turns.ts';
import type { KnownIndex, OpenIndex } from '../../open/open-index.ts';
import { type LocalContext, millisSince } from '../../search/context.ts';
import { atOneTime, type ContextRead, contextRead, READS } from '../../search/reads.ts';
import { joinShards } from '../../shard/joined-shards.ts';
import { localShards } from '../../shard/local-shard.ts';
import { highlightsRows } from '../../shard/request/bind-request.ts';
import { tenantFilter } from '../../shard/request/tenant-filter.ts';
import { holdColdBytes, withTimeToFetch } from '../../storage/cold-cache.ts';
import type { ReadName } from '../../workers/messages.ts';
import type { ThreadRead } from '../../workers/search-threads.ts';
import { answerOfParts } from '../cache/answer-text.ts';
import {
  isRepeated,
  keptAnswer,
  type RepeatedRead,
  type RepeatedRequest,
  type RepeatedTarget,
  repeatedText,
} from '../cache/recall.ts';
import type { ResultCache } from '../cache/result-cache.ts';
import { accessible, requireWanted, shareOf } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { holdPit } from './point-in-time.ts';
import { inRoom, tableOf } from './read-table.ts';
import { repeatUntilReached, type SnapshotWait } from './wait-for-snapshot.ts';

/** An operation of the embedded engine. */
export type Operation<Q, R> = (
  indexes: LocalIndexes,
  request: Q,
  call: CallContext,
) => R | Promise<R>;

/** Opens the commit of an index that a read answers from. The read releases it. */
export type OpenCommit = (known: KnownIndex) => OpenIndex;

/** A read; `at`: it answers from this commit, and waits for no other. */
type LocalRead<Q, R> = (
  ...read: [...Parameters<Operation<Q, R>>, at?: OpenCommit]
) => R | Promise<R>;

/** Which index is read, and at which commit: the newest one unless a point in time says so. */
export interface ReadTarget {
  readonly index?: string;
  readonly pit_id?: string;
  readonly highlight?: HighlightSpec;
}

/** What requests for reads have in common, as far as they have it. */
type ReadRequest = RepeatedTarget & ReadTarget & SnapshotWait;

/** One search. Throws as `searchIndex`. */
export const searchLocal = reads(READS.search, { read: 'search', repeats: 'search' });

/** One semantic search. Throws as `searchSemantic`. */
export const semanticLocal = reads(READS.semantic, { repeats: 'semantic' });

/** One hybrid search. Throws as `searchHybrid`. */
export const hybridLocal = reads(READS.hybrid, { repeats: 'hybrid' });

/** Aggregations. Throws as `aggregateIndex`. */
export const aggregateLocal = reads(READS.aggregate, {
  read: 'aggregate',
  repeats: 'aggregate',
});

/** Facets. Throws as `facetIndex`. */
export const facetsLocal = reads(READS.facets, { read: 'facets', repeats: 'facets' });

/** Suggestions. Throws as `suggestIndex`. */
export const suggestLocal = reads(READS.suggest, { read: 'suggest', repeats: 'suggest' });

/** Documents of each clause of a query. */
export const clauseCountsLocal = reads(READS.clauseCounts, { read: 'clauseCounts' });

/** Why a row is, or is not, among hits. A tenant's caller learns nothing of other rows. */
export const explainLocal = reads(READS.explain);

/** Rows by key. */
export const keysLocal = reads(READS.getKeys);

/** Measures queries of an index. */
export const benchLocal: Operation<BenchRequest, BenchResponse> = reads(
  contextRead(checkBenchRequest, async () => (await import('../../search/bench.ts')).benchIndex),
);

/** The reads that a node answers from a commit which the call names. */
export const READS_OF_COMMITS = Object.freeze({
  search: searchLocal,
  semantic: semanticLocal,
  hybrid: hybridLocal,
  aggregate: aggregateLocal,
  facets: facetsLocal,
  suggest: suggestLocal,
  clauseCounts: clauseCountsLocal,
  getKeys: keysLocal,
} as const);

/** The name of a read that a node answers as a whole. */
export type CommitReadName = keyof typeof READS_OF_COMMITS;

/** How a read runs. */
interface ReadPlan {
  /** The name of the same read in search threads; absent: threads cannot answer it. */
  readonly read?: ReadName;
  /** The name under which its answers are kept for repeated requests; absent: they are not. */
  readonly repeats?: RepeatedRead;
}

function reads<Q extends ReadRequest, C, R>(
  { check, load }: ContextRead<C, R, LocalContext>,
  { read, repeats }: ReadPlan = {},
): LocalRead<Q, R> {
  return (indexes, request, call, at) => {
    const pause = pauses();
    const timed = atOneTime(request, indexes.clock.now());
    const checked = check(timed);
    const { hydrate, min_snapshot } = request;
    // Rows and snapshots are read from the table, which threads do not open.
    const isOfTable = hydrate === true || min_snapshot !== undefined;
    const isKept = indexes.results !== null && timed === request && isRepeated(request);
    const repeated =
      isKept && repeats !== undefined
        ? { request, text: repeatedText(repeats, checked) }
        : undefined;
    const found = at === undefined && repeated && keptAnswer(indexes, repeated, call);
    if (found) return answerOfParts(found) as R;
    const plan = { at, ...(isOfTable ? {} : { read, repeated }) };
    const attempt = async () => {
      const answer = await load();
      // The check of a large request takes as long as a search.
      const paused = pause();
      if (paused !== undefined) await paused;
      requireWanted(call, indexes.clock);
      const work = (context: LocalContext) => answer(context, checked);
      return readIndex(indexes, request, call, work, plan);
    };
    return min_snapshot === undefined || at !== undefined
      ? attempt()
      : repeatUntilReached(indexes, request, call, attempt);
  };
}

/** How one read of a commit runs. */
interface CommitRead {
  /** The name of the same work in search threads; absent: it runs in this thread. */
  readonly read?: ReadName | undefined;
  /** The request whose answer is kept; absent: the answer is not kept. */
  readonly repeated?: RepeatedRequest | undefined;
  /** Absent: the commit that the target names. */
  readonly at?: OpenCommit | undefined;
}

/**
 * Runs `work` on an index at one commit. A tenant's caller sees only the documents and rows of that
 * tenant (shard/request/tenant-filter.ts).
 */
export async function readIndex<T>(
  indexes: LocalIndexes,
  target: ReadTarget,
  call: CallContext,
  work: (context: LocalContext) => T | Promise<T>,
  { at, ...plan }: CommitRead = {},
): Promise<T> {
  const known = accessible(indexes, target.index, call);
  const tenant = call.principal?.tenant;
  const open = at === undefined ? openTarget(indexes, known, target, call) : at(known);
  const endOfRead = holdColdBytes();
  try {
    // A definition that names a tenant field which the index lacks answers no tenant.
    if (tenant !== undefined) tenantFilter(open.mapping, tenant);
    // Threads do not open the table, and rows change between two commits.
    const isOfRows = highlightsRows(open.mapping, target.highlight);
    const { read, repeated }: CommitRead = isOfRows ? {} : plan;
    const compute = async (): Promise<T> => {
      const deadline = Deadline.of(call, indexes.clock);
      if (read !== undefined && indexes.searchThreads !== null) {
        const answer = await answerInThread(indexes, known, open, {
          ...{ read, request: target, tenant, deadline, share: shareOf(call) },
        });
        if (answer !== null) return answer as T;
      }
      return work(await contextOf(indexes, known, open, call, deadline));
    };
    const { results } = indexes;
    if (repeated === undefined || results === null) return await withTimeToFetch(compute);
    const lag = () => indexes.tables.lag(known, open);
    const kept = { results, key: results.keyOf(open, tenant, repeated.text) };
    const patient = () => withTimeToFetch(compute) as Promise<object>;
    return (await remembered(kept, repeated, lag, patient, tenant)) as T;
  } finally {
    endOfRead();
    open.snapshot.release();
  }
}

function openTarget(
  indexes: LocalIndexes,
  known: KnownIndex,
  { pit_id }: ReadTarget,
  call: CallContext,
): OpenIndex {
  return pit_id === undefined ? indexes.hold(known) : holdPit(indexes, known, pit_id, call);
}

/** What an answer says of the moment at which it was given. */
interface Changing extends TableLag {
  readonly took_ms?: number;
}

const CHANGING = new Set<string>([
  'took_ms',
  'lag_snapshots',
  'lag_checked_ms',
] satisfies (keyof Changing)[]);

/** An answer from the cache with the lag of now, or a new one, which is kept. */
async function remembered(
  { results, key }: { readonly results: ResultCache; readonly key: string },
  repeated: RepeatedRequest,
  lag: () => Promise<TableLag>,
  compute: () => Promise<object>,
  tenant: string | undefined,
): Promise<object> {
  const started = performance.now();
  const found = results.get(key);
  if (found !== undefined) {
    const moment = { took_ms: millisSince(started, tenant), ...(await lag()) };
    return answerOfParts({ members: found.answer, text: found.text, others: moment, repeated });
  }
  results.missed();
  const answer = await compute();
  const { lag_checked_ms: _, lag_snapshots: __, took_ms: ___, ...members } = answer as Changing;
  const text = await inTurns(writingJson(members));
  results.put(key, { answer: members, text });
  return answerOfParts({ members, text, others: changing(answer) });
}

/** The members of an answer that another answer to the same request would not have. */
const changing = (answer: object): object =>
  Object.fromEntries(Object.entries(answer).filter(([name]) => CHANGING.has(name)));

/** The answer of a search thread with what only the engine knows; null: it has none. */
async function answerInThread(
  indexes: LocalIndexes,
  known: KnownIndex,
  open: OpenIndex,
  read: ThreadRead,
): Promise<object | null> {
  const started = performance.now();
  const lag = indexes.tables.lag(known, open);
  lag.catch(() => {});
  const threads = await indexes.searchThreads?.();
  const answer = (await threads?.read(open, read)) ?? null;
  if (answer === null) return null;
  const shown = await lag;
  if (!('lag_snapshots' in answer)) return answer;
  return Object.assign(answer, { took_ms: millisSince(started, read.tenant) }, shown);
}

/** What a read of an open commit works on, for the caller of a call. */
export async function contextOf(
  indexes: LocalIndexes,
  known: KnownIndex,
  open: OpenIndex,
  call: CallContext,
  deadline: Deadline = Deadline.of(call, indexes.clock),
): Promise<LocalContext> {
  const caller = { tenant: call.principal?.tenant, deadline };
  const { snapshot, mapping } = open;
  const { filters, clock, searchThreads } = indexes;
  const local = localShards(snapshot, mapping, { filters, clock });
  const threads = searchThreads === null ? null : await searchThreads();
  const { signal } = deadline;
  const table = tableOf(indexes, known, open, caller.tenant);
  const shards = threads?.shardsOf(open, local, { signal, share: shareOf(call) }) ?? local;
  return {
    snapshot,
    mapping,
    shards,
    joined: threads === null ? joinShards(snapshot, mapping, { filters, clock }) : null,
    ...caller,
    ...table,
    readRows: inRoom(indexes.rowRoom, table.readRows, deadline),
    openModel: (model, checksum) => indexes.models.open(model, known.registered.baseDir, checksum),
  };
}
