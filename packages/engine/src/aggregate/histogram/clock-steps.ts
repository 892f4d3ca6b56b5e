/**
 * Buckets of a fixed length by a zone's clock. A bucket begins whenever the clock shows a multiple
 * of the length since 1970: twice if the clock is set back over it, and at the jump if the clock
 * jumps over it. All in milliseconds since 1970.
 */
/** Milliseconds that a zone's clock is ahead of UTC at an instant. */
export type OffsetAt = (instant: number) => number;

/** The bucket [start, end) of an instant. */
export interface CalendarBucket {
  readonly start: number;
  readonly end: number;
}

const DAY = 86_400_000;

/** The bucket of an instant. */
export function stepBucket(instant: number, length: number, offsetAt: OffsetAt): CalendarBucket {
  const step = { length, offsetAt };
  const shown = Math.floor((instant + offsetAt(instant)) / length) * length;
  const near = shown - offsetAt(instant);
  const start =
    lastStart(instant - DAY, instant, step) ??
    lastStart(near - DAY, Math.min(near + DAY, instant), step) ??
    near;
  const next = near + length;
  const end =
    firstStart(instant + 1, instant + DAY, step) ??
    firstStart(Math.max(next - DAY, instant + 1), next + DAY, step) ??
    next;
  return { start, end };
}

interface Step {
  readonly length: number;
  readonly offsetAt: OffsetAt;
}

/** A time without a change of the clock, both ends inclusive. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
  /** The offset before `from`, if the clock changed there. */
  readonly before?: number;
}

/** The time between two instants, with at most one change of the clock. */
function stretches(from: number, to: number, { offsetAt }: Step): readonly Stretch[] {
  const [before, offset] = [offsetAt(from), offsetAt(to)];
  if (before === offset) return [{ from, to, offset }];
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === before) low = middle;
    else high = middle;
  }
  return [
    { from, to: low, offset: before },
    { from: high, to, offset, before },
  ];
}

function lastStart(from: number, to: number, step: Step): number | undefined {
  for (const stretch of stretches(from, to, step).toReversed()) {
    const start = Math.floor((stretch.to + stretch.offset) / step.length) * step.length;
    if (start - stretch.offset >= stretch.from) return start - stretch.offset;
    if (jumpsOver(stretch, step)) return stretch.from;
  }
  return undefined;
}

function firstStart(from: number, to: number, step: Step): number | undefined {
  for (const stretch of stretches(from, to, step)) {
    if (jumpsOver(stretch, step)) return stretch.from;
    const start = Math.ceil((stretch.from + stretch.offset) / step.length) * step.length;
    if (start - stretch.offset <= stretch.to) return start - stretch.offset;
  }
  return undefined;
}

/** Whether the clock jumped over a multiple of the length at the begin of a stretch. */
function jumpsOver({ from, offset, before = offset }: Stretch, { length }: Step): boolean {
  if (before >= offset) return false;
  return Math.floor((from + offset - 1) / length) * length >= from + before;
}
