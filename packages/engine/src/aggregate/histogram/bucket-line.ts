/** Buckets that lie next to one another, found by one look at a grid and one comparison. */
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import type { BucketLine } from '../loops/loops.ts';

/** Beyond, buckets are found one by one. */
export const LINE_BUCKETS = 65_536;
const MOST_CELLS = 1 << 20;
const CODE_END = 0xffff_ffff;
const WIDE_END = 2n ** 64n - 1n;

/**
 * The line of buckets that begin at `starts` (rising; the first one is not above the column's
 * least value, the last one not above its greatest) over a column of 32-bit codes or 64-bit values;
 * null where a grid would be too fine.
 */
export function bucketLine(column: NumericColumn, starts: readonly bigint[]): BucketLine | null {
  const { base, gcd, min, max } = column;
  const wide = column.wide !== null;
  const [first, unit] = wide ? [min, 1n] : [base, gcd];
  // The last x below a start; x of a value is (value - first) / unit.
  const before = starts.slice(1).map((start) => (start - 1n - first) / unit);
  const least = narrowest(before);
  if (least < 1n) return null;
  const shift = Math.min(least.toString(2).length - 1, wide ? 62 : 31);
  const cells = (((max - first) / unit) >> BigInt(shift)) + 1n;
  if (cells > MOST_CELLS) return null;
  return { first, shift, ...grid(before, wide, BigInt(shift), Number(cells)) };
}

/** The width of the narrowest bucket that has both neighbours; the widest number without any. */
function narrowest(before: readonly bigint[]): bigint {
  let least = WIDE_END >> 1n;
  for (let i = 1; i < before.length; i++) {
    const width = before[i] - before[i - 1];
    if (width < least) least = width;
  }
  return least;
}

function grid(before: readonly bigint[], wide: boolean, shift: bigint, size: number) {
  const cells = new Int32Array(size);
  const firsts = before.map((last) => Number(last >> shift) + 1);
  firsts.forEach((cell, i) => {
    cells.fill(i + 1, cell, firsts[i + 1] ?? size);
  });
  if (wide) return { cells, lasts: BigUint64Array.from([...before, WIDE_END]) };
  return { cells, lasts: Uint32Array.from([...before.map(Number), CODE_END]) };
}

/** The bucket of a code (below 2^32) or of a 64-bit value. */
export function bucketOf(line: BucketLine, value: number | bigint): number {
  const { shift, cells, lasts, first } = line;
  if (typeof value === 'number') {
    const bucket = cells[value >>> shift];
    return value > lasts[bucket] ? bucket + 1 : bucket;
  }
  const x = value - first;
  const bucket = cells[Number(x >> BigInt(shift))];
  return x > lasts[bucket] ? bucket + 1 : bucket;
}
