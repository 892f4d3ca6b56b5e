/** Entries of rows that are arrays; beyond, rows are maps. */
const DENSE_ENTRIES = 1 << 22;

/**
 * Numbers the buckets (owner, code) of a segment as they come: 0, 1, 2 … Codes are -1 (documents
 * without a value) .. size - 1.
 */
export class BucketIds {
  readonly #size: number;
  readonly #rows: (Int32Array | Map<number, number> | undefined)[] = [];
  #dense = 0;
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Number of buckets. */
  get count(): number {
    return this.#next;
  }

  id(owner: number, code: number): number {
    const row = this.#rows[owner] ?? this.#newRow(owner);
    if (row instanceof Map) {
      const known = row.get(code);
      if (known !== undefined) return known;
      row.set(code, this.#next);
      return this.#next++;
    }
    const known = row[code + 1];
    if (known > 0) return known - 1;
    row[code + 1] = this.#next + 1;
    return this.#next++;
  }

  /** Calls `visit` with every bucket of an owner. */
  forEach(owner: number, visit: (code: number, id: number) => void): void {
    const row = this.#rows[owner];
    if (row instanceof Map) {
      for (const [code, id] of row) visit(code, id);
      return;
    }
    for (let i = 0; i < (row?.length ?? 0); i++) if (row![i] > 0) visit(i - 1, row![i] - 1);
  }

  #newRow(owner: number): Int32Array | Map<number, number> {
    const fits = this.#dense + this.#size + 1 <= DENSE_ENTRIES;
    const row = fits ? new Int32Array(this.#size + 1) : new Map<number, number>();
    if (fits) this.#dense += this.#size + 1;
    this.#rows[owner] = row;
    return row;
  }
}
