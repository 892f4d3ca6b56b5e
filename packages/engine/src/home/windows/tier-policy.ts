import type { WindowStart } from '../../schema/windows.ts';
import { WINDOW_FORM } from '../../segment/cool.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import type { FilledFolder } from '../bring-commit.ts';

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

/** Windows that are cold here stay so; of a generation that is new here, all but the `hot` newest. */
export const tiersHere =
  (hot: number | undefined, now: number): FilledFolder['formOf'] =>
  (next, former) => {
    const cool = new Set(former === null ? movesOf(next.segments, hot, now).cool : []);
    const cold = new Set(former?.segments.flatMap((one) => (one.cold === undefined ? [] : one.id)));
    return ({ id, window = null }) => (cold.has(id) || cool.has(window) ? WINDOW_FORM : null);
  };
