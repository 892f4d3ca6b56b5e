import type { WindowStart } from '../../schema/windows.ts';
import type { SegmentEntry } from '../../segment/entry.ts';

const DAY_MS = 86_400_000;

/** Windows that are in the wrong tier. */
export interface Moves {
  readonly cool: readonly WindowStart[];
  readonly warm: readonly WindowStart[];
}

/**
 * The moves that put windows into the tiers of a definition: the `hot` newest windows are hot, the
 * others cold. Windows that begin in the future are hot and do not count; the window of documents
 * without a date stays as it is. A cold window with hot segments is cooled again.
 */
export function movesOf(
  segments: readonly SegmentEntry[],
  hot: number | undefined,
  now: number,
): Moves {
  if (hot === undefined) return { cool: [], warm: [] };
  const today = now / DAY_MS;
  const starts = [...new Set(segments.map(({ window = null }) => window))]
    .filter((start) => start !== null)
    .sort((a, b) => b - a);
  const past = starts.filter((start) => start <= today);
  const cold = new Set(past.slice(hot));
  const has = (start: number, wanted: boolean) =>
    segments.some((entry) => entry.window === start && (entry.cold !== undefined) === wanted);
  return {
    cool: starts.filter((start) => cold.has(start) && has(start, false)).reverse(),
    warm: starts.filter((start) => !cold.has(start) && has(start, true)),
  };
}
