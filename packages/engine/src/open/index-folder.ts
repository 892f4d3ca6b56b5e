/**
 * The folder of one index, `<data folder>/indexes/<uuid>/`:
 *
 *     CURRENT       name of the live generation's folder and a line feed; replaced by rename, then
 *     the folder is fsynced
 *     gen-000001/   a generation: commit, segments (index/); immutable but for its commits
 *     embeddings/   vectors of texts by model, for every generation (embed/cache/cache-format.ts)
 *     writer.lock   who writes (index/writer-lock.ts): pid, host; the lock of a dead process is
 *     taken over
 *
 * A generation that CURRENT does not name is staged by the lock's holder, or what a dead process
 * left: `sweepGenerations` removes it.
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
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { holds, pinsAmong } from '../index/pins.ts';
import {
  leftLocks,
  lockHolder,
  lockIndex,
  type WriterLock,
  waitFor,
} from '../index/writer-lock.ts';
import { ioError, systemCode } from '../storage/io-errors.ts';
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

/**
 * Makes an empty folder for the next generation; its number is above every one that is there. Lock
 * holders only.
 */
export function stageGeneration(folder: string): Generation {
  const taken = generations(folder).map((generation) => generation.number);
  const number = Math.max(0, ...taken) + 1;
  const staged = generationAt(folder, number);
  try {
    mkdirSync(staged.path);
  } catch (error) {
    throw ioError(error, 'make', staged.path);
  }
  return staged;
}

/** The folder of a generation, whether it is there or not. */
export function generationAt(folder: string, number: number): Generation {
  return { number, path: join(folder, `gen-${String(number).padStart(6, '0')}`) };
}

/** Makes a staged generation the live one, durably. Lock holders only. */
export function promoteGeneration(folder: string, { number }: Generation): void {
  const path = join(folder, 'CURRENT');
  try {
    const draft = `${path}.tmp`;
    const descriptor = openSync(draft, 'w', 0o644);
    try {
      writeFileSync(descriptor, `gen-${String(number).padStart(6, '0')}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncFolder(folder);
    renameSync(draft, path);
    syncFolder(folder);
  } catch (error) {
    throw ioError(error, 'replace', path);
  }
}

function generations(folder: string): Generation[] {
  return namesIn(folder).flatMap((name) => {
    const match = GENERATION.exec(name);
    return match === null ? [] : [{ number: Number(match[1]), path: join(folder, name) }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw ioError(error, 'list', folder);
  }
}

/**
 * Paths of what nobody reads in an index's folder: every generation but the live one that holds no
 * pin (index/pins.ts), a half-written draft of CURRENT, and what dead processes left of their
 * locks. Throws io_error, corrupt_index (then nothing is known to be dead).
 */
export function leftovers(folder: string, now = Date.now()): readonly string[] {
  const live = currentGeneration(folder)?.path;
  const draft = join(folder, 'CURRENT.tmp');
  try {
    const paths = generations(folder).map(({ path }) => path);
    const dead = [
      ...paths.filter((path) => path !== live && !isPinned(path, now)),
      ...leftLocks(folder),
    ];
    return existsSync(draft) ? [...dead, draft] : dead;
  } catch (error) {
    throw ioError(error, 'list', folder);
  }
}

/** True while a reader needs a commit of a generation. */
function isPinned(path: string, now: number): boolean {
  return pinsAmong(namesIn(path)).some((pin) => holds(pin, now));
}

/**
 * Removes the `leftovers`. Lock holders only. Returns their paths. Throws io_error, corrupt_index.
 */
export function sweepGenerations(folder: string, now = Date.now()): readonly string[] {
  const dead = leftovers(folder, now);
  try {
    for (const path of dead) rmSync(path, { recursive: true, force: true });
    return dead;
  } catch (error) {
    throw ioError(error, 'clean up', folder);
  }
}

/**
 * Removes a generation's folder; used for a staged one that failed. What cannot be removed now, the
 * next sweep removes: the error that led here is the one to tell.
 */
export function discardGeneration({ path }: Generation): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (systemCode(error) === '') throw error;
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
 * io_error; a missing folder is not made here (local/write-index.ts), because its index may be
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
    `cannot ${what} "${index}": another reindex or sync of it is running${who}`,
    {
      hint: waitFor(folder, holder),
      details: holder === null ? {} : { pid: holder.pid, host: holder.host },
    },
  );
}
