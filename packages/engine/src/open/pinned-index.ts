import { existsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import type { Pin } from '../base/pin-names.ts';
import { extendPin, findPin, openPinned, pinCommit, releasePin } from '../index/commits/pins.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { currentGeneration, type Generation, generationAt } from './index-folder.ts';
import { notBuilt, type OpenDirectory } from './open-index.ts';

/** A pin, and the generation that it lies in. */
export interface PinnedIndex {
  readonly generation: number;
  readonly pin: Pin;
}

/** What names a pin of an index. */
export interface PinName {
  readonly generation: number;
  readonly id: string;
}

const PIN_ATTEMPTS = 5;

/**
 * Pins the newest commit of an index's live generation for `ttlMs`. Should a reindex replace the
 * generation meanwhile, the new one is pinned instead. `id`: as of `pinCommit`. Throws
 * index_not_built, and as `pinCommit`.
 */
export function pinIndex(
  { folder, index }: { readonly folder: string; readonly index: string },
  openDirectory: OpenDirectory,
  ttlMs: number,
  now: number,
  id?: string,
): PinnedIndex {
  for (let attempt = 1; ; attempt++) {
    const live = currentGeneration(folder);
    if (live === null) throw notBuilt({ index });
    try {
      const pin = pinCommit(openDirectory(live.path), ttlMs, now, id);
      if (currentGeneration(folder)?.number === live.number)
        return { generation: live.number, pin };
      releasePin(openDirectory(live.path), pin.id);
    } catch (error) {
      // The generation went while it was being pinned.
      if (currentGeneration(folder)?.number === live.number) throw error;
    }
    if (attempt === PIN_ATTEMPTS) {
      throw new LhsError('index_busy', `index "${index}" is replaced faster than it is read`, {
        hint: 'try again',
      });
    }
  }
}

/**
 * Opens a pinned commit of an index; what it has in common with `former`, which is open, is shared.
 * Throws not_found where it is released or expired.
 */
export function openPinnedIndex(
  folder: string,
  openDirectory: OpenDirectory,
  pinned: PinName,
  now: number,
  former?: IndexSnapshot,
): IndexSnapshot {
  const { path, number } = existing(folder, pinned);
  const shared = former?.generation === number ? former : undefined;
  return openPinned(openDirectory(path), pinned.id, { now, generation: number, former: shared });
}

/**
 * Lets a pin hold for `ttlMs` from now on, once a tenth of that has gone: who uses it often does
 * not write each time. Throws as `openPinnedIndex`.
 */
export function renewPinnedIndex(
  folder: string,
  openDirectory: OpenDirectory,
  pinned: PinName,
  ttlMs: number,
  now: number,
): Pin {
  const directory = openDirectory(existing(folder, pinned).path);
  const pin = findPin(directory, pinned.id, now);
  if (pin.expiresAt >= now + 0.9 * ttlMs) return pin;
  return extendPin(directory, pinned.id, ttlMs, now);
}

/** Releases a pin of an index; false where there is none. */
export function releasePinnedIndex(
  folder: string,
  openDirectory: OpenDirectory,
  pinned: PinName,
): boolean {
  const generation = generationAt(folder, pinned.generation);
  return existsSync(generation.path) && releasePin(openDirectory(generation.path), pinned.id);
}

function existing(folder: string, pinned: PinName): Generation {
  const generation = generationAt(folder, pinned.generation);
  if (existsSync(generation.path)) return generation;
  const message = `there is no point in time "${pinned.id.slice(0, 64)}": closed or expired`;
  throw new LhsError('not_found', message, { hint: 'open a new one' });
}
