import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import { sortByteStrings } from '../base/arrays/sort-bytes.ts';

/**
 * Rows of the table without an equal document at their row position. Their keys, row positions and
 * hashes are stored until the whole table was read: only then can they be settled.
 */
export class UnmatchedRows {
  readonly #keys = new ByteSink();
  readonly #offsets = new IntSink();
  readonly #files = new IntSink();
  readonly #positions = new IntSink();
  /** Per row: key hash low, high, then row hash low, high for each set of columns. */
  readonly #lanes = new IntSink();
  readonly #perRow: number;

  /** `sets`: number of sets of columns that rows are hashed over. */
  constructor(sets = 1) {
    this.#perRow = 2 + 2 * sets;
    this.#offsets.push(0);
  }

  get count(): number {
    return this.#files.length;
  }

  /** Bytes of memory used. */
  get bytes(): number {
    return this.#keys.length + (12 + 4 * this.#perRow) * this.count;
  }

  /**
   * Adds a row with key bytes[from .. to); `hash`: the lanes of its key hash; `rows`: lanes of the
   * row hashes of its batch, one array per set of columns; `row`: its number in the batch.
   */
  add(
    bytes: Uint8Array,
    from: number,
    to: number,
    rowPosition: { readonly file: number; readonly position: number },
    hash: Int32Array,
    rows: readonly Int32Array[],
    row: number,
  ): void {
    this.#keys.append(bytes, from, to);
    this.#offsets.push(this.#keys.length);
    this.#files.push(rowPosition.file);
    this.#positions.push(rowPosition.position);
    this.#lanes.push(hash[0]);
    this.#lanes.push(hash[1]);
    for (const lanes of rows) {
      this.#lanes.push(lanes[2 * row]);
      this.#lanes.push(lanes[2 * row + 1]);
    }
  }

  /** A copy of a row's key. */
  key(row: number): Uint8Array {
    return this.#keys.view().slice(this.#offsets.at(row), this.#offsets.at(row + 1));
  }

  /** Number of the row's data file among the snapshot's files, and its position there. */
  rowPosition(row: number): { readonly file: number; readonly position: number } {
    return { file: this.#files.at(row), position: this.#positions.at(row) };
  }

  /** Key hash low and high, row hash low and high over a set of columns. */
  lanes(row: number, set = 0): readonly [number, number, number, number] {
    const at = this.#perRow * row;
    const lanes = this.#lanes;
    const own = at + 2 + 2 * set;
    return [lanes.at(at), lanes.at(at + 1), lanes.at(own), lanes.at(own + 1)];
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
