import { existsSync } from 'node:fs';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { isOvertaken } from '../../home/writing/overtaken.ts';
import type { HomeIndex, PublishOptions } from '../../home/writing/publish.ts';
import { endDeadJobs } from '../../open/dead-jobs.ts';
import {
  generationAt,
  type IndexLock,
  indexFolder,
  sweepGenerations,
  takeLock,
} from '../../open/index-folder.ts';
import { keptGenerations } from '../../open/kept-generations.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import { alteredMeanwhile, wasDropped, wasRenamed } from '../../registry/changed-meanwhile.ts';
import { isOrphaned, type RegisteredJob } from '../../registry/jobs.ts';
import type { RegisteredIndex } from '../../registry/registry.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import { makeFolder } from '../../storage/make-folder.ts';
import type { FormerGenerations, LockedIndex, WriteLock } from '../../sync/locked-index.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { requireWritable } from '../served-folder.ts';
import { enterHome, settleAtHome } from './publish.ts';

/** A reader that sweeps has the lock for a moment: every writer waits so long for its file. */
const SWEEP_MS = 500;
const [FIRST_PAUSE_MS, MOST_PAUSE_MS] = [10, 250];

/** So often work is done again because another process has committed in the store of the index. */
const ATTEMPTS = 8;

/** A turn at the commit lock of an index. */
export interface Turn {
  /** What the caller wants to do: a verb. */
  readonly what: string;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait for other writers. Default: as the engine was opened. */
  readonly waitMs?: number | undefined;
  /** Rows are erased: all that was published is replaced. */
  readonly afresh?: boolean;
  /** How the store of the index is examined. */
  readonly examine?: PublishOptions['examine'];
  /** `false`: the store of the index is not used; `left`: the turn leaves it, even one that is away. */
  readonly home?: false | 'left';
  /** The turn of a reindex that makes its generation the live one: all others wait for it. */
  readonly cutover?: boolean;
}

/**
 * Runs `work` with the index locked and its table open; adds the time it took. Throws as
 * `lockForWriting` and `openTableOf`.
 */
export function writeIndex<T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  turn: Turn,
  work: (locked: LockedIndex) => Promise<T>,
): Promise<T & { took_ms: number }> {
  return timed(async () => {
    let table: SourceTable | undefined;
    try {
      return await withLock(indexes, known.registered, turn, async (lock) => {
        table = await openTableOf(known, turn.signal);
        return work(lockedIndex(indexes, known, table, lock));
      });
    } finally {
      await table?.close();
    }
  });
}

/** An answer with the time that it took. */
export async function timed<T>(work: () => Promise<T>): Promise<T & { took_ms: number }> {
  const started = performance.now();
  const answer = await work();
  return { ...answer, took_ms: Math.round(performance.now() - started) };
}

/** Runs `work` with the index locked. Throws as `lockForWriting`. */
export async function withLock<T>(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  turn: Turn,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const lock = await lockForWriting(indexes, registered, turn);
    try {
      const answer = await work(lock);
      if (turn.home !== false) await settle(indexes, registered, lock, turn);
      return answer;
    } catch (error) {
      if (attempt < ATTEMPTS && isOvertaken(error)) continue;
      throw indexes.explained(registered, error);
    } finally {
      unlock(indexes, registered, lock);
    }
  }
}

/** Publishes what the work did. Throws as `settleAtHome`, with the way to publish it later. */
async function settle(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  lock: HeldLock,
  turn: Turn,
): Promise<void> {
  try {
    await settleAtHome(indexes, registered, lock.home, homeOptions(indexes, turn));
  } catch (error) {
    if (!(error instanceof LhsError) || isOvertaken(error)) throw error;
    const { code, message, details, hint = '' } = error;
    throw new LhsError(code, message, {
      hint: `${hint === '' ? '' : `${hint}; `}the work is done here, and a sync publishes it`,
      next: [{ step: 'sync', index: registered.name }],
      details,
      cause: error,
    });
  }
}

/** The job of a reindex has ended with its cutover. */
const homeOptions = ({ life }: LocalIndexes, { cutover, signal, afresh, examine }: Turn) => ({
  signal: cutover === true ? life.closing : signal,
  ...(afresh === undefined ? {} : { afresh }),
  ...(examine === undefined ? {} : { examine }),
});

/** An index whose lock is held, with its table, as building and following take it. */
export function lockedIndex(
  indexes: LocalIndexes,
  known: KnownIndex,
  table: SourceTable,
  lock: WriteLock,
): LockedIndex {
  return { ...lockedGeneration(indexes, known, lock), table };
}

