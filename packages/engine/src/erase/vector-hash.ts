import { mixBytes } from '../base/bytes/two-lane-hash.ts';

const LOW_SEED = 0x6c687661;
const HIGH_SEED = 0x76656331;
const HIGH_BITS = 0x1f_ffff;

/**
 * 53 bits of a vector in fixed point, as cache records and segments hold it: equal vectors have
 * equal hashes.
 */
export class VectorHash {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #codes: Int16Array;
  readonly #lanes = new Int32Array(2);

  constructor(dims: number) {
    this.#bytes = new Uint8Array(8 + 2 * dims);
    this.#view = new DataView(this.#bytes.buffer);
    this.#codes = new Int16Array(this.#bytes.buffer, 8, dims);
  }

  /** Room for the codes of the next vector. */
  get codes(): Int16Array {
    return this.#codes;
  }

  /** The hash of `codes` under a scale. */
  of(scale: number): number {
    this.#view.setFloat32(4, scale, true);
    const lanes = this.#lanes;
    lanes[0] = LOW_SEED;
    lanes[1] = HIGH_SEED;
    mixBytes(lanes, 0, this.#view, 4, this.#bytes.length);
    return (lanes[1] & HIGH_BITS) * 2 ** 32 + (lanes[0] >>> 0);
  }
}
