import { doubleFromWords } from '../../base/arrays/ordered-double.ts';
import { addToLane, laneSum, SUM_LANES } from './exact-sum.ts';
import type { DoubleSums } from './loops.ts';

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;
/** Bytes of lanes in memory: sums, what they lost, bounds. */
export const LANE_BYTES = 16 * SUM_LANES + 16;

/** Sums of doubles in the making: eight lanes and the bounds, side by side in memory. */
export class DoubleLanes {
  readonly #sums: Float64Array;
  readonly #lost: Float64Array;
  readonly #bounds: BigInt64Array;

  constructor(buffer: ArrayBufferLike = new ArrayBuffer(LANE_BYTES), at = 0) {
    this.#sums = new Float64Array(buffer, at, SUM_LANES).fill(0);
    this.#lost = new Float64Array(buffer, at + 8 * SUM_LANES, SUM_LANES).fill(0);
    this.#bounds = new BigInt64Array(buffer, at + 16 * SUM_LANES, 2);
    this.#bounds[0] = GREATEST;
    this.#bounds[1] = LEAST;
  }

  /** Adds the documents of both bitmaps from word `from` of 32 on; returns how many. */
  add(values: BigInt64Array, bits: Int32Array, present: Int32Array, from = 0): number {
    const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    let count = 0;
    for (let i = from; i < bits.length; i++) {
      for (let word = bits[i] & present[i]; word !== 0; word &= word - 1) {
        const doc = (i << 5) + 31 - Math.clz32(word & -word);
        const value = doubleFromWords(words[2 * doc], words[2 * doc + 1]);
        addToLane(this.#sums, this.#lost, doc & (SUM_LANES - 1), value);
        this.#bound(values[doc]);
        count++;
      }
    }
    return count;
  }

  #bound(ordered: bigint): void {
    if (ordered < this.#bounds[0]) this.#bounds[0] = ordered;
    if (ordered > this.#bounds[1]) this.#bounds[1] = ordered;
  }

  /** What `count` documents come to. */
  finish(count: number): DoubleSums {
    const [min, max] = this.#bounds;
    return { count, sum: laneSum(this.#sums, this.#lost), min, max };
  }
}
