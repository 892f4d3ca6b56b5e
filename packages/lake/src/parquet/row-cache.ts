import type { Value } from '../schema/type.ts';

interface KeptRow {
  readonly values: readonly Value[];
  readonly bytes: number;
}

/**
 * Rows that look-ups have read, the least recently used dropped first, with a budget in bytes. A
 * row is small beside the pages that hold it (a megabyte a column is common), so frequently read
 * rows stay here even if their pages do not fit the page cache.
 */
export class RowCache {
  readonly #budgetBytes: number;
  readonly #rows = new Map<string, KeptRow>();
  #bytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  /** Memory of the cached rows. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): KeptRow | undefined {
    const row = this.#rows.get(key);
    if (row === undefined) return undefined;
    this.#rows.delete(key);
    this.#rows.set(key, row);
    return row;
  }

  /** `bytes`: what the values take, about. */
  set(key: string, values: readonly Value[], bytes: number): void {
    const row = { values, bytes: bytes + ROW_BYTES + values.length * VALUE_BYTES };
    if (row.bytes > this.#budgetBytes / 16 || this.#rows.has(key)) return;
    this.#rows.set(key, row);
    this.#bytes += row.bytes;
    if (this.#bytes > this.#budgetBytes) this.#shrink();
  }

  /** Drops an eighth at once: a walk from the oldest row passes all that were dropped or moved. */
  #shrink(): void {
    for (const [oldest, old] of this.#rows) {
      if (this.#bytes <= (this.#budgetBytes * 7) / 8) return;
      this.#rows.delete(oldest);
      this.#bytes -= old.bytes;
    }
  }

  /** Forgets the rows whose keys begin with `prefix`. */
  forget(prefix: string): void {
    for (const [key, row] of this.#rows) {
      if (!key.startsWith(prefix)) continue;
      this.#rows.delete(key);
      this.#bytes -= row.bytes;
    }
  }
}

/** Overhead of a cached row and of each of its values. */
const ROW_BYTES = 200;
const VALUE_BYTES = 32;
