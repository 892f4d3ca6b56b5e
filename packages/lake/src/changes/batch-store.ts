import type { Batch, ColumnVector } from '../scan/batch.ts';

/**
 * Batches that are read more than once: kept in memory while they fit into a budget of bytes, read
 * again from the table's files if they do not.
 */
export class BatchStore {
  readonly #open: () => AsyncIterable<Batch>;
  readonly #budgetBytes: number;
  #kept: Batch[] | null = [];
  #complete = false;

  constructor(open: () => AsyncIterable<Batch>, budgetBytes: number) {
    this.#open = open;
    this.#budgetBytes = budgetBytes;
  }

  /** All batches, in the same order each time. */
  async *batches(): AsyncGenerator<Batch> {
    if (this.#complete && this.#kept !== null) {
      yield* this.#kept;
      return;
    }
    const collecting = !this.#complete;
    let bytes = 0;
    if (collecting) this.#kept = [];
    for await (const batch of this.#open()) {
      if (collecting && this.#kept !== null) {
        bytes += batchBytes(batch);
        if (bytes > this.#budgetBytes) this.#kept = null;
        else this.#kept.push(batch);
      }
      yield batch;
    }
    this.#complete = true;
  }
}

/** About how many bytes of memory a batch takes. */
function batchBytes(batch: Batch): number {
  return batch.columns.reduce((sum, column) => sum + vectorBytes(column), batch.rows * 4);
}

/** Values without a fixed width are taken for 128 bytes each. */
const VALUE_BYTES = 128;

function vectorBytes(vector: ColumnVector): number {
  if (vector.kind === 'values') return vector.values.length * VALUE_BYTES;
  const nulls = vector.nulls?.byteLength ?? 0;
  if (vector.kind === 'utf8') return nulls + vector.offsets.byteLength + vector.bytes.byteLength;
  return nulls + vector.values.byteLength;
}
