/**
 * The program of a search thread: it opens commits and does the work of its messages one after the
 * other, reads over all shards of a commit and operations of single shards. A task that was
 * canceled ends at the next look at the clock.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkFacetsRequest,
  checkSearchRequest,
  checkSuggestRequest,
} from '@lakehouse-search/contract/internal';
import { divideKeptBytes } from '../base/cache-budget.ts';
import { lazily } from '../base/lazily.ts';
import { LIMITS } from '../base/limits.ts';
import { SYSTEM_CLOCK } from '../base/time/clock.ts';
import { Deadline } from '../base/time/deadline.ts';
import { COMMIT_FILE } from '../index/commits/commit.ts';
import { decodeCommit } from '../index/commits/commit-format.ts';
import { IndexSnapshot, openSegments } from '../index/index-snapshot.ts';
import { KeyOrders } from '../open/live-by-key.ts';
import { withMapping } from '../open/open-index.ts';
import type { Mapping } from '../schema/mapping.ts';
import { type SearchContext, UNKNOWN_LAG } from '../search/context.ts';
import { answerToPlain, errorToPlain } from '../shard/bytes.ts';
import { FilterCache } from '../shard/execute/filter-cache.ts';
import { type JoinedShards, joinShards } from '../shard/joined-shards.ts';
import { localShards } from '../shard/local-shard.ts';
import type { Shard } from '../shard/shard.ts';
import {
  holdingColdBytes,
  limitColdBytes,
  publishColdFigures,
  useColdStore,
  withTimeToFetch,
} from '../storage/cold-cache.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { Verification } from '../storage/verification.ts';
import { answerTexts, type LongAnswer } from './long-answer.ts';
import {
  type CommitSource,
  type ExportTexts,
  type ExportWork,
  type FromThread,
  fromBytes,
  type ReadName,
  type ShardWork,
  type ThreadAnswer,
  type ThreadCall,
  type ThreadSettings,
  type ThreadWork,
  type ToThread,
  toBytes,
  type WholeRead,
} from './messages.ts';

interface OpenCommit {
  readonly source: CommitSource;
  readonly snapshot: IndexSnapshot;
  readonly mapping: Mapping;
  readonly shards: readonly Shard[];
  readonly joined: JoinedShards | null;
}

const { threads, canceled, coldBytes, coldFigures } = workerData as ThreadSettings;
divideKeptBytes(threads);
limitColdBytes(coldBytes);
useColdStore(async (demands) => {
  return (await import('../home/windows/fetch-blocks.ts')).fetchColdBlocks(demands);
});
const filters = new FilterCache(Math.floor(LIMITS.filterCacheBytes / threads));
const commits = new Map<number, OpenCommit>();
/** Key orders of the commits that are exported. */
const orders = new KeyOrders();

/** The time of a canceled call is over. */
const clock = {
  ticks: () => (Atomics.load(canceled, 0) === 1 ? Infinity : SYSTEM_CLOCK.ticks()),
};

/** Opens a commit; its calls are answered by `unopened` when that fails. */
function open(source: CommitSource): void {
  const { path, generation, bytes, definition } = source;
  const former = [...commits.values()].findLast((other) => other.source.path === path)?.snapshot;
  const directory = openLocalDirectory(path);
  const verification = new Verification(directory);
  try {
    const commit = decodeCommit(directory, COMMIT_FILE, bytes, former?.commit);
    const segments = openSegments(directory, commit, verification, former);
    const snapshot = new IndexSnapshot(generation, commit, segments, verification);
    const { mapping } = withMapping(snapshot, String(source.id), () => definition);
    const shards = localShards(snapshot, mapping, { filters, clock });
    const joined = joinShards(snapshot, mapping, { filters, clock });
    commits.set(source.id, { source, snapshot, mapping, shards, joined });
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
  }
}

function close(id: number): void {
  const gone = commits.get(id);
  if (gone === undefined) return;
  commits.delete(id);
  orders.clear();
  const left = [...commits.values()].flatMap(({ snapshot }) => snapshot.segments);
  filters.replaced(gone.snapshot.segments, left);
  gone.snapshot.release();
}

