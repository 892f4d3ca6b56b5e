/**
 * The lock of an index: one writer at a time. `writer.lock` in the index folder is JSON: the
 * process that holds it, and a token.
 *
 *     1. A process writes its draft, `writer.lock.<token>`, and links it to `writer.lock`. The link
 *        fails if the file exists, so a lock is never half written.
 *     2. The lock of a dead process is renamed to `writer.lock.<token>.dead` and removed.
 *     3. The holder sweeps drafts and dead locks that ended processes left (`leftLocks`). It cannot
 *        tell a draft that is being written from one that a crash cut short, so it may remove the
 *        draft of a living process. That process then writes another one.
 *
 * If two processes take over a lock at once, one of them may lose it again: `assertHeld` throws
 * before it commits.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { isGone, type ProcessIdentity, thisProcess } from '../../base/process-identity.ts';
import { attempt, ioError, systemCode } from '../../storage/io-errors.ts';

const LOCK_FILE = 'writer.lock';
const DEAD = '.dead';
const TAKE_OVERS = 5;

/** Tokens of locks that this process let go of and could not remove: nobody holds them. */
const abandoned = new Set<string>();

type LockContent = ProcessIdentity & {
  readonly token: string;
  /** The inode of the folder. A copy of the folder has the file, and another inode. */
  readonly folder?: number;
};

/** A held lock. */
export interface WriterLock {
  /** Throws index_busy when the lock has gone to another process. */
  assertHeld(): void;
  /** Idempotent; never throws: a lock file that cannot be removed is taken over by the next. */
  release(): void;
}

/**
 * Takes the lock of an index folder. Throws index_busy, naming pid and host, while another writer
 * lives; io_error if the folder is missing or cannot be written.
 */
export function lockIndex(folder: string): WriterLock {
  const path = join(folder, LOCK_FILE);
  const own: LockContent = { ...thisProcess(), token: randomUUID(), folder: inodeOf(folder) };
  for (let attempt = 0; attempt < TAKE_OVERS; attempt++) {
    if (claim(path, own)) return heldLock(path, own);
    const holder = readLock(path);
    if (holder === null) continue;
    if (!isFree(holder, folder)) throw busy(folder, holder);
    removeDead(path, holder, own.token);
  }
  throw busy(folder, readLock(path));
}

/** The process that holds an index's lock, or null. */
export function lockHolder(folder: string): ProcessIdentity | null {
  const holder = readLock(join(folder, LOCK_FILE));
  return holder !== null && isOfCopy(holder, folder) ? null : holder;
}

/**
 * Paths of drafts and dead locks that processes left when they ended in the middle of locking.
 * Throws io_error.
 */
export function leftLocks(folder: string): readonly string[] {
  return listFolder(folder)
    .filter((name) => name.startsWith(`${LOCK_FILE}.`))
    .map((name) => join(folder, name))
    .filter(isLeft);
}

/**
 * Locking is one synchronous step, so a draft of this process is left over. A lock of this process
 * that another one put aside by mistake is not: the other one puts it back.
 */
function isLeft(path: string): boolean {
  const holder = readLock(path);
  if (holder === null) return false;
  return isFree(holder, dirname(path)) || (isOwn(holder) && !path.endsWith(DEAD));
}

function listFolder(folder: string): readonly string[] {
  return attempt('list', folder, () => readdirSync(folder));
}

function isOwn({ pid, host }: LockContent): boolean {
  const own = thisProcess();
  return pid === own.pid && host === own.host;
}

const isFree = (holder: LockContent, folder: string): boolean =>
  abandoned.has(holder.token) || isGone(holder) || isOfCopy(holder, folder);

/** Whether the holder locked another folder of this machine, of which this one is a copy. */
const isOfCopy = ({ host, folder: inode }: LockContent, folder: string): boolean =>
  inode !== undefined && host === hostname() && inode !== inodeOf(folder);

/** Undefined if there is no such folder. */
const inodeOf = (folder: string): number | undefined =>
  statSync(folder, { throwIfNoEntry: false })?.ino;

function heldLock(path: string, own: LockContent): WriterLock {
  let held = true;
  return {
    assertHeld() {
      const holder = readLock(path);
      if (!held || holder?.token !== own.token) throw busy(dirname(path), holder);
    },
    release() {
      if (!held) return;
      held = false;
      try {
        if (readLock(path)?.token === own.token) rmSync(path, { force: true });
      } catch (error) {
        if (!(error instanceof LhsError) && systemCode(error) === '') throw error;
        abandoned.add(own.token);
      }
    },
  };
}

/** Makes the lock file, whole; false if there is one already, or if the draft was swept. */
function claim(path: string, own: LockContent): boolean {
  const draft = `${path}.${own.token}`;
  try {
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (error) {
    const code = systemCode(error);
    const isSwept = code === 'ENOENT' && existsSync(dirname(path));
    if (code === 'EEXIST' || isSwept) return false;
    throw ioError(error, 'lock', path);
  } finally {
    removeQuietly(draft);
  }
}

/** What cannot be removed stays for the next sweep. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (systemCode(error) === '') throw error;
  }
}

/** Removes a dead holder's lock; puts it back when it turns out to be another's by now. */
function removeDead(path: string, dead: LockContent, token: string): void {
  const aside = `${path}.${token}${DEAD}`;
  try {
    renameSync(path, aside);
    if (readLock(aside)?.token !== dead.token) linkSync(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(systemCode(error))) throw ioError(error, 'unlock', path);
  } finally {
    removeQuietly(aside);
  }
}

function readLock(path: string): LockContent | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockContent;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (error instanceof SyntaxError) return { ...NOBODY };
    throw ioError(error, 'read', path);
  }
}

/** An unreadable lock: whoever wrote it did not live to write it whole. */
const NOBODY: LockContent = Object.freeze({
  pid: 0,
  host: thisProcess().host,
  boot_id: 'unknown',
  started: '',
  token: '',
});

function busy(path: string, holder: ProcessIdentity | null): LhsError {
  const who = holder === null ? 'another process' : `process ${holder.pid} on "${holder.host}"`;
  return new LhsError('index_busy', `"${path}" is being written by ${who}`, {
    hint: waitFor(path, holder),
    details: holder === null ? {} : { pid: holder.pid, host: holder.host },
  });
}

/** What to do about a lock that another holds. `folder` is the index's. */
export function waitFor(folder: string, holder: ProcessIdentity | null): string {
  if (holder === null || holder.host === thisProcess().host) {
    return 'wait for it to end, then run the command again';
  }
  const path = join(folder, LOCK_FILE);
  return (
    `whether it lives cannot be told from here: wait, or if "${holder.host}" is gone for ` +
    `good, remove "${path}"`
  );
}
