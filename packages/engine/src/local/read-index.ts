/**
 * A read of an index at one commit. Steps: find the index, wait for the snapshot that the request
 * demands, open the commit, then answer: in a search thread where one can, else here.
 */
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { Deadline } from '../base/deadline.ts';
import { commitVersion, type KnownIndex, type OpenIndex } from '../open/open-index.ts';
import type { SearchContext } from '../search/context.ts';
import { localShards } from '../shard/local-shard.ts';
import { tenantFilter } from '../shard/request/tenant-filter.ts';
import type { ReadName } from '../workers/messages.ts';
import type { ThreadRead } from '../workers/search-threads.ts';
import { accessible, requireWanted } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { holdPit } from './point-in-time.ts';

/** A table that does not answer within this time is not waited for: the lag is null. */
const LAG_MS = 1000;
/** Pause between two looks at the commit of an index: a look is one `stat` and one small read. */
const WATCH_MS = 20;

/** Which index is read, and at which commit: the newest one unless a point in time says so. */
export interface ReadTarget {
  readonly index?: string;
  readonly pit_id?: string;
}

/** What requests for reads have in common, as far as they have it. */
export interface ReadRequest extends ReadTarget {
  /** The index must hold everything of this snapshot of its table. */
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
  readonly hydrate?: boolean;
}

/**
 * The answer of `work` for a request that was checked. While it throws snapshot_not_reached, it is
 * repeated after each commit of the index, by this process or another, until `wait_ms` are over.
 * `read`: what a search thread calls the same work. Throws interrupted and deadline_exceeded.
 */
export async function answerRead<T>(
  indexes: LocalIndexes,
  request: ReadRequest,
  call: CallContext,
  work: (context: SearchContext) => T | Promise<T>,
  read: ReadName | null,
): Promise<T> {
  const { index, min_snapshot, wait_ms = 0 } = request;
  // Rows and snapshots are read from the table, which threads do not open.
  const whole = request.hydrate === true ? null : read;
  if (min_snapshot === undefined) return readIndex(indexes, request, call, work, whole);
  const { clock } = indexes;
  const until = clock.ticks() + wait_ms;
  for (;;) {
    const { folder } = indexes.resolve(index);
    const seen = commitVersion(folder);
    try {
      return await readIndex(indexes, request, call, work);
    } catch (error) {
      if (!isBehind(error)) throw error;
      while (commitVersion(folder) === seen) {
        const left = until - clock.ticks();
        if (left <= 0) throw wait_ms === 0 ? error : waited(error, wait_ms);
        await clock.sleep(Math.min(left, WATCH_MS), call.signal);
        requireWanted(call, clock);
      }
    }
  }
}

const isBehind = (error: unknown): error is LhsError =>
  error instanceof LhsError && error.code === 'snapshot_not_reached';

function waited({ code, message, hint, next, details }: LhsError, ms: number): LhsError {
  const what = `${message}, after a wait of ${ms} ms`;
  return new LhsError(code, what, { hint, next, details: { ...details, waited_ms: ms } });
}

/**
 * Runs `work` on an index at one commit. Its table is opened with the first use. A tenant's caller
 * sees only the documents and rows of that tenant (shard/request/tenant-filter.ts). `read`: what a
 * search thread calls the same work; null: it runs in this thread.
 */
export async function readIndex<T>(
  indexes: LocalIndexes,
  target: ReadTarget,
  call: CallContext,
  work: (context: SearchContext) => T | Promise<T>,
  read: ReadName | null = null,
): Promise<T> {
  const known = accessible(indexes, target.index, call);
  const tenant = call.principal?.tenant;
  const deadline = Deadline.of(call, indexes.clock);
  const { pit_id } = target;
  const open = pit_id === undefined ? indexes.hold(known) : holdPit(indexes, known, pit_id);
  try {
    // A definition that names a tenant field which the index lacks answers no tenant.
    if (tenant !== undefined) tenantFilter(open.mapping, tenant);
    if (read !== null && indexes.searchThreads !== null) {
      const answer = await answerInThread(indexes, known, open, {
        ...{ read, request: target, tenant, deadline },
      });
      if (answer !== null) return answer as T;
    }
    return await work(await contextOf(indexes, known, open, { tenant, deadline }));
  } finally {
    open.snapshot.release();
  }
}

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
  const took_ms = Math.round((performance.now() - started) * 1000) / 1000;
  return Object.assign(answer, { took_ms }, await lag);
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
  let opened: Promise<SourceTable> | undefined;
  return {
    snapshot,
    mapping,
    shards,
    ...caller,
    openTable: () => {
      opened ??= indexes.newestTable(known);
      return opened;
    },
    lag: async (now?: 'now') => {
      if (opened === undefined) return indexes.lag(known, open, now === 'now' ? 0 : undefined);
      await opened.catch(() => {});
      return indexes.lag(known, open, Number.POSITIVE_INFINITY);
    },
    hasReached: async (id: string) => {
      const { checkpoint } = snapshot;
      const table = await indexes.tableSoon(known, LAG_MS);
      if (table === null) return checkpoint?.applied?.includes(id) ?? false;
      const { reaches } = await import('../sync/missing-snapshots.ts');
      return reaches(table, checkpoint, id);
    },
    openModel: (model, checksum) => indexes.models.open(model, known.registered.baseDir, checksum),
  };
}
