/**
 * The live documents of an index as `verify` sees them: numbered through all segments, found by the
 * place that they claim and by key, and ticked off when a row of the table is found for them.
 */
import { LhsError } from '@lakehouse-search/contract';
import { wordsOf } from '../bitmap/bitmap.ts';
import { rowLanes } from '../index/commits/content-digest.ts';
import { findDuplicates } from '../index/duplicates.ts';
import { PendingSegment } from '../index/pending-segment.ts';
import { type HashRun, type HashSet, hashSetText, runOf } from '../schema/hash-set.ts';
import { hasFields } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { VectorReader } from '../vector/vector-reader.ts';

/**
 * A segment, the number of its first document, its row hashes as lanes, the sets of columns that
 * they cover, and what was seen.
 */
interface Part {
  readonly reader: SegmentReader;
  readonly first: number;
  readonly rows: Int32Array;
  readonly hashed: readonly HashRun[];
  /** By run: its number in `VerifyDocs.hashSets`. */
  readonly sets: readonly number[];
  readonly seen: Int32Array;
  readonly vectors: Map<number, VectorReader | 'none' | 'damaged'>;
}

function openVectors(reader: SegmentReader, field: number): VectorReader | 'none' | 'damaged' {
  try {
    return reader.vectors(field) ?? (hasFields(reader) ? 'none' : 'damaged');
  } catch (error) {
    if (error instanceof LhsError && error.code === 'corrupt_index') return 'damaged';
    throw error;
  }
}

/** Runs of documents by data file (segment/locators.ts), of all segments. */
interface Runs {
  /** Places in the other arrays, by file. */
  readonly order: Int32Array;
  readonly files: Int32Array;
  readonly positions: Int32Array;
  readonly docs: Int32Array;
  readonly counts: Int32Array;
}

/** Live documents of some segments. Throws corrupt_index where keys or locators are damaged. */
export class VerifyDocs {
  readonly #parts: readonly Part[];
  readonly #runs: Runs;
  /** The sets of columns that row hashes cover; the first is that of the definition. */
  readonly hashSets: readonly HashSet[];
  #at = new Int32Array(0);

