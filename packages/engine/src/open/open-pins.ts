import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { type KnownIndex, type OpenDirectory, type OpenIndex, withMapping } from './open-index.ts';
import {
  openPinnedIndex,
  type PinName,
  type PinnedIndex,
  pinIndex,
  releasePinnedIndex,
  renewPinnedIndex,
} from './pinned-index.ts';

/** Pinned commits that a process keeps open between two uses; others are opened again. */
const KEPT_OPEN = 16;

interface OpenPin {
  readonly uuid: string;
  readonly expiresAt: number;
  readonly open: OpenIndex;
}

/**
 * The pinned commits that a process has open, the last used last. Whether a pin still holds is
 * asked of its folder at each use: another process may have closed it.
 */
export class OpenPins {
  readonly #openDirectory: OpenDirectory;
  readonly #open = new Map<string, OpenPin>();

  constructor(openDirectory: OpenDirectory) {
    this.#openDirectory = openDirectory;
  }

  /** Pins the newest commit of an index for `ttlMs`. Throws as `pinIndex`. */
  pin({ folder, definition }: KnownIndex, ttlMs: number, now: number, id: string): PinnedIndex {
    return pinIndex({ folder, index: definition.index }, this.#openDirectory, ttlMs, now, id);
  }

  /**
   * A pinned commit, held once more for the caller, who releases it; the pin holds for `ttlMs` from
   * now on. Throws not_found where it is released or expired, corrupt_index.
   */
  hold(
    known: KnownIndex,
    pinned: PinName,
    use: { readonly ttlMs: number; readonly now: number; readonly former?: IndexSnapshot },
  ): OpenIndex {
    const name = nameOf(known, pinned);
    const { expiresAt } = this.#renewed(known, pinned, use);
    const open = this.#open.get(name)?.open ?? this.#openPin(known, pinned, use);
    this.#open.delete(name);
    this.#open.set(name, { uuid: known.registered.uuid, expiresAt, open });
    for (const [oldest] of this.#open) {
      if (this.#open.size <= KEPT_OPEN) break;
      this.#drop(oldest);
    }
    open.snapshot.retain();
    return open;
  }

  /** Releases a pin; false where there is none. */
  release(known: KnownIndex, pinned: PinName): boolean {
    this.#drop(nameOf(known, pinned));
    return releasePinnedIndex(known.folder, this.#openDirectory, pinned);
  }

  /** Lets go of the pinned commits of an index. */
  forget(uuid: string): void {
    for (const [name, pin] of this.#open) if (pin.uuid === uuid) this.#drop(name);
  }

  /** Lets go of what expired unused: its files would stay on the disk while they are mapped. */
  sweep(now: number): void {
    for (const [name, { expiresAt }] of this.#open) if (expiresAt <= now) this.#drop(name);
  }

  /** Lets go of all of them. The pins stay. */
  close(): void {
    for (const name of this.#open.keys()) this.#drop(name);
  }

  #renewed(
    known: KnownIndex,
    pinned: PinName,
    use: { readonly ttlMs: number; readonly now: number },
  ) {
    try {
      return renewPinnedIndex(known.folder, this.#openDirectory, pinned, use.ttlMs, use.now);
    } catch (error) {
      this.#drop(nameOf(known, pinned));
      throw error;
    }
  }

  #openPin(
    { folder, definitionOf }: KnownIndex,
    pinned: PinName,
    { now, former }: { readonly now: number; readonly former?: IndexSnapshot },
  ): OpenIndex {
    const snapshot = openPinnedIndex(folder, this.#openDirectory, pinned, now, former);
    return withMapping(snapshot, `pin:${pinned.id}`, definitionOf);
  }

  #drop(name: string): void {
    this.#open.get(name)?.open.snapshot.release();
    this.#open.delete(name);
  }
}

const nameOf = ({ registered }: KnownIndex, { generation, id }: PinName): string =>
  `${registered.uuid}/${generation}/${id}`;
