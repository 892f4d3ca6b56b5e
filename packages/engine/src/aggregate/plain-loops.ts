/** The loops of aggregations in plain JavaScript: what the kernels are held to. */
import { bucketOf } from './bucket-line.ts';
import type { Codes } from './code-loops.ts';
import { countCodes, sumCodes } from './code-loops.ts';
import { DoubleLanes } from './double-lanes.ts';
import type { AggregateLoops, BucketLine } from './loops.ts';

/** Calls `visit` with every document of both bitmaps. */
export function forBoth(bits: Int32Array, present: Int32Array, visit: (doc: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i] & present[i]; word !== 0; word &= word - 1) {
      visit((i << 5) + 31 - Math.clz32(word & -word));
    }
  }
}

/** Plain loops, for columns anywhere. */
export const PLAIN_LOOPS: AggregateLoops = Object.freeze({
  countCodes,
  countBuckets(
    values: Uint32Array | BigInt64Array,
    bits: Int32Array,
    present: Int32Array,
    line: BucketLine,
  ) {
    const counts = new Int32Array(line.lasts.length);
    forBoth(bits, present, (doc) => {
      counts[bucketOf(line, values[doc])]++;
    });
    return counts;
  },
  sumCodes: (codes: Codes, bits: Int32Array, present: Int32Array) => sumCodes(codes, bits, present),
  sumWide(values: BigInt64Array, bits: Int32Array, present: Int32Array) {
    let [count, sum, min, max] = [0, 0n, 2n ** 63n - 1n, -(2n ** 63n)];
    forBoth(bits, present, (doc) => {
      const value = values[doc];
      count++;
      sum += value;
      if (value < min) min = value;
      if (value > max) max = value;
    });
    return { count, sum, min, max };
  },
  sumDoubles(values: BigInt64Array, bits: Int32Array, present: Int32Array) {
    const lanes = new DoubleLanes();
    return lanes.finish(lanes.add(values, bits, present));
  },
});