/** What a read needs and only the engine has. */
class NotHere extends Error {}

async function notHere(): Promise<never> {
  throw new NotHere();
}

/** The reads that run here whole, each loaded by its first request. */
const READS: Readonly<Record<ReadName, () => Promise<Read>>> = {
  search: lazily(async () => {
    const { searchLexical } = await import('../search/advice/with-suggestions.ts');
    return (context, request) => searchLexical(context, checkSearchRequest(request));
  }),
  aggregate: lazily(async () => {
    const { aggregateIndex } = await import('../search/summarize.ts');
    return (context, request) => aggregateIndex(context, checkAggregateRequest(request));
  }),
  facets: lazily(async () => {
    const { facetIndex } = await import('../search/summarize.ts');
    return (context, request) => facetIndex(context, checkFacetsRequest(request));
  }),
  suggest: lazily(async () => {
    const { suggestIndex } = await import('../search/suggest.ts');
    return (context, request) => suggestIndex(context, checkSuggestRequest(request));
  }),
  clauseCounts: lazily(async () => {
    const { clauseCounts } = await import('../search/advice/clause-counts.ts');
    return (context, request) => clauseCounts(context, checkSearchRequest(request));
  }),
};

type Read = (context: SearchContext, request: unknown) => Promise<unknown>;

/** What a read of a commit works on, for the callers of a tenant or for all. */
function contextOf(
  { snapshot, mapping, shards, joined }: OpenCommit,
  tenant: string | undefined,
  deadline: Deadline,
): SearchContext {
  const elsewhere = { openModel: notHere, readRows: notHere, hasReached: notHere };
  const lag = async () => UNKNOWN_LAG;
  return { snapshot, mapping, shards, joined, tenant, deadline, lag, ...elsewhere };
}

/** The answer of work; null: it needs what only the engine has. */
async function unlessElsewhere<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotHere) return null;
    throw error;
  }
}

async function readWhole(commit: OpenCommit, work: WholeRead): Promise<string | LongAnswer> {
  const { tenant, time } = work;
  const run = await READS[work.read]();
  const context = contextOf(commit, tenant, Deadline.limited(time, undefined, clock));
  return answerTexts(await run(context, JSON.parse(work.request)));
}

/** A page of an export, which may take as long as one query. */
async function exportPage(commit: OpenCommit, work: ExportWork): Promise<ExportTexts> {
  const { readExport } = await import('./read-export.ts');
  const deadline = () => new Deadline(LIMITS.queryMillis, clock);
  return readExport(commit, work, orders, () => contextOf(commit, work.tenant, deadline()));
}

async function runOperation({ shards }: OpenCommit, work: ShardWork): Promise<Uint8Array> {
  const { shard, operation, request } = work;
  const call = shards[shard][operation] as (request: unknown) => unknown;
  const result = await call.call(shards[shard], fromBytes(request));
  return toBytes(answerToPlain(operation, result));
}

function run(commit: OpenCommit, work: ThreadWork): Promise<ThreadAnswer> {
  if (work.kind === 'shard') return runOperation(commit, work);
  return unlessElsewhere<ThreadAnswer>(() =>
    work.kind === 'read' ? readWhole(commit, work) : exportPage(commit, work),
  );
}

async function answer({ task, commit, work }: ThreadCall): Promise<FromThread> {
  const found = commits.get(commit);
  if (found === undefined) return { kind: 'unopened', task };
  try {
    const done = await withTimeToFetch(() => holdingColdBytes(() => run(found, work)), 1);
    return { kind: 'done', task, answer: done };
  } catch (error) {
    return { kind: 'failed', task, error: errorToPlain(error) };
  } finally {
    publishColdFigures(coldFigures);
  }
}

async function handle(message: ToThread): Promise<void> {
  if (message.kind === 'open') open(message.source);
  else if (message.kind === 'close') close(message.commit);
  else parentPort?.postMessage(await answer(message));
}

let last = Promise.resolve();
parentPort?.on('message', (message: ToThread) => {
  last = last.then(() => handle(message));
});
