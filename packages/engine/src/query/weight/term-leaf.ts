import type { PostingsCursor } from '../../inverted/cursors.ts';
import { K1, LONG } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import type { TermInfo } from '../../inverted/term-info.ts';
import type { Leaf } from '../bind/clause.ts';
import { constantLeaf, NO_MATCHES, RANGE_DOCS, type SegmentLeaf } from './leaf.ts';
import type { FieldStatistics, SnapshotStatistics } from './statistics.ts';

/** A term of a field in one segment. On TEXT BM25: boost x idf x tf / (tf + norm); on KEYWORD boost x idf / (1 + k1). */
export function termLeaf(
  clause: Leaf & { readonly kind: 'term' },
  reader: InvertedReader,
  statistics: SnapshotStatistics,
): SegmentLeaf {
  const info = reader.lookup(clause.term);
  if (info === null) return NO_MATCHES;
  const weight = statistics.idf(clause.field, clause.term) * clause.boost;
  if (reader.text) return new TextTerm(reader, info, weight, statistics.field(clause.field));
  return constantLeaf(reader.docs, weight / (1 + K1), (bits) => reader.fill(info, bits));
}

/** The length part of a document's BM25 denominator, by the snapshot's average length. */
export function normAt(reader: InvertedReader, statistics: FieldStatistics, doc: number): number {
  const code = reader.codes[doc]!;
  if (code < LONG) return statistics.norms[code]!;
  return reader.normAt(doc, statistics.averageLength);
}

class TextTerm implements SegmentLeaf {
  readonly #reader: InvertedReader;
  readonly #info: TermInfo;
  readonly #weight: number;
  readonly #field: FieldStatistics;
  #cursor: PostingsCursor;
  #range = -1;

  constructor(reader: InvertedReader, info: TermInfo, weight: number, field: FieldStatistics) {
    this.#reader = reader;
    this.#info = info;
    this.#weight = weight;
    this.#field = field;
    this.#cursor = reader.postings(info);
  }

  fill(bits: Int32Array): void {
    this.#reader.fill(this.#info, bits);
  }

  bound(range: number): number {
    const first = range * RANGE_DOCS;
    const last = Math.min(first + RANGE_DOCS, this.#reader.docs) - 1;
    const { averageLength } = this.#field;
    return this.#weight * this.#reader.impactBound(this.#info, first, last, averageLength);
  }

  add(range: number, scores: Float64Array): void {
    if (range < this.#range) this.#cursor = this.#reader.postings(this.#info);
    this.#range = range;
    const cursor = this.#cursor;
    const end = (range + 1) * RANGE_DOCS;
    for (let doc = cursor.advance(range * RANGE_DOCS); doc < end; doc = cursor.next()) {
      const frequency = cursor.tf();
      const norm = normAt(this.#reader, this.#field, doc);
      scores[doc & 255]! += this.#weight * (frequency / (frequency + norm));
    }
  }
}
