/** Moves the windows of an index between the tiers, one commit each. */
import {
  type CallContext,
  LhsError,
  type MoveWindowsRequest,
  type MoveWindowsResponse,
} from '@lakehouse-search/contract';
import { type Commit, readCommit } from '../index/commits/commit.ts';
import { findWindow } from '../open/describe-windows.ts';
import { currentGeneration } from '../open/index-folder.ts';
import { notBuilt } from '../open/open-index.ts';
import { storagePlace } from '../schema/parse/resolve-definition.ts';
import { type WindowStart, windowName } from '../schema/windows.ts';
import type { SegmentEntry } from '../segment/entry.ts';
import { refuseAborted } from '../source/source-errors.ts';
import type { LockedIndex } from '../sync/locked-index.ts';
import { coolSegments, copyAhead, copyFigures, warmSegments } from './move-window.ts';
import { placesOf, sweepObjects } from './sweep-objects.ts';
import { type Moves, movesOf } from './tier-policy.ts';

/** An index whose lock is held. */
export type TieredIndex = Omit<LockedIndex, 'table'> & { readonly uuid: string };

/** An index whose lock need not be held. */
export type UnlockedIndex = Omit<TieredIndex, 'lock'>;

type MoveRequest = Omit<MoveWindowsRequest, 'index'>;

/** What was copied to the store before the index was locked. */
export interface CopiedAhead {
  readonly place: string | null;
  readonly keys: ReadonlySet<string>;
  readonly bytes: number;
}

/**
 * Copies the files of windows that will be cooled to the store, so that the move needs the lock for
 * its commits only. Other writers may merge segments meanwhile: `moveWindows` copies what lacks.
 * Throws as `moveWindows`.
 */
export async function copyWindowsAhead(
  index: UnlockedIndex,
  request: MoveRequest,
  now: number,
  work: CallContext,
): Promise<CopiedAhead> {
  const { signal } = work;
  const { directory, cool, warm, place, prefix } = planMoves(index, request, now);
  const keys = new Set<string>();
  const figures = copyFigures([...cool, ...warm].flatMap(entriesOf), work);
  for (const { entries } of cool) {
    const cold = { place: place!, prefix };
    const copied = await copyAhead({ directory, signal, ...figures }, entries, cold);
    for (const key of copied) keys.add(key);
  }
  return { place, keys, bytes: figures.bytes };
}

/**
 * Moves windows by name, and those that the definition wants elsewhere if `apply` is set. Windows
 * that were moved before an error stay moved. Throws not_found, invalid_argument (the definition
 * has no storage), unreachable, corrupt_index, interrupted.
 */
export async function moveWindows(
  index: TieredIndex,
  request: MoveRequest,
  now: number,
  work: CallContext,
  before: CopiedAhead = { place: null, keys: new Set(), bytes: 0 },
): Promise<Omit<MoveWindowsResponse, 'index' | 'took_ms'>> {
  const { folder, openDirectory, lock, uuid } = index;
  const plan = planMoves(index, request, now, () => lock.assertHeld());
  const { directory, cool, warm, place, prefix } = plan;
  const swept = { folder, uuid, openDirectory, now };
  const places = new Set([...placesOf(swept), ...(place === null ? [] : [place])]);
  const cooled: string[] = [];
  const warmed: string[] = [];
  const { signal } = work;
  const figures = copyFigures([...cool, ...warm].flatMap(entriesOf), work, before.bytes);
  const ahead = before.place === place ? before.keys : undefined;
  const tier = { directory, signal, ahead, ...figures };
  for (const { name, entries } of warm) {
    refuseAborted(signal);
    if (entries.length > 0) await warmSegments(tier, entries);
    warmed.push(name);
  }
  for (const { name, entries } of cool) {
    refuseAborted(signal);
    if (entries.length > 0) await coolSegments(tier, entries, { place: place!, prefix });
    cooled.push(name);
  }
  const objects_removed = await sweepObjects(swept, places);
  return { cooled, warmed, bytes_copied: figures.bytes, objects_removed };
}

/** A window that moves, with its segments in the other tier. */
interface WindowMove {
  readonly name: string;
  readonly entries: readonly SegmentEntry[];
}

const entriesOf = ({ entries }: WindowMove): readonly SegmentEntry[] => entries;

/** The moves of a request by the newest commit. */
function planMoves(index: UnlockedIndex, request: MoveRequest, now: number, fence?: () => void) {
  const { folder, definition, openDirectory, uuid } = index;
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition.index);
  const directory = openDirectory(live.path, fence);
  const commit = readCommit(directory);
  if (commit === null) throw notBuilt(definition.index);
  const moves = plannedMoves(index, commit, request, now);
  const { storage } = definition;
  const place = storage === undefined ? null : storagePlace(storage, index.baseDir);
  if (place === null && moves.cool.length > 0) throw noStorage(definition.index);
  const moved = (start: WindowStart, isCold: boolean): WindowMove => ({
    name: windowName(start, commit.windows?.every ?? 'day'),
    entries: commit.segments.filter(
      (entry) => entry.window === start && (entry.cold !== undefined) === isCold,
    ),
  });
  const cool = moves.cool.map((start) => moved(start, false));
  const warm = moves.warm.map((start) => moved(start, true));
  return { directory, place, prefix: `${uuid}/${live.number}/`, cool, warm };
}

function plannedMoves(
  { definition }: UnlockedIndex,
  commit: Commit,
  { cool = [], warm = [], apply = false }: MoveRequest,
  now: number,
): Moves {
  const { index, windows } = definition;
  const start = (name: string) => findWindow(name, commit, index);
  if (commit.windows === undefined) findWindow('', commit, index);
  const both = cool.find((name) => warm.includes(name));
  if (both !== undefined) {
    throw new LhsError('invalid_argument', `window "${both}" is named twice: to cool and to warm`);
  }
  const own = apply ? movesOf(commit.segments, windows?.hot, now) : { cool: [], warm: [] };
  const named = { cool: cool.map(start), warm: warm.map(start) };
  const without = (all: readonly WindowStart[], others: readonly WindowStart[]) =>
    all.filter((one) => !others.includes(one));
  return {
    cool: [...new Set([...named.cool, ...without(own.cool, named.warm)])],
    warm: [...new Set([...named.warm, ...without(own.warm, named.cool)])],
  };
}

const noStorage = (index: string) =>
  new LhsError('invalid_argument', `index "${index}" has no "storage" for cold windows`, {
    hint: 'name a folder or s3://bucket/prefix as "storage" in its definition',
  });