/** An index whose lock is held, without its table, as change batches are applied to. */
export function lockedGeneration(
  indexes: LocalIndexes,
  known: KnownIndex,
  lock: WriteLock,
): Omit<LockedIndex, 'table'> {
  const noteMerge = (fault: Error | null) => noteEnd(indexes, known, 'mergeFaults', fault);
  const former = formerGenerations(indexes, known);
  return { ...openedIndex(indexes, known), lock, former, noteMerge };
}

/** Notes the end of a merge or sync for the status of the index; null: it succeeded. */
export function noteEnd(
  { registry, clock, looks }: LocalIndexes,
  { registered: { uuid } }: KnownIndex,
  work: 'mergeFaults' | 'syncFaults',
  fault: Error | null,
): void {
  if (looks !== null) return;
  const code = fault instanceof LhsError ? fault.code : 'internal';
  const noted = fault === null ? null : { code, message: fault.message };
  registry[work].note(uuid, noted, clock.now());
}

/** These say nothing about the table and the index. */
const CALLERS_FAULTS: ReadonlySet<string> = new Set<ErrorCode>([
  ...(['closed', 'deadline_exceeded', 'fenced', 'index_busy', 'interrupted'] as const),
  ...(['index_not_found', 'invalid_argument', 'not_found'] as const),
]);

/** Runs a part of a sync; if it fails, the status of the index says why until one succeeds. */
export const notingFault = <T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  part: () => Promise<T>,
): Promise<T> =>
  part().catch((error: unknown) => {
    if (error instanceof LhsError && !CALLERS_FAULTS.has(error.code)) {
      noteEnd(indexes, known, 'syncFaults', error);
    }
    throw error;
  });

/** Runs a whole sync, as `notingFault`. */
export async function notedSync<T>(
  indexes: LocalIndexes,
  known: KnownIndex,
  sync: () => Promise<T>,
): Promise<T> {
  const done = await notingFault(indexes, known, sync);
  noteEnd(indexes, known, 'syncFaults', null);
  return done;
}

/** The kept generations of an index whose lock is held. */
function formerGenerations(indexes: LocalIndexes, known: KnownIndex): FormerGenerations {
  const { registry, clock } = indexes;
  const { folder, registered } = known;
  const { uuid } = registered;
  return {
    list: () => {
      registry.generations.restartFuture(uuid, clock.now());
      return keptGenerations(registry, uuid, folder, clock.now()).map(({ number, version }) => ({
        generation: generationAt(folder, number),
        follows: () => ({
          ...indexes.definitionAt(registered, version),
          definitionVersion: version,
        }),
      }));
    },
    note: (number, fault) => {
      const now = clock.now();
      const kept = registry.generations.kept(uuid, now).find((one) => one.number === number);
      const sinceMs = kept?.fault?.sinceMs ?? now;
      const noted = fault === null ? null : { code: fault.code, message: fault.message, sinceMs };
      registry.generations.noteFault(uuid, number, noted);
    },
    sweep: () => sweepGenerations(folder, clock.now(), () => indexes.named(uuid)),
  };
}

/** An index as building takes it: without a lock and without its table. */
export function openedIndex(
  { openDirectory, openEmbedder, memoryBytes, saveMs }: LocalIndexes,
  { folder, definition, registered }: KnownIndex,
): Omit<LockedIndex, 'table' | 'lock'> {
  const { version: definitionVersion, baseDir } = registered;
  const opened = { openDirectory, openEmbedder, memoryBytes, saveMs };
  return { folder, definition, definitionVersion, baseDir, ...opened };
}

/** The table of an index at its newest version. Throws as `openSource` does. */
export async function openTableOf(
  { definition, registered }: KnownIndex,
  signal?: AbortSignal,
): Promise<SourceTable> {
  const { openSource } = await import('../../source/source-table.ts');
  return openSource(definition.source, registered.baseDir, signal);
}

/** The lock of an index, and the index in its store; null: it has none. */
export interface HeldLock extends IndexLock, WriteLock {
  readonly home: HomeIndex | null;
}

/**
 * The commit lock of an index that is registered as long as it is held. Waits for other writers,
 * and for a reindex that makes its generation the live one, then brings the index to the newest
 * commit in its store. Throws index_busy when the time is over or the definition was altered
 * meanwhile, interrupted, index_not_found if the index was dropped meanwhile, and as `enterHome`.
 */
