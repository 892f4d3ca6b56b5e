/**
 * How often a process looks at files that another process may replace. A look holds until the event
 * loop turns, for `LOOK_MS` at most, and until this process replaces such a file itself. Word of a
 * change that another process made arrives in a later turn, so a read that follows it looks again.
 */
const LOOK_MS = 1;

let period = 0;
let endsAt = 0;
let ends = false;

/** The period in which a look holds: one that was made in another period is made again. */
export function lookPeriod(): number {
  const now = performance.now();
  if (now < endsAt) return period;
  endsAt = now + LOOK_MS;
  if (!ends) {
    ends = true;
    setImmediate(() => {
      ends = false;
      endsAt = 0;
    });
  }
  return ++period;
}

/** Ends the period: this process has replaced a file, or the next look must not be an old one. */
export function endLookPeriod(): void {
  endsAt = 0;
}
