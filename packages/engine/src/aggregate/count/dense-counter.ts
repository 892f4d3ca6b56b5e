import { countBits } from '../../bitmap/bitmap.ts';
import {
  BATCH_DOCS,
  BatchWriter,
  type DocumentStream,
  type VisitBatch,
  type WholeStream,
} from '../document-stream.ts';
import { type CodeCounter, type CodeCounts, MissingDocs } from './code-counter.ts';
import type { Coder } from './coder.ts';

/** Counts in an array with an element per pair of owner and code. */
export class DenseCounter implements CodeCounter {
  readonly #coder: Coder | null;
  readonly #size: number;
  readonly #owners: number;
  readonly #missing: MissingDocs;
  readonly #filled = new Int32Array(BATCH_DOCS);
  readonly #codes: number[] = [];
  /** By owner x size + code: documents, later the number of the pair + 1. Made when needed. */
  #table: Int32Array | null = null;

  /** `coder` null: no document has a value. */
  constructor(coder: Coder | null, owners: number, missing: boolean) {
    this.#coder = coder;
    this.#size = coder?.size ?? 0;
    this.#owners = owners;
    this.#missing = new MissingDocs(missing, owners);
  }

  collectAll(documents: WholeStream): void {
    const coder = this.#coder;
    // sums of counts tell documents without a value only where a document has one value at most
    const isCounted = coder !== null && !(this.#missing.wanted && coder.fill === null);
    const counts = isCounted ? coder.count(documents.matches) : null;
    if (counts === null) {
      documents.read(this.collect);
      return;
    }
    this.#table = counts;
    if (!this.#missing.wanted) return;
    const counted = counts.reduce((sum, count) => sum + count, 0);
    this.#missing.add(0, countBits(documents.matches) - counted);
  }

  readonly collect = (docs: Int32Array, owners: Int32Array, count: number): void => {
    const coder = this.#coder;
    if (coder === null) {
      for (let i = 0; i < count; i++) this.#missing.add(owners[i]);
    } else if (coder.fill === null) this.#collectRead(coder, docs, owners, count);
    else {
      coder.fill(docs, count, this.#filled);
      this.#collectFilled(owners, count);
    }
  };

  #collectFilled(owners: Int32Array, count: number): void {
    const [filled, table, size] = [this.#filled, this.#counted(), this.#size];
    for (let i = 0; i < count; i++) {
      const code = filled[i];
      if (code >= 0) table[owners[i] * size + code]++;
      else this.#missing.add(owners[i]);
    }
  }

  #collectRead(coder: Coder, docs: Int32Array, owners: Int32Array, count: number): void {
    const [codes, table, size] = [this.#codes, this.#counted(), this.#size];
    for (let i = 0; i < count; i++) {
      const found = coder.read(docs[i], codes);
      const row = owners[i] * size;
      for (let j = 0; j < found; j++) table[row + codes[j]]++;
      if (found === 0) this.#missing.add(owners[i]);
    }
  }

  #counted(): Int32Array {
    this.#table ??= new Int32Array(this.#owners * this.#size);
    return this.#table;
  }

  counts(owner: number): CodeCounts {
    const from = owner * this.#size;
    return { codes: null, counts: this.#counted().subarray(from, from + this.#size) };
  }

  missing(owner: number): number {
    return this.#missing.count(owner);
  }

  beginChoice(): void {
    this.#counted().fill(0);
  }

  choose(owner: number, code: number | bigint | null, id: number): void {
    if (code === null) this.#missing.choose(owner, id);
    else this.#counted()[owner * this.#size + Number(code)] = id + 1;
  }

  chosen(stream: DocumentStream): DocumentStream {
    const coder = this.#coder;
    const single = coder?.fill ?? null;
    return {
      matches: null,
      read: (visit) => {
        if (single === null) this.#readChosen(stream, visit);
        else this.#fillChosen(stream, single, visit);
      },
    };
  }

  /**
   * With one code per document at most a batch has no more documents than the one it is made of.
   */
  #fillChosen(stream: DocumentStream, fill: NonNullable<Coder['fill']>, visit: VisitBatch): void {
    const [filled, table, size] = [this.#filled, this.#counted(), this.#size];
    const [into, ids] = [new Int32Array(BATCH_DOCS), new Int32Array(BATCH_DOCS)];
    const several = this.#owners > 1;
    stream.read((docs, owners, count) => {
      fill(docs, count, filled);
      let taken = 0;
      for (let i = 0; i < count; i++) {
        const code = filled[i];
        const owner = several ? owners[i] : 0;
        const id = code >= 0 ? table[owner * size + code] - 1 : this.#missing.id(owner);
        if (id < 0) continue;
        into[taken] = docs[i];
        ids[taken++] = id;
      }
      if (taken > 0) visit(into, ids, taken);
    });
  }

  #readChosen(stream: DocumentStream, visit: VisitBatch): void {
    const batch = new BatchWriter(visit);
    const [codes, table, size] = [this.#codes, this.#counted(), this.#size];
    stream.read((docs, owners, count) => {
      for (let i = 0; i < count; i++) {
        const found = this.#coder?.read(docs[i], codes) ?? 0;
        for (let j = 0; j < found; j++) {
          const id = table[owners[i] * size + codes[j]] - 1;
          if (id >= 0) batch.add(docs[i], id);
        }
        const id = found === 0 ? this.#missing.id(owners[i]) : -1;
        if (id >= 0) batch.add(docs[i], id);
      }
    });
    batch.flush();
  }
}
