/**
 * The folder of one index, `<data folder>/indexes/<uuid>/`:
 *
 *     CURRENT       name of the live generation's folder and a line feed; replaced by rename, then
 *     the folder is fsynced
 *     gen-000001/   a generation: commit, segments (index/); immutable but for its commits
 *     embeddings/   vectors of texts by model, for every generation (embed/cache/cache-format.ts)
 *     writer.lock   who writes the live generation (writer-lock.ts): pid, host; the lock of a
 *     dead process is taken over
 *
 * The registry names generations besides the live one (registry/generations.ts): staged by a job,
 * or kept. `sweepGenerations` removes the others.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { endLookPeriod } from '../base/looks.ts';
import { heldPins } from '../base/pin-names.ts';
import {
  leftLocks,
  lockHolder,
  lockIndex,
  type WriterLock,
  waitFor,
} from '../index/commits/writer-lock.ts';
import { attempt, ioError, systemCode } from '../storage/io-errors.ts';
import { syncFolder } from '../storage/make-folder.ts';

const GENERATION = /^gen-(\d{6,})$/;

/** A generation's number and folder. */
export interface Generation {
  readonly number: number;
  readonly path: string;
}

/** Where an index lies. `uuid` comes from the registry, never from a user. */
export function indexFolder(dataDir: string, uuid: string): string {
  return join(dataDir, 'indexes', uuid);
}

/**
 * The live generation, or null before the first reindex. Throws corrupt_index when CURRENT names
 * none.
 */
export function currentGeneration(folder: string): Generation | null {
  const path = join(folder, 'CURRENT');
  for (let text = readText(path); text !== null; ) {
    const name = GENERATION.exec(text.trimEnd())?.[0];
    if (name !== undefined && existsSync(join(folder, name))) {
      return { number: Number(name.slice('gen-'.length)), path: join(folder, name) };
    }
    // A writer may have promoted the next generation and swept this one.
    const next = readText(path);
    if (next === text) throw namesNone(path);
    text = next;
  }
  return null;
}

function namesNone(path: string): LhsError {
  return new LhsError('corrupt_index', `"${path}" names no generation`, {
    hint: 'build the index again from its table',
    next: [{ step: 'reindex' }],
  });
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw ioError(error, 'read', path);
  }
}

/** The numbers of the generations in a folder, live or not. Throws io_error. */
export function generationNumbers(folder: string): readonly number[] {
  return generations(folder).map(({ number }) => number);
}

/** Makes an empty folder for a generation. Default: a number above all others. Throws io_error. */
export function stageGeneration(
  folder: string,
  number: number = Math.max(0, ...generationNumbers(folder)) + 1,
): Generation {
  const staged = generationAt(folder, number);
  attempt('make', staged.path, () => mkdirSync(staged.path, { mode: 0o700 }));
  return staged;
}

/** The folder of a generation, whether it is there or not. */
export function generationAt(folder: string, number: number): Generation {
  return { number, path: join(folder, `gen-${String(number).padStart(6, '0')}`) };
}

