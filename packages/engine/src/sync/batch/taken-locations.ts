import type { Batch } from '@lakehouse-search/lake';
import type { IndexWriter } from '../../index/index-writer.ts';
import { invalidBatch } from './batch-rule.ts';

/** Which places of the files that an index follows its documents take, while a batch is applied. */
export class TakenLocations {
  readonly #writer: IndexWriter;
  /** By file: what the batch removes; null: all of it. */
  readonly #removed = new Map<number, Int32Array | null>();
  readonly #taken = new Map<number, ReadonlySet<number>>();

  constructor(writer: IndexWriter) {
    this.#writer = writer;
  }

  /** What the batch removes. */
  get removed(): ReadonlyMap<number, Int32Array | null> {
    return this.#removed;
  }

  /** The batch removes all rows at these locations. */
  remove(file: number, positions: Int32Array | null): void {
    const known = this.#removed.get(file);
    if (positions === null || known === null) this.#removed.set(file, null);
    else this.#removed.set(file, known === undefined ? positions : united(known, positions));
  }

  /** Throws invalid_argument if a document already has the location of one of the rows. */
  requireFree(file: number, { file: path, positions }: Batch): void {
    const { entries } = this.#writer.lastCommit.files.at(file);
    if (entries.length === 0 || this.#removed.get(file) === null) return;
    const taken = this.#takenIn(file);
    const at = positions.find((position) => taken.has(position));
    if (at === undefined) return;
    throw invalidBatch(`row ${at} of "${path}" is in the index already, and was not removed`);
  }

  #takenIn(file: number): ReadonlySet<number> {
    let taken = this.#taken.get(file);
    if (taken === undefined) {
      const removed = new Set(this.#removed.get(file));
      taken = new Set(
        (this.#writer.positionsIn([file]).get(file) ?? []).filter((at) => !removed.has(at)),
      );
      this.#taken.set(file, taken);
    }
    return taken;
  }
}

/** Two ascending lists as one. */
export function united(a: Int32Array, b: Int32Array): Int32Array {
  if (b.length === 0) return a;
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both.sort();
}
