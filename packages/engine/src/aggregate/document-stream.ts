/**
 * Documents of one segment on their way to collectors, batch by batch, each with the bucket of the
 * aggregation around it (its owner; 0 at the top). A stream can be read again: counting comes
 * first, then what is nested is read for the buckets that the answer shows.
 */

import type { Deadline } from '../base/time/deadline.ts';
import { hasBit } from '../bitmap/bitmap.ts';

/** docs[i] falls into bucket owners[i]; i below `count`. Neither array may be changed. */
export type VisitBatch = (docs: Int32Array, owners: Int32Array, count: number) => void;

/** Documents with their owners; those of one owner rise. */
export interface DocumentStream {
  /** All documents of owner 0, which is the only one; null: they are not in a bitmap. */
  readonly matches: Int32Array | null;
  read(visit: VisitBatch): void;
}

/** All documents of a bitmap, owner 0. */
export interface WholeStream extends DocumentStream {
  readonly matches: Int32Array;
}

/** Documents of a batch, at most. */
export const BATCH_DOCS = 4096;

const NO_OWNERS = new Int32Array(BATCH_DOCS);

/** The documents of a bitmap. The clock is checked once per batch. */
export function bitmapStream(matches: Int32Array, deadline: Deadline): WholeStream {
  return {
    matches,
    read(visit) {
      const docs = new Int32Array(BATCH_DOCS);
      let count = 0;
      for (let i = 0; i < matches.length; i++) {
        for (let word = matches[i]; word !== 0; word &= word - 1) {
          docs[count++] = (i << 5) + 31 - Math.clz32(word & -word);
        }
        if (count <= BATCH_DOCS - 32) continue;
        deadline.check();
        visit(docs, NO_OWNERS, count);
        count = 0;
      }
      if (count > 0) visit(docs, NO_OWNERS, count);
    },
  };
}

/** The documents of a rising list, owner 0. The clock is checked once per batch. */
export function listStream(docs: Int32Array, deadline: Deadline): DocumentStream {
  return {
    matches: null,
    read(visit) {
      for (let from = 0; from < docs.length; from += BATCH_DOCS) {
        deadline.check();
        const batch = docs.subarray(from, from + BATCH_DOCS);
        visit(batch, NO_OWNERS, batch.length);
      }
    },
  };
}

/** Takes documents one by one and hands them on in batches. */
export class BatchWriter {
  readonly #visit: VisitBatch;
  readonly #docs = new Int32Array(BATCH_DOCS);
  readonly #owners = new Int32Array(BATCH_DOCS);
  #count = 0;

  constructor(visit: VisitBatch) {
    this.#visit = visit;
  }

  add(doc: number, owner: number): void {
    this.#docs[this.#count] = doc;
    this.#owners[this.#count++] = owner;
    if (this.#count === BATCH_DOCS) this.flush();
  }

  /** Hands on what is left. */
  flush(): void {
    if (this.#count > 0) this.#visit(this.#docs, this.#owners, this.#count);
    this.#count = 0;
  }
}

/** The documents of a stream by bitmap: those of owner o in bitmap b have owner o x bitmaps + b. */
export function splitStream(
  stream: DocumentStream,
  bitmaps: readonly Int32Array[],
): DocumentStream {
  const { length } = bitmaps;
  return {
    matches: null,
    read(visit) {
      const batch = new BatchWriter(visit);
      stream.read((docs, owners, count) => {
        for (let b = 0; b < length; b++) {
          const bits = bitmaps[b];
          for (let i = 0; i < count; i++) {
            if (hasBit(bits, docs[i])) batch.add(docs[i], owners[i] * length + b);
          }
        }
      });
      batch.flush();
    },
  };
}
