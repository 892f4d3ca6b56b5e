import { LONG } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { SHORT } from '../../postings/format.ts';
import { raiseImpact } from '../../postings/impact-bound.ts';
import { type RangePostings, rangePostings, rangeRooms } from '../../postings/range-postings.ts';
import type { TermInfo } from '../../postings/term-info.ts';
import { termTest } from '../../postings/term-test.ts';
import type { FieldStatistics } from '../../scoring/field-statistics.ts';
import type { ScoredLeaf } from './leaf.ts';

/** The length part of a document's BM25 denominator, by the snapshot's average length. */
export function normAt(reader: InvertedReader, statistics: FieldStatistics, doc: number): number {
  const code = reader.codes[doc];
  if (code < LONG) return statistics.norms[code];
  return reader.normAt(doc, statistics.averageLength);
}

/** A term of a TEXT field in one segment. */
export class TextTerm implements ScoredLeaf {
  readonly most: number;
  readonly has: (doc: number) => boolean;
  readonly hasUpTo: number;
  readonly #reader: InvertedReader;
  readonly #info: TermInfo;
  readonly #weight: number;
  readonly #field: FieldStatistics;
  #opened: RangePostings | null = null;

  constructor(reader: InvertedReader, info: TermInfo, weight: number, field: FieldStatistics) {
    this.#reader = reader;
    this.#info = info;
    this.#weight = weight;
    this.#field = field;
    this.most = info.df;
    const { has, hasUpTo } = termTest(reader, info);
    this.has = has;
    this.hasUpTo = hasUpTo;
  }

  fill(bits: Int32Array): void {
    this.#reader.fill(this.#info, bits);
  }

  addBounds(into: Float64Array): void {
    const { impacts, averageLength } = this.#reader;
    const scale = this.#field.averageLength / averageLength;
    const bounds = Float64Array.from(
      impacts,
      (impact) => this.#weight * raiseImpact(impact, scale),
    );
    // Short terms have no codes: no impact is above 1.
    if (this.#info.kind === SHORT) bounds[255] = this.#weight;
    this.#postings.addBounds(bounds, into);
  }

  add(range: number, wanted: Int32Array, scores: Float64Array): void {
    const postings = this.#postings;
    const { codes } = this.#reader;
    const { norms } = this.#field;
    const room = rangeRooms.take();
    const { docs, frequencies } = room;
    const weight = this.#weight;
    const count = postings.read(range, wanted, room);
    for (let i = 0; i < count; i++) {
      const doc = docs[i];
      const code = codes[doc];
      const norm = code < LONG ? norms[code] : normAt(this.#reader, this.#field, doc);
      const frequency = frequencies[i];
      scores[doc & 255] += weight * (frequency / (frequency + norm));
    }
    rangeRooms.give(room);
  }

  get #postings(): RangePostings {
    this.#opened ??= rangePostings(this.#reader, this.#info);
    return this.#opened;
  }
}
