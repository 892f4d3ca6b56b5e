/** Counters for codes that are too many or too far apart for an array. */

import { BatchWriter, type DocumentStream, type WholeStream } from '../document-stream.ts';
import { BucketIds } from './bucket-ids.ts';
import { type CodeCounter, type CodeCounts, MissingDocs } from './code-counter.ts';
import type { Coder, FieldValues } from './coder.ts';
import { SortedCounts } from './sorted-counts.ts';

/** Counts the codes or 64-bit values of one owner by sorting them. */
export class SortedCounter implements CodeCounter {
  readonly #read: (doc: number, out: (number | bigint)[]) => number;
  readonly #counted: SortedCounts;
  readonly #missing: MissingDocs;
  readonly #out: (number | bigint)[] = [];
  readonly #ids = new Map<number | bigint, number>();
  #counts: CodeCounts | null = null;

  /** `expected`: how many documents there will be, about. */
  constructor({ coder, readWide }: FieldValues, missing: boolean, expected: number) {
    this.#read = (coder?.read ?? readWide) as (doc: number, out: (number | bigint)[]) => number;
    this.#counted = new SortedCounts(coder === null, expected);
    this.#missing = new MissingDocs(missing, 1);
  }

  collectAll(documents: WholeStream): void {
    documents.read(this.collect);
  }

  readonly collect = (docs: Int32Array, _: Int32Array, count: number): void => {
    for (let i = 0; i < count; i++) {
      const found = this.#read(docs[i], this.#out);
      for (let j = 0; j < found; j++) this.#counted.add(this.#out[j]);
      if (found === 0) this.#missing.add(0);
    }
  };

  counts(): CodeCounts {
    this.#counts ??= this.#counted.finish();
    return this.#counts;
  }

  missing(owner: number): number {
    return this.#missing.count(owner);
  }

  beginChoice(): void {
    this.#counts = null;
  }

  choose(owner: number, code: number | bigint | null, id: number): void {
    if (code === null) this.#missing.choose(owner, id);
    else this.#ids.set(code, id);
  }

  chosen(stream: DocumentStream): DocumentStream {
    return {
      matches: null,
      read: (visit) => {
        const batch = new BatchWriter(visit);
        stream.read((docs, _, count) => {
          for (let i = 0; i < count; i++) this.#hand(docs[i], batch);
        });
        batch.flush();
      },
    };
  }

  #hand(doc: number, batch: BatchWriter): void {
    const found = this.#read(doc, this.#out);
    for (let j = 0; j < found; j++) {
      const id = this.#ids.get(this.#out[j]);
      if (id !== undefined) batch.add(doc, id);
    }
    const id = found === 0 ? this.#missing.id(0) : -1;
    if (id >= 0) batch.add(doc, id);
  }
}

/** Counts codes that are given out as values come: pairs of owner and code are numbered. */
export class NumberedCounter implements CodeCounter {
  readonly #coder: Coder;
  readonly #refuse: () => Error;
  readonly #most: number;
  readonly #pairs: BucketIds;
  readonly #codes: number[] = [];
  #counts = new Int32Array(64);
  #ids: Int32Array | null = null;

  /** Throws `refuse()` when there are more than `most` pairs. */
  constructor(coder: Coder, most: number, refuse: () => Error) {
    this.#coder = coder;
    this.#most = most;
    this.#refuse = refuse;
    this.#pairs = new BucketIds(coder.size);
  }

  collectAll(documents: WholeStream): void {
    documents.read(this.collect);
  }

  readonly collect = (docs: Int32Array, owners: Int32Array, count: number): void => {
    for (let i = 0; i < count; i++) {
      const found = this.#coder.read(docs[i], this.#codes);
      for (let j = 0; j < found; j++) {
        const pair = this.#pairs.id(owners[i], this.#codes[j]);
        if (pair >= this.#counts.length) this.#grow();
        this.#counts[pair]++;
      }
    }
  };

  #grow(): void {
    if (this.#pairs.count > this.#most) throw this.#refuse();
    const counts = new Int32Array(this.#counts.length * 2);
    counts.set(this.#counts);
    this.#counts = counts;
  }

  counts(owner: number): CodeCounts {
    const codes: number[] = [];
    const counts: number[] = [];
    this.#pairs.forEach(owner, (code, pair) => {
      codes.push(code);
      counts.push(this.#counts[pair]);
    });
    return { codes: Uint32Array.from(codes), counts: Int32Array.from(counts) };
  }

  missing(): number {
    return 0;
  }

  beginChoice(): void {
    this.#ids = new Int32Array(this.#pairs.count);
  }

  choose(owner: number, code: number | bigint | null, id: number): void {
    this.#ids![this.#pairs.id(owner, Number(code))] = id + 1;
  }

  chosen(stream: DocumentStream): DocumentStream {
    return {
      matches: null,
      read: (visit) => {
        const batch = new BatchWriter(visit);
        stream.read((docs, owners, count) => {
          for (let i = 0; i < count; i++) {
            const found = this.#coder.read(docs[i], this.#codes);
            for (let j = 0; j < found; j++) {
              const id = this.#ids![this.#pairs.id(owners[i], this.#codes[j])] - 1;
              if (id >= 0) batch.add(docs[i], id);
            }
          }
        });
        batch.flush();
      },
    };
  }
}
