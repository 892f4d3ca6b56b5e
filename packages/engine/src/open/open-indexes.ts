import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { analyzersOf } from './definition-analyzers.ts';
import {
  commitVersion,
  type KnownIndex,
  type OpenDirectory,
  type OpenIndex,
  openIndex,
  sweepIndex,
} from './open-index.ts';
import { OpenPins } from './open-pins.ts';
import type { PinName, PinnedIndex } from './pinned-index.ts';

export type { KnownIndex };

/**
 * The indexes that a process has open, each at its newest commit. When an index is opened for the
 * first time, what dead processes left in its folder is removed.
 */
export class OpenIndexes {
  readonly #openDirectory: OpenDirectory;
  readonly #open = new Map<string, OpenIndex>();
  readonly #swept = new Set<string>();
  readonly #pins: OpenPins;
  readonly #replaced: (former: IndexSnapshot, now: IndexSnapshot | null) => void;

  /** `replaced` is told when a commit gives way to the next one, or is let go (null). */
  constructor(
    openDirectory: OpenDirectory,
    replaced: (former: IndexSnapshot, now: IndexSnapshot | null) => void = () => {},
  ) {
    this.#openDirectory = openDirectory;
    this.#replaced = replaced;
    this.#pins = new OpenPins(openDirectory);
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
      this.#pins.sweep(Date.now());
      const analyzerOf = analyzersOf(definition.analyzers);
      const next = openIndex(folder, definition, analyzerOf, this.#openDirectory, open?.snapshot);
      if (open !== undefined) this.#replaced(open.snapshot, next.snapshot);
      open?.snapshot.release();
      this.#open.set(uuid, next);
      open = next;
    }
    open.snapshot.retain();
    return open;
  }

  /** Pins the newest commit of an index for `ttlMs`. Throws as `pinIndex`. */
  pin(known: KnownIndex, ttlMs: number, now: number): PinnedIndex {
    return this.#pins.pin(known, ttlMs, now);
  }

  /**
   * A pinned commit, held once more for the caller, who releases it; it is kept for `ttlMs` from
   * now on. Throws as `openPinnedIndex`.
   */
  holdPinned(known: KnownIndex, pinned: PinName, ttlMs: number, now: number): OpenIndex {
    const former = this.#open.get(known.registered.uuid)?.snapshot;
    return this.#pins.hold(known, pinned, { ttlMs, now, former });
  }

  /** Releases a pin; false where there is none. */
  unpin(known: KnownIndex, pinned: PinName): boolean {
    return this.#pins.release(known, pinned);
  }

  /** Lets go of an index: its next use opens it again. */
  forget(uuid: string): void {
    const open = this.#open.get(uuid);
    if (open !== undefined) this.#replaced(open.snapshot, null);
    open?.snapshot.release();
    this.#open.delete(uuid);
    this.#pins.forget(uuid);
  }

  /** Lets go of all of them. */
  close(): void {
    for (const open of this.#open.values()) open.snapshot.release();
    this.#open.clear();
    this.#pins.close();
  }
}