  /** `own`: the set of columns of the definition. */
  constructor(segments: readonly SegmentReader[], own: HashSet) {
    const sets = new Map<string, HashSet>([[hashSetText(own), own]]);
    let first = 0;
    this.#parts = segments.map((reader) => {
      const rows = rowLanes(reader.rowHashes);
      const seen = new Int32Array(wordsOf(reader.docs));
      const hashed = reader.entry.hashed ?? [{ docs: reader.docs, ...own }];
      const numbers = hashed.map((run) => numberOf(sets, run));
      const part = { reader, first, rows, hashed, sets: numbers, seen, vectors: new Map() };
      first += reader.docs;
      return part;
    });
    this.hashSets = [...sets.values()];
    this.#runs = runsOf(this.#parts);
  }

  /** Live documents. */
  get count(): number {
    return this.#parts.reduce((sum, { reader }) => sum + reader.liveDocs, 0);
  }

  /**
   * By position in a data file: a live document with that row location, or -1. Valid until the
   * next call. `records`: rows of the file.
   */
  inFile(file: number, records: number): Int32Array {
    if (this.#at.length < records) this.#at = new Int32Array(records);
    const at = this.#at.subarray(0, records).fill(-1);
    const { order, files, positions, docs, counts } = this.#runs;
    for (let i = firstOf(order, files, file); i < order.length; i++) {
      const run = order[i];
      if (files[run] !== file) break;
      const end = Math.min(counts[run], records - positions[run]);
      for (let k = 0; k < end; k++) {
        if (this.isLive(docs[run] + k)) at[positions[run] + k] = docs[run] + k;
      }
    }
    return at;
  }

  /** Calls `visit` with each run of documents that lie in a row: first document, count, place. */
  forEachRun(visit: (doc: number, count: number, file: number, position: number) => void): void {
    const { files, positions, docs, counts } = this.#runs;
    docs.forEach((doc, run) => {
      visit(doc, counts[run], files[run], positions[run]);
    });
  }

  /** All live documents with a key. */
  withKey(key: Uint8Array): readonly number[] {
    return this.#parts.flatMap(({ reader, first }) =>
      reader.keys.findAll(key).map((doc) => first + doc),
    );
  }

  /** True when the document has this key, bytes[from .. to), and row hash. */
  equals(
    doc: number,
    bytes: Uint8Array,
    from: number,
    to: number,
    low: number,
    high: number,
  ): boolean {
    const { reader, first, rows } = this.#part(doc);
    const own = doc - first;
    if (rows[2 * own] !== low || rows[2 * own + 1] !== high) return false;
    return reader.keys.isKey(own, bytes, from, to);
  }

  /** The two lanes of a document's row hash. */
  hash(doc: number): readonly [low: number, high: number] {
    const { first, rows } = this.#part(doc);
    return [rows[2 * (doc - first)], rows[2 * (doc - first) + 1]];
  }

  /** Number in `hashSets` of the set of columns that the document's row hash covers. */
  hashSet(doc: number): number {
    const { first, hashed, sets } = this.#part(doc);
    return sets.length === 1 ? sets[0] : sets[runOf(hashed, doc - first)];
  }

  key(doc: number): Uint8Array {
    const { reader, first } = this.#part(doc);
    return reader.keys.key(doc - first);
  }

  /** The document's row location. */
  rowPosition(doc: number): { readonly file: number; readonly position: number } {
    const { reader, first } = this.#part(doc);
    const { locators } = reader;
    return { file: locators.file(doc - first), position: locators.position(doc - first) };
  }

  /** The segment and the document's number in it. */
  inSegment(doc: number): { readonly segment: string; readonly doc: number } {
    const { reader, first } = this.#part(doc);
    return { segment: reader.id, doc: doc - first };
  }

  isLive(doc: number): boolean {
    const { reader, first } = this.#part(doc);
    return !reader.isDeleted(doc - first);
  }

  /** Whether the document has a vector in a field; null where the field's file is damaged. */
  hasVector(doc: number, field: number): boolean | null {
    const part = this.#part(doc);
    const known = part.vectors.get(field) ?? openVectors(part.reader, field);
    part.vectors.set(field, known);
    return known === 'damaged' ? null : known !== 'none' && known.has(doc - part.first);
  }

  /** A row was found for the document. */
  see(doc: number): void {
    const { first, seen } = this.#part(doc);
    seen[(doc - first) >> 5] |= 1 << ((doc - first) & 31);
  }

  /** None was, after all. */
  unsee(doc: number): void {
    const { first, seen } = this.#part(doc);
    seen[(doc - first) >> 5] &= ~(1 << ((doc - first) & 31));
  }

  isSeen(doc: number): boolean {
    const { first, seen } = this.#part(doc);
    return (seen[(doc - first) >> 5] & (1 << ((doc - first) & 31))) !== 0;
  }

  /** Keys of which several documents were seen: the table has them in several rows. */
  *keysSeenTwice(): Generator<Uint8Array> {
    const readers = this.#parts.map(({ reader }) => reader);
    for (const { key } of findDuplicates(
      readers.map((r) => new PendingSegment(r)),
      Infinity,
    )) {
      const seen = this.withKey(key).filter((doc) => this.isSeen(doc));
      if (seen.length > 1) yield key;
    }
  }

  /** Calls `visit` with every live document for which no row was found. */
  forEachUnseen(visit: (doc: number) => void): void {
    for (const { reader, first, seen } of this.#parts) {
      for (let doc = 0; doc < reader.docs; doc++) {
        if ((seen[doc >> 5] & (1 << (doc & 31))) !== 0 || reader.isDeleted(doc)) continue;
        visit(first + doc);
      }
    }
  }

  /** Live documents at `count` evenly spaced places, or all of them where there are fewer. */
  *evenly(count: number): Generator<number> {
    const live = this.count;
    const wanted = Math.min(count, live);
    let passed = 0;
    let taken = 0;
    for (const { reader, first } of this.#parts) {
      for (let doc = 0; doc < reader.docs; doc++) {
        if (reader.isDeleted(doc)) continue;
        if (passed++ < Math.floor(((taken + 0.5) * live) / wanted)) continue;
        if (taken++ < wanted) yield first + doc;
      }
    }
  }

  #part(doc: number): Part {
    let at = this.#parts.length - 1;
    while (this.#parts[at].first > doc) at--;
    return this.#parts[at];
  }
}

/** The number of a set among `sets`, which it is added to. */
function numberOf(sets: Map<string, HashSet>, set: HashSet): number {
  const text = hashSetText(set);
  if (!sets.has(text)) sets.set(text, set);
  return [...sets.keys()].indexOf(text);
}

function runsOf(parts: readonly Part[]): Runs {
  const files: number[] = [];
  const positions: number[] = [];
  const docs: number[] = [];
  const counts: number[] = [];
  for (const { reader, first } of parts) {
    reader.locators.forEachRun((doc, count, file, position) => {
      files.push(file);
      positions.push(position);
      docs.push(first + doc);
      counts.push(count);
    });
  }
  const order = Int32Array.from(files, (_, run) => run);
  order.sort((a, b) => files[a] - files[b] || positions[a] - positions[b]);
  return {
    order,
    files: Int32Array.from(files),
    positions: Int32Array.from(positions),
    docs: Int32Array.from(docs),
    counts: Int32Array.from(counts),
  };
}

function firstOf(order: Int32Array, files: Int32Array, file: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (files[order[middle]] < file) low = middle + 1;
    else high = middle;
  }
  return low;
}
