import { ByteSink, IntSink } from '../base/growing.ts';
import { sortByteStrings } from '../base/sort-bytes.ts';

/**
 * Rows of the table without an equal document at their row position. Their keys, row positions and
 * hashes are stored until the whole table was read: only then can they be settled.
 */
export class UnmatchedRows {
  readonly #keys = new ByteSink();
  readonly #offsets = new IntSink();
  readonly #files = new IntSink();
  readonly #positions = new IntSink();
  /** Four per row: key hash low, high, row hash low, high. */
  readonly #lanes = new IntSink();

  constructor() {
    this.#offsets.push(0);
  }

  get count(): number {
    return this.#files.length;
  }

  /** Bytes of memory used. */
  get bytes(): number {
    return this.#keys.length + 28 * this.count;
  }

  /** Adds a row with key bytes[from .. to); `hash`: the lanes of its key hash. */
  add(
    bytes: Uint8Array,
    from: number,
    to: number,
    rowPosition: { readonly file: number; readonly position: number },
    hash: Int32Array,
    rowLow: number,
    rowHigh: number,
  ): void {
    this.#keys.append(bytes, from, to);
    this.#offsets.push(this.#keys.length);
    this.#files.push(rowPosition.file);
    this.#positions.push(rowPosition.position);
    this.#lanes.push(hash[0]);
    this.#lanes.push(hash[1]);
    this.#lanes.push(rowLow);
    this.#lanes.push(rowHigh);
  }

  /** A copy of a row's key. */
  key(row: number): Uint8Array {
    return this.#keys.view().slice(this.#offsets.at(row), this.#offsets.at(row + 1));
  }

  /** Number of the row's data file among the snapshot's files, and its position there. */
  rowPosition(row: number): { readonly file: number; readonly position: number } {
    return { file: this.#files.at(row), position: this.#positions.at(row) };
  }

  /** Key hash low and high, row hash low and high. */
  lanes(row: number): readonly [number, number, number, number] {
    const at = 4 * row;
    const lanes = this.#lanes;
    return [lanes.at(at), lanes.at(at + 1), lanes.at(at + 2), lanes.at(at + 3)];
  }

  /** Calls `visit` with the rows of each key, keys ascending. */
  forEachKey(visit: (key: Uint8Array, rows: readonly number[]) => void): void {
    const keys = this.#keys.view();
    const order = Int32Array.from({ length: this.count }, (_, row) => row);
    sortByteStrings(order, keys, this.#offsets.view());
    for (let at = 0; at < order.length; ) {
      const key = this.key(order[at]);
      const rows: number[] = [];
      while (at < order.length && Buffer.compare(key, this.key(order[at])) === 0) {
        rows.push(order[at++]);
      }
      visit(key, rows);
    }
  }
}
