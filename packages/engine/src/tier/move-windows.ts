/** Moves the windows of an index between the tiers, one commit each. */
import type {
  CallContext,
  MoveWindowsRequest,
  MoveWindowsResponse,
} from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { type Commit, readCommit } from '../index/commit.ts';
import { findWindow } from '../open/describe-windows.ts';
import { currentGeneration } from '../open/index-folder.ts';
import { notBuilt } from '../open/open-index.ts';
import { resolvePath } from '../schema/resolve-catalog.ts';
import { type WindowStart, windowName } from '../schema/windows.ts';
import { refuseAborted } from '../source/source-errors.ts';
import type { LockedIndex } from '../sync/locked-index.ts';
import { coolSegments, copying, warmSegments } from './move-window.ts';
import { placesOf, sweepObjects } from './sweep-objects.ts';
import { type Moves, movesOf } from './tier-policy.ts';

/** An index whose lock is held. */
export type TieredIndex = Omit<LockedIndex, 'table'> & { readonly uuid: string };

/**
 * Moves windows by name, and those that the definition wants elsewhere if `apply` is set. Windows
 * that were moved before an error stay moved. Throws not_found, invalid_argument (the definition
 * has no storage), unreachable, corrupt_index, interrupted.
 */
export async function moveWindows(
  index: TieredIndex,
  request: Omit<MoveWindowsRequest, 'index'>,
  now: number,
  work: CallContext,
): Promise<Omit<MoveWindowsResponse, 'index' | 'took_ms'>> {
  const { folder, definition, openDirectory, lock, uuid } = index;
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition.index);
  const directory = openDirectory(live.path, () => lock.assertHeld());
  const commit = readCommit(directory);
  if (commit === null) throw notBuilt(definition.index);
  const moves = plannedMoves(index, commit, request, now);
  const name = (start: WindowStart) => windowName(start, commit.windows?.every ?? 'day');
  const { storage } = definition;
  const place = storage === undefined ? null : resolvePath(storage, index.baseDir);
  if (place === null && moves.cool.length > 0) throw noStorage(definition.index);
  const swept = { folder, uuid, openDirectory, now };
  const places = new Set([...placesOf(swept), ...(place === null ? [] : [place])]);
  const cooled: string[] = [];
  const warmed: string[] = [];
  const inTier = (start: WindowStart, cold: boolean) =>
    commit.segments.filter(
      (entry) => entry.window === start && (entry.cold !== undefined) === cold,
    );
  const cool = moves.cool.map((start) => ({ start, entries: inTier(start, false) }));
  const warm = moves.warm.map((start) => ({ start, entries: inTier(start, true) }));
  const { signal } = work;
  const figures = copying(
    [...cool, ...warm].flatMap(({ entries }) => entries),
    work,
  );
  for (const { start, entries } of warm) {
    refuseAborted(signal);
    if (entries.length > 0) await warmSegments({ directory, signal, ...figures }, entries);
    warmed.push(name(start));
  }
  for (const { start, entries } of cool) {
    refuseAborted(signal);
    const cold = { place: place!, prefix: `${uuid}/${live.number}/` };
    if (entries.length > 0) await coolSegments({ directory, signal, ...figures }, entries, cold);
    cooled.push(name(start));
  }
  const objects_removed = await sweepObjects(swept, places);
  return { cooled, warmed, bytes_copied: figures.bytes, objects_removed };
}

function plannedMoves(
  { definition }: TieredIndex,
  commit: Commit,
  { cool = [], warm = [], apply = false }: Omit<MoveWindowsRequest, 'index'>,
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
