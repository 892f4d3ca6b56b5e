import { type OutputColumn, type OutputRow, typedValue } from './columns.ts';

/** Limits of a batch. A single row may have more bytes. */
export interface BatchLimits {
  readonly rows: number;
  /** A rough count: characters of texts, 8 for anything else. */
  readonly bytes: number;
}

/** Rows that are written together: their typed values by column, in the order of the columns. */
export interface RowBatch {
  readonly rows: number;
  readonly values: readonly unknown[][];
}

/** Gathers rows and passes them on in batches of bounded size. */
export class RowBatches {
  readonly #columns: readonly OutputColumn[];
  readonly #limits: BatchLimits;
  readonly #write: (batch: RowBatch) => Promise<void>;
  #values: unknown[][] = [];
  #rows = 0;
  #bytes = 0;

  constructor(
    columns: readonly OutputColumn[],
    limits: BatchLimits,
    write: (batch: RowBatch) => Promise<void>,
  ) {
    this.#columns = columns;
    this.#limits = limits;
    this.#write = write;
    this.#clear();
  }

  /** The promise, if any, resolves when the batch that this row completed is written. */
  add(row: OutputRow): Promise<void> | undefined {
    for (const [i, { name, kind }] of this.#columns.entries()) {
      const value = typedValue(kind, row[name]);
      this.#values[i]!.push(value);
      this.#bytes += typeof value === 'string' ? value.length : 8;
    }
    this.#rows++;
    const full = this.#rows >= this.#limits.rows || this.#bytes >= this.#limits.bytes;
    return full ? this.flush() : undefined;
  }

  /** Passes on the rows that are left, if there are any. */
  async flush(): Promise<void> {
    const batch = { rows: this.#rows, values: this.#values };
    this.#clear();
    if (batch.rows > 0) await this.#write(batch);
  }

  #clear(): void {
    this.#values = this.#columns.map(() => []);
    this.#rows = 0;
    this.#bytes = 0;
  }
}
