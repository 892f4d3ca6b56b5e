/**
 * Pins: a reader's word that it still needs a commit. A pin is one framed file in the generation's
 * folder, `pin.<id>.<expires>`: 16 hex digits, then milliseconds since 1970. Its payload is the
 * commit as JSON. While it is not expired, nobody who removes files (the writer, sweeps of folders)
 * touches the files that its commit names; so the commit can be opened again after later commits,
 * merges, a reindex or a restart. An expired pin is removed by the next sweep.
 *
 * Without the writer's lock a pin holds by order alone: it is written and flushed first, then the
 * commit is read again. Where it is the same, whoever replaces it later lists the folder after that
 * and finds the pin; where it is not, the newer commit is pinned instead.
 */
import { randomBytes } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../../base/limits.ts';
import { heldPins, type Pin, pinsAmong } from '../../base/pin-names.ts';
import type { Directory } from '../../storage/directory.ts';
import { readFramed, writeFramed } from '../../storage/frame.ts';
import { VERIFIED_FILE, Verification } from '../../storage/verification.ts';
import { IndexSnapshot, openSegments } from '../index-snapshot.ts';
import { COMMIT_FILE, type Commit, filesOf, readCommit } from './commit.ts';
import { decodeCommit, encodeCommit } from './commit-format.ts';

/** Commits that come between reading and pinning: then the newer one is pinned. */
const PIN_ATTEMPTS = 20;

/**
 * Pins the newest commit for `ttlMs`. `id`: 16 hex digits; default: random ones. Throws
 * index_not_built, limit_exceeded (too many pins, too long), disk_full, io_error.
 */
export function pinCommit(directory: Directory, ttlMs: number, now: number, id?: string): Pin {
  requireRoom(directory, ttlMs, now);
  for (let attempt = 1; ; attempt++) {
    const commit = readCommit(directory);
    if (commit === null) throw notBuilt(directory);
    const pin = writePin(directory, commit, now + ttlMs, id);
    if (readCommit(directory)?.number === commit.number) return pin;
    directory.remove(pin.file);
    if (attempt === PIN_ATTEMPTS) {
      throw new LhsError('index_busy', `"${directory.path}" is replaced faster than it is read`, {
        hint: 'try again',
      });
    }
  }
}

/**
 * Opens a pinned commit. Throws not_found where it is unknown, released or expired; corrupt_index.
 */
export function openPinned(
  directory: Directory,
  id: string,
  options: {
    now: number;
    generation?: number;
    /** An open commit of the same directory: what has not changed since is shared with it. */
    former?: IndexSnapshot;
  },
): IndexSnapshot {
  const { now, generation = 1, former } = options;
  const verification = new Verification(directory);
  const commit = onPin(directory, id, now, (pin) => readPin(directory, pin));
  const segments = openSegments(directory, commit, verification, former);
  return new IndexSnapshot(generation, commit, segments, verification);
}

/** The commit of a pin, without its files. Throws as `openPinned`. */
export function pinnedCommit(directory: Directory, id: string, now: number): Commit {
  return onPin(directory, id, now, (pin) => readPin(directory, pin));
}

/** The pin of that id. Throws not_found where it is unknown, released or expired. */
export function findPin(directory: Directory, id: string, now: number): Pin {
  const named = heldPins(directory.list(), now).filter((pin) => pin.id === id);
  // Two of one id: somebody was stopped, or is, between writing the longer one and removing the
  // other.
  const [pin] = named.sort((a, b) => b.expiresAt - a.expiresAt);
  if (pin === undefined) throw notPinned(id);
  return pin;
}

/** Lets a pin hold until `ttlMs` from now instead. Throws as `openPinned` and `pinCommit`. */
export function extendPin(directory: Directory, id: string, ttlMs: number, now: number): Pin {
  requireTime(ttlMs);
  return onPin(directory, id, now, (pin) => {
    if (pin.expiresAt === now + ttlMs) return pin;
    const next = writePin(directory, readPin(directory, pin), now + ttlMs, id);
    directory.remove(pin.file);
    return next;
  });
}

/**
 * Runs `work` on the pin of that id; again where somebody has replaced the pin's file meanwhile.
 */
function onPin<T>(directory: Directory, id: string, now: number, work: (pin: Pin) => T): T {
  for (let attempt = 1; ; attempt++) {
    const pin = findPin(directory, id, now);
    try {
      return work(pin);
    } catch (error) {
      if (attempt === PIN_ATTEMPTS || directory.list().includes(pin.file)) throw error;
    }
  }
}

/** Releases a pin; false where there is none. Its files go with a later sweep. */
export function releasePin(directory: Directory, id: string): boolean {
  const pins = pinsAmong(directory.list()).filter((pin) => pin.id === id);
  for (const { file } of pins) directory.remove(file);
  return pins.length > 0;
}

/**
 * Which files of a folder pins keep. What it has read it remembers: pins never change under their
 * name. One a folder.
 */
export class PinnedFiles {
  readonly #directory: Directory;
  readonly #read = new Map<string, ReadonlySet<string>>();

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  /** Files of the folder that neither its commit nor a pin that holds names. */
  unnamed(commit: Commit, now: number): readonly string[] {
    const names = this.#directory.list();
    const kept = new Set([...filesOf(commit), VERIFIED_FILE]);
    for (const pin of heldPins(names, now)) {
      kept.add(pin.file);
      for (const file of this.#needs(pin)) kept.add(file);
    }
    return names.filter((name) => !kept.has(name));
  }

  /** A pin that is cut short is being written, or its writer died: it holds nothing yet. */
  #needs(pin: Pin): ReadonlySet<string> {
    const known = this.#read.get(pin.file);
    if (known !== undefined) return known;
    try {
      const needed = new Set(filesOf(readPin(this.#directory, pin)));
      needed.delete(COMMIT_FILE);
      this.#read.set(pin.file, needed);
      return needed;
    } catch (error) {
      if (error instanceof LhsError && error.code === 'corrupt_index') return new Set();
      throw error;
    }
  }
}

function writePin(
  directory: Directory,
  commit: Commit,
  expiresAt: number,
  id = randomBytes(8).toString('hex'),
): Pin {
  const file = `pin.${id}.${expiresAt}`;
  writeFramed(directory, file, 'pin', [encodeCommit(commit)]);
  directory.sync();
  return { id, expiresAt, file };
}

function readPin(directory: Directory, { file }: Pin): Commit {
  return decodeCommit(directory, file, readFramed(directory, file, 'pin'));
}

function requireRoom(directory: Directory, ttlMs: number, now: number): void {
  requireTime(ttlMs);
  const held = heldPins(directory.list(), now).length;
  if (held < LIMITS.pins) return;
  throw new LhsError('limit_exceeded', `${held} points in time are open, at most ${LIMITS.pins}`, {
    hint: 'close some, or wait until they expire',
  });
}

function requireTime(ttlMs: number): void {
  if (Number.isInteger(ttlMs) && ttlMs > 0 && ttlMs <= LIMITS.pinMillis) return;
  const message = `a point in time cannot be kept for ${ttlMs} ms: 1 to ${LIMITS.pinMillis}`;
  throw new LhsError('limit_exceeded', message);
}

const notPinned = (id: string): LhsError =>
  new LhsError('not_found', `there is no point in time "${id.slice(0, 64)}": closed or expired`, {
    hint: 'open a new one',
  });

const notBuilt = (directory: Directory): LhsError =>
  new LhsError('index_not_built', `"${directory.path}" holds no commit`, {
    hint: 'a reindex builds the index',
    next: [{ step: 'reindex' }],
  });
