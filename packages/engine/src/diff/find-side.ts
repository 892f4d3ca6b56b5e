/**
 * Where the index at a moment is: the newest commit, a commit that a point in time holds, a kept
 * generation, another index of the table, or nowhere, so that it is built from the table.
 */

import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { heldPins } from '../base/pin-names.ts';
import { type Commit, readCommit } from '../index/commits/commit.ts';
import { pinnedCommit } from '../index/commits/pins.ts';
import { openSnapshot } from '../index/index-snapshot.ts';
import { currentGeneration, generationAt, generationNumbers } from '../open/index-folder.ts';
import {
  type KnownIndex,
  type OpenDirectory,
  type OpenIndex,
  withMapping,
} from '../open/open-index.ts';
import { openPinnedIndex, type PinName } from '../open/pinned-index.ts';
import type { Registry } from '../registry/registry.ts';
import { namedSnapshot } from '../source/source-table.ts';

const GENERATION = /^generation:(\d{1,9})$/;
const PIT = /^pit:(.+)$/;
const INDEX = /^index:(.+)$/;

/** An index with its generations. */
export interface SidePlaces {
  readonly registry: Registry;
  readonly openDirectory: OpenDirectory;
  readonly known: KnownIndex;
  readonly table: SourceTable;
  readonly now: number;
  /** The newest commit, held for the caller. */
  readonly hold: () => OpenIndex;
  /** A point in time, held for the caller. */
  readonly holdPit: (pitId: string) => OpenIndex;
  /** Another index of the table, held for the caller. */
  readonly holdIndex: (name: string) => OtherIndex;
}

/** Another index of a table at its newest commit. */
export interface OtherIndex {
  readonly kind: 'index';
  readonly index: string;
  readonly open: OpenIndex;
}

/** A side before it is opened or built. */
export type FoundSide =
  | { readonly kind: 'live' | 'point_in_time' | 'kept'; readonly open: OpenIndex }
  | OtherIndex
  | { readonly kind: 'built'; readonly snapshotId: bigint };

/**
 * Finds a side by its name. Throws not_found for an unknown snapshot, generation or point in time,
 * index_not_found, invalid_argument for an index of another table, corrupt_index.
 */
export function findSide(places: SidePlaces, name: string): FoundSide {
  if (name === 'now') return { kind: 'live', open: places.hold() };
  const generation = GENERATION.exec(name)?.[1];
  if (generation !== undefined) return openGeneration(places, Number(generation));
  const pit = PIT.exec(name)?.[1];
  if (pit !== undefined) return { kind: 'point_in_time', open: places.holdPit(pit) };
  const other = INDEX.exec(name)?.[1];
  if (other !== undefined) return places.holdIndex(other);
  const id = namedSnapshot(places.table, name);
  return commitAt(places, String(id)) ?? { kind: 'built', snapshotId: id };
}

/** A commit on disk that shows a snapshot. */
function commitAt(places: SidePlaces, snapshot: string): FoundSide | null {
  const { known, registry, openDirectory, now } = places;
  const live = currentGeneration(known.folder);
  const named = registry.generations.named(known.registered.uuid, now);
  const kept = named.filter(({ state }) => state === 'kept').map(({ number }) => number);
  const numbers = generationNumbers(known.folder).toSorted((a, b) => b - a);
  const isWanted = (commit: Commit | null) =>
    commit?.checkpoint?.snapshot_id === snapshot && commit.checkpoint.partial !== true;
  for (const number of numbers) {
    const directory = openDirectory(generationAt(known.folder, number).path);
    const isKept = number === live?.number || kept.includes(number);
    if (isKept && isWanted(readCommit(directory))) return openGeneration(places, number);
    for (const pin of heldPins(directory.list(), now)) {
      const name: PinName = { generation: number, id: pin.id };
      if (isWanted(pinned(() => pinnedCommit(directory, pin.id, now))))
        return openPin(places, name);
    }
  }
  return null;
}

/** Null if a pin is gone or is being written. */
function pinned<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof LhsError) return null;
    throw error;
  }
}

function openPin({ known, openDirectory, now }: SidePlaces, name: PinName): FoundSide {
  const snapshot = openPinnedIndex(known.folder, openDirectory, name, now);
  const open = withMapping(snapshot, `pin:${name.id}`, known.definitionOf);
  return { kind: 'point_in_time', open };
}

function openGeneration(places: SidePlaces, number: number): FoundSide {
  const { known, registry, openDirectory, now } = places;
  if (currentGeneration(known.folder)?.number === number) {
    return { kind: 'live', open: places.hold() };
  }
  const named = registry.generations.named(known.registered.uuid, now);
  if (!named.some((one) => one.number === number && one.state === 'kept')) {
    const kept = named.filter(({ state }) => state === 'kept').map((one) => one.number);
    const message = `index "${known.registered.name}" has no generation ${number}`;
    throw new LhsError('not_found', message, {
      hint: kept.length === 0 ? 'no former generation is kept' : `kept: ${kept.join(', ')}`,
    });
  }
  const directory = openDirectory(generationAt(known.folder, number).path);
  const snapshot = openSnapshot(directory, { generation: number });
  const open = withMapping(snapshot, `generation:${number}`, known.definitionOf);
  return { kind: 'kept', open };
}
