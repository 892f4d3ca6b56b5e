/**
 * Which files of a directory have had every byte checked (ADR "checksums"). A file is checked
 * when this process first reads it; what was checked is remembered by the file's stamp (device,
 * inode, size, times), in this process and, in the framed file `verified`, for the next ones, for
 * a day. A file that is written to after that has another stamp and is checked again.
 */
import { LhsError } from '@lakehouse-search/contract';
import type { Directory } from './directory.ts';
import { type FramedFile, readFramed, verifyFramed, writeFramed } from './frame.ts';

/** The sidecar's name. It is no part of a commit: it may be missing, old or damaged at any time. */
export const VERIFIED_FILE = 'verified';
const DAY_MS = 86_400_000;

/**
 * Stamp -> time of the check, ms since 1970. Stamps name files of the whole machine, so one table
 * serves the process.
 */
const checked = new Map<string, number>();

/** Remembers which files of a directory are known to be whole. */
export class Verification {
  readonly #directory: Directory;
  readonly #now: () => number;
  #checkedBytes = 0;

  constructor(directory: Directory, now: () => number = Date.now) {
    this.#directory = directory;
    this.#now = now;
    for (const [stamp, at] of readSidecar(directory)) {
      if (!checked.has(stamp)) checked.set(stamp, at);
    }
  }

  /**
   * Checks every byte of an open file unless that was done in the last day. Throws corrupt_index.
   */
  check(framed: FramedFile): void {
    const stamp = this.#directory.stamp(framed.name);
    const at = stamp === null ? undefined : checked.get(stamp);
    const age = at === undefined ? DAY_MS : this.#now() - at;
    if (age >= 0 && age < DAY_MS) return;
    verifyFramed(framed);
    if (stamp === null) return;
    checked.set(stamp, this.#now());
    this.#checkedBytes += framed.file.length;
  }

  /**
   * Writes the sidecar when at least `worth` bytes were checked that it does not know of. A folder
   * that cannot be written to stays as it is.
   */
  remember(worth = 1): void {
    if (this.#checkedBytes < worth) return;
    this.#checkedBytes = 0;
    const moment = process.hrtime.bigint();
    const draft = `${VERIFIED_FILE}.${process.pid}-${moment}.tmp`;
    try {
      const text = JSON.stringify(Object.fromEntries(this.#knownHere()));
      writeFramed(this.#directory, draft, 'verified', [Buffer.from(text)]);
      this.#directory.rename(draft, VERIFIED_FILE);
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
    }
  }

  *#knownHere(): Iterable<[string, number]> {
    for (const name of this.#directory.list()) {
      const stamp = this.#directory.stamp(name);
      const at = stamp === null ? undefined : checked.get(stamp);
      if (stamp !== null && at !== undefined) yield [stamp, at];
    }
  }
}

function readSidecar(directory: Directory): readonly [string, number][] {
  try {
    if (!directory.list().includes(VERIFIED_FILE)) return [];
    const text = Buffer.from(readFramed(directory, VERIFIED_FILE, 'verified')).toString();
    return Object.entries(JSON.parse(text) as Record<string, number>);
  } catch (error) {
    if (error instanceof LhsError || error instanceof SyntaxError) return [];
    throw error;
  }
}
