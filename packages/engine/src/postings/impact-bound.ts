/** Bounds are widened by this against rounding. */
const ROUNDING = 1 + 1e-12;

/**
 * Impacts, tf / (tf + norm), are stored by the segment's own average length a; by another average
 * A, with s = A / a, an impact x is at most x s / (1 + x (s - 1)) where s > 1, and at most x else.
 */
export function raiseImpact(impact: number, scale: number): number {
  return scale > 1 ? ((impact * scale) / (1 + impact * (scale - 1))) * ROUNDING : impact;
}
