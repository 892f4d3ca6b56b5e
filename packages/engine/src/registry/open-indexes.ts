import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Definition } from '../schema/definition.ts';
import { analyzersOf } from './definition-analyzers.ts';
import {
  commitVersion,
  type OpenDirectory,
  type OpenIndex,
  openIndex,
  sweepIndex,
} from './open-index.ts';
import {
  openPinnedIndex,
  type PinName,
  type PinnedIndex,
  pinIndex,
  releasePinnedIndex,
} from './pinned-index.ts';
import type { RegisteredIndex } from './registry.ts';

/** An index of the registry with its folder and parsed definition. */
export interface KnownIndex {
  readonly registered: RegisteredIndex;
  readonly folder: string;
  readonly definition: Definition;
}

/**
 * The indexes that a process has open, each at its newest commit. When an index is opened for the
 * first time, what dead processes left in its folder is removed.
 */
export class OpenIndexes {
  readonly #openDirectory: OpenDirectory;
  readonly #open = new Map<string, OpenIndex>();
  readonly #swept = new Set<string>();

  constructor(openDirectory: OpenDirectory) {
    this.#openDirectory = openDirectory;
  }

  /**
   * The newest commit, held once more for the caller, who releases its snapshot. `sweep` false
   * leaves the folder as it is. Throws index_not_built, corrupt_index.
   */
  hold({ registered, folder, definition }: KnownIndex, sweep = true): OpenIndex {
    const { uuid } = registered;
    if (sweep && !this.#swept.has(uuid)) {
      sweepIndex(folder, this.#openDirectory);
      this.#swept.add(uuid);
    }
    let open = this.#open.get(uuid);
    if (open === undefined || open.version !== commitVersion(folder)) {
      const analyzerOf = analyzersOf(definition.analyzers);
      const next = openIndex(folder, definition, analyzerOf, this.#openDirectory, open?.snapshot);
      open?.snapshot.release();
      this.#open.set(uuid, next);
      open = next;
    }
    open.snapshot.retain();
    return open;
  }

  /** Pins the newest commit of an index for `ttlMs`. Throws as `pinIndex`. */
  pin({ folder }: KnownIndex, ttlMs: number, now: number): PinnedIndex {
    return pinIndex(folder, this.#openDirectory, ttlMs, now);
  }

  /** A pinned commit, open; the caller releases it. Throws as `openPinnedIndex`. */
  holdPinned({ folder }: KnownIndex, pinned: PinName, now: number): IndexSnapshot {
    return openPinnedIndex(folder, this.#openDirectory, pinned, now);
  }

  /** Releases a pin; false where there is none. */
  unpin({ folder }: KnownIndex, pinned: PinName): boolean {
    return releasePinnedIndex(folder, this.#openDirectory, pinned);
  }

  /** Lets go of an index: its next use opens it again. */
  forget(uuid: string): void {
    this.#open.get(uuid)?.snapshot.release();
    this.#open.delete(uuid);
  }

  /** Lets go of all of them. */
  close(): void {
    for (const open of this.#open.values()) open.snapshot.release();
    this.#open.clear();
  }
}