export async function lockForWriting(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  turn: Turn,
): Promise<HeldLock> {
  requireWritable(indexes, turn.what);
  const lock = await waitForLock(indexes, registered, turn);
  try {
    endDeadJobs(indexes, indexes.clock.now(), registered.uuid);
    const options = homeOptions(indexes, turn);
    const home = await enterHome(indexes, registered, turn.home, options);
    const now = indexes.registry.at(registered.uuid);
    const { name } = registered;
    if (now !== undefined && now.name !== name) throw wasRenamed(name, now.name);
    const isAltered =
      now?.version !== registered.version &&
      (now?.definition !== registered.definition || now.baseDir !== registered.baseDir);
    if (isAltered && turn.cutover !== true) throw alteredMeanwhile(name);
    return { ...lock, home, publish: home?.publish, find: home?.find, lost: home?.lost };
  } catch (error) {
    unlock(indexes, registered, lock);
    throw error;
  }
}

async function waitForLock(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  { what, signal, waitMs = indexes.lockWaitMs, cutover = false }: Turn,
): Promise<IndexLock> {
  const { writing, clock } = indexes;
  let pause = FIRST_PAUSE_MS;
  for (let waited = 0; ; waited += pause) {
    refuseAborted(signal);
    await indexes.writers.end(registered.uuid);
    try {
      if (writing.has(registered.uuid)) throw alreadyWritten(what, registered.name);
      if (!cutover && isCuttingOver(indexes, registered))
        throw beingReplaced(what, registered.name);
      const lock = lockRegistered(indexes, registered, what);
      writing.add(registered.uuid);
      return lock;
    } catch (error) {
      const busy = error instanceof LhsError && error.code === 'index_busy';
      const most = writing.has(registered.uuid) ? waitMs : Math.max(SWEEP_MS, waitMs);
      if (!busy || waited >= most) throw error;
    }
    await clock.sleep(pause, signal);
    pause = Math.min(2 * pause, MOST_PAUSE_MS);
  }
}

/** True while a job makes its generation of the index the live one. */
export function isCuttingOver(indexes: LocalIndexes, { uuid }: RegisteredIndex): boolean {
  return indexes.registry.jobs
    .running(uuid)
    .some((job) => job.state === 'cutting_over' && !isOrphaned(job));
}

const WAITED = { hint: 'wait for it to end, then try again' };

function alreadyWritten(what: string, name: string): LhsError {
  const message = `cannot ${what} "${name}": another writer of it is running`;
  return new LhsError('index_busy', message, WAITED);
}

function beingReplaced(what: string, name: string): LhsError {
  const message = `cannot ${what} "${name}": a reindex is replacing its generation`;
  return new LhsError('index_busy', message, WAITED);
}

/**
 * Takes the lock, then reads the registry again: only the lock's holder drops an index, so what is
 * registered now stays.
 */
function lockRegistered(
  indexes: LocalIndexes,
  registered: RegisteredIndex,
  what: string,
): IndexLock {
  const { dataDir, registry } = indexes;
  const { uuid, name } = registered;
  requireFolder(indexes, registered);
  const lock = indexes.during(registered, () => takeLock(indexFolder(dataDir, uuid), name, what));
  if (registry.has(uuid)) return lock;
  lock.release();
  throw wasDropped(name);
}

/**
 * Makes the folder of an index if it is missing, but never for an index that is gone. Throws
 * index_not_found, io_error.
 */
export function requireFolder(
  { dataDir, registry }: LocalIndexes,
  { uuid, name }: RegisteredIndex,
): void {
  const folder = indexFolder(dataDir, uuid);
  if (existsSync(folder) || registry.whileRegistered(uuid, () => makeFolder(folder))) return;
  throw wasDropped(name);
}

/** The error of work that a running build does not allow. */
export function buildRunning(
  what: string,
  name: string,
  { id, kind, owner }: RegisteredJob,
): LhsError {
  const who = owner === null ? '' : ` in process ${owner.pid} on "${owner.host}"`;
  const article = kind === 'alter' ? 'an' : 'a';
  const running = `${article} ${kind} of it is running${who}`;
  return new LhsError('index_busy', `cannot ${what} "${name}": ${running}`, {
    hint: 'wait until that job has ended, or cancel it',
    next: [
      { step: 'watch_job', job: id },
      { step: 'cancel_job', job: id },
    ],
    details: { job_id: id, ...(owner === null ? {} : { pid: owner.pid, host: owner.host }) },
  });
}

/** Gives the write lock of an index back. */
export function unlock({ writing }: LocalIndexes, { uuid }: RegisteredIndex, lock: IndexLock) {
  writing.delete(uuid);
  lock.release();
}
