/** Moves the windows of an index between the tiers, one commit each. */
import {
  type CallContext,
  LhsError,
  type MoveWindowsRequest,
  type MoveWindowsResponse,
} from '@lakehouse-search/contract';
import { type Commit, readCommit } from '../../index/commits/commit.ts';
import { findWindow } from '../../open/describe-windows.ts';
import { currentGeneration } from '../../open/index-folder.ts';
import { notBuilt } from '../../open/open-index.ts';
import { type WindowStart, windowName } from '../../schema/windows.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import type { LockedIndex } from '../../sync/locked-index.ts';
import { formerPlaces, sweepFormer } from './former-objects.ts';
import { coolSegments, fetchFigures, warmSegments } from './move-window.ts';
import { type Moves, movesOf } from './tier-policy.ts';

/** An index whose lock is held, published as it is. */
type TieredIndex = Omit<LockedIndex, 'table'> & { readonly uuid: string };

type MoveRequest = Omit<MoveWindowsRequest, 'index'>;

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
): Promise<Omit<MoveWindowsResponse, 'index' | 'took_ms'>> {
  const { folder, definition, openDirectory, lock, uuid } = index;
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition);
  const directory = openDirectory(live.path, () => lock.assertHeld());
  const commit = readCommit(directory);
  if (commit === null) throw notBuilt(definition);
  const { cool, warm } = plannedMoves(index, commit, request, now);
  if (lock.find === undefined && cool.length > 0) throw noStorage(definition.index);
  const here = { folder, uuid, openDirectory, now };
  const former = formerPlaces(here);
  const segmentsOf = (start: WindowStart, isCold: boolean): readonly SegmentEntry[] =>
    commit.segments.filter(
      (entry) => entry.window === start && (entry.cold !== undefined) === isCold,
    );
  const nameOf = (start: WindowStart) => windowName(start, commit.windows?.every ?? 'day');
  const figures = fetchFigures(
    warm.flatMap((start) => segmentsOf(start, true)),
    work,
  );
  const { signal } = work;
  for (const start of warm) {
    refuseAborted(signal);
    const segments = segmentsOf(start, true);
    if (segments.length > 0) await warmSegments(directory, segments, { signal, ...figures });
  }
  for (const start of cool) {
    refuseAborted(signal);
    const segments = segmentsOf(start, false);
    if (segments.length > 0) await coolSegments(directory, segments, lock.find!);
  }
  const objects_removed = await sweepFormer(here, former);
  const moved = { cooled: cool.map(nameOf), warmed: warm.map(nameOf) };
  return { ...moved, bytes_copied: figures.bytes, objects_removed };
}

function plannedMoves(
  { definition }: TieredIndex,
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
