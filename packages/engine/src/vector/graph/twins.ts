import { hashBytes } from '../../base/bytes/hash-bytes.ts';
import type { VectorReader } from '../vector-reader.ts';

/**
 * Which vectors are the same, to the last bit: a graph links the first of them, the others hang on
 * it. Were they linked, each would have none but its like for neighbours, and no way would lead
 * away from or to them.
 */
export class Twins {
  /** The next vector that is the same as that of a slot; -1: none. */
  readonly next: Int32Array;
  readonly #reader: VectorReader;
  readonly #low: Uint8Array;
  /** Hash -> first slots of vectors that differ. */
  readonly #firsts = new Map<number, number[]>();

  constructor(reader: VectorReader) {
    const { low, count } = reader;
    this.#reader = reader;
    this.#low = new Uint8Array(low.buffer, low.byteOffset, low.length);
    this.next = new Int32Array(count).fill(-1);
  }

  /** Hangs a vector on the first that is the same; false: it is the first one now. */
  join(slot: number): boolean {
    const { row } = this.#reader;
    const hash = hashBytes(this.#low, slot * row, (slot + 1) * row);
    const firsts = this.#firsts.get(hash);
    const first = firsts?.find((other) => this.#same(other, slot));
    if (first === undefined) {
      if (firsts === undefined) this.#firsts.set(hash, [slot]);
      else firsts.push(slot);
      return false;
    }
    this.next[slot] = this.next[first];
    this.next[first] = slot;
    return true;
  }

  #same(a: number, b: number): boolean {
    const { scales, head, tail, low, headRow, tailRow, row } = this.#reader;
    return (
      scales[a] === scales[b] &&
      sameRows(low, a, b, row) &&
      sameRows(head, a, b, headRow) &&
      sameRows(tail, a, b, tailRow)
    );
  }
}

function sameRows(plane: Int8Array, a: number, b: number, row: number): boolean {
  for (let i = 0; i < row; i++) if (plane[a * row + i] !== plane[b * row + i]) return false;
  return true;
}