/** Makes a staged generation the live one, durably. Lock holders only. Throws io_error. */
export function promoteGeneration(folder: string, { number }: Generation): void {
  const path = join(folder, 'CURRENT');
  try {
    const draft = `${path}.tmp`;
    const descriptor = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(descriptor, `gen-${String(number).padStart(6, '0')}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncFolder(folder);
    renameSync(draft, path);
    endLookPeriod();
    syncFolder(folder);
  } catch (error) {
    throw ioError(error, 'replace', path);
  }
}

const generations = (folder: string): readonly Generation[] =>
  generationsAmong(folder, namesIn(folder));

/** The generations among the names in a folder. */
export function generationsAmong(folder: string, names: readonly string[]): readonly Generation[] {
  return names.flatMap((name) => {
    const match = GENERATION.exec(name);
    return match === null ? [] : [{ number: Number(match[1]), path: join(folder, name) }];
  });
}

function namesIn(folder: string): readonly string[] {
  return attempt('list', folder, () => readdirSync(folder));
}

/** Numbers of the generations that the registry names; called after the folders were listed. */
export type NamedGenerations = () => ReadonlySet<number>;

const NONE_NAMED: NamedGenerations = () => new Set();

/**
 * Paths of what nobody needs in an index's folder: every generation that is not live, named or
 * pinned (commits/pins.ts), a half-written draft of CURRENT, and what dead processes left of their
 * locks. CURRENT is read last: what was staged when the folders were listed may be live by now.
 * Throws io_error, corrupt_index (then nothing is known to be dead).
 */
export function leftovers(folder: string, now = Date.now(), named = NONE_NAMED): readonly string[] {
  const draft = join(folder, 'CURRENT.tmp');
  try {
    const all = generations(folder);
    const names = all.length > 1 || !existsSync(join(folder, 'CURRENT')) ? named() : new Set();
    const live = currentGeneration(folder)?.path;
    const dead = all
      .filter(({ number, path }) => !names.has(number) && path !== live && !isPinned(path, now))
      .map(({ path }) => path);
    const left = [...dead, ...leftLocks(folder)];
    return existsSync(draft) ? [...left, draft] : left;
  } catch (error) {
    throw ioError(error, 'list', folder);
  }
}

/** True while a reader needs a commit of a generation. */
function isPinned(path: string, now: number): boolean {
  return heldPins(namesIn(path), now).length > 0;
}

/** Whether a reader needs a commit of any generation of an index. Throws io_error. */
export const isPinnedAnywhere = (folder: string, now: number): boolean =>
  generations(folder).some(({ path }) => isPinned(path, now));

/**
 * Removes the `leftovers`. Lock holders only. Returns their paths. Throws io_error, corrupt_index.
 */
export function sweepGenerations(
  folder: string,
  now = Date.now(),
  named = NONE_NAMED,
): readonly string[] {
  const dead = leftovers(folder, now, named);
  try {
    for (const path of dead) rmSync(path, { recursive: true, force: true });
    return dead;
  } catch (error) {
    throw ioError(error, 'clean up', folder);
  }
}

/**
 * Removes the folder of a staged generation, unless CURRENT names it. What cannot be removed now,
 * the next sweep removes: the error that led here is the one to report.
 */
export function discardGeneration(folder: string, { number, path }: Generation): void {
  if (isLive(folder, number)) return;
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) === '') throw error;
  }
}

/** A pointer that cannot be read names nothing. */
function isLive(folder: string, number: number): boolean {
  try {
    return currentGeneration(folder)?.number === number;
  } catch (error) {
    if (error instanceof LhsError && error.code === 'corrupt_index') return false;
    throw error;
  }
}

/** Bytes of a generation's files; 0 if its folder is gone. */
export function generationBytes({ path }: Generation): number {
  const size = (name: string) => statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0;
  try {
    return readdirSync(path).reduce((sum, name) => sum + size(name), 0);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw ioError(error, 'look at', path);
  }
}

/** Free bytes for this user on the disk that holds `folder`. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch (error) {
    throw ioError(error, 'look at the disk of', folder);
  }
}

/** The right to write an index, held until `release` or the process's end. */
export type IndexLock = WriterLock;

/**
 * Takes the lock of an index folder, or null while another process that lives holds it. Throws
 * io_error; a missing folder is not made here (writes/write-index.ts), because its index may be
 * dropped.
 */
export function tryLock(folder: string): IndexLock | null {
  try {
    return lockIndex(folder);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_busy') return null;
    throw ioError(error, 'lock', folder);
  }
}

/**
 * Takes the lock, or throws index_busy, naming pid and host. `what` is what the caller wants to do.
 */
export function takeLock(folder: string, index: string, what: string): IndexLock {
  const lock = tryLock(folder);
  if (lock !== null) return lock;
  const holder = lockHolder(folder);
  const who = holder === null ? '' : ` by process ${holder.pid} on "${holder.host}"`;
  throw new LhsError(
    'index_busy',
    `cannot ${what} "${index}": another writer of it is running${who}`,
    {
      hint: waitFor(folder, holder),
      details: holder === null ? {} : { pid: holder.pid, host: holder.host },
    },
  );
}
