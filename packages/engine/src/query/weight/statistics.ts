import { normOf } from '../../inverted/format.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { inverseFrequency } from '../../scoring/request.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** What scoring needs of a field over all segments. */
export interface FieldStatistics {
  /** Documents that have the field (deleted ones too, until a merge drops them). */
  readonly docs: number;
  /** Tokens a document that has the field; 1 where it has none. */
  readonly averageLength: number;
  /** Norms by exact length, for lengths below 256. */
  readonly norms: Float64Array;
}

/** Norms by average length, of the fields that were asked last. */
const norms = new Map<number, Float64Array>();
const KEPT_NORMS = 16;

function normsOf(averageLength: number): Float64Array {
  const known = norms.get(averageLength);
  if (known !== undefined) return known;
  const made = Float64Array.from({ length: 256 }, (_, length) => normOf(length, averageLength));
  if (norms.size >= KEPT_NORMS) norms.clear();
  norms.set(averageLength, made);
  return made;
}

/** Statistics of the segments of a snapshot, gathered when first asked for. */
export class SnapshotStatistics {
  readonly #segments: readonly SegmentReader[];
  readonly #fields = new Map<number, FieldStatistics>();
  /** By field, then by the bytes themselves: a clause asks for its own once a segment. */
  readonly #terms = new Map<number, Map<Uint8Array, number>>();

  constructor(segments: readonly SegmentReader[]) {
    this.#segments = segments;
  }

  field(field: FieldPlan): FieldStatistics {
    const known = this.#fields.get(field.id);
    if (known !== undefined) return known;
    let docs = 0;
    let tokens = 0;
    for (const segment of this.#segments) {
      const inverted = segment.inverted(field.id);
      docs += inverted?.docsWithField ?? 0;
      tokens += inverted?.tokens ?? 0;
    }
    const averageLength = docs === 0 ? 1 : tokens / docs;
    const statistics = { docs, averageLength, norms: normsOf(averageLength) };
    this.#fields.set(field.id, statistics);
    return statistics;
  }

  /** The term's idf over all segments. */
  idf(field: FieldPlan, term: Uint8Array): number {
    let terms = this.#terms.get(field.id);
    if (terms === undefined) this.#terms.set(field.id, (terms = new Map()));
    const known = terms.get(term);
    if (known !== undefined) return known;
    let df = 0;
    for (const segment of this.#segments) df += segment.inverted(field.id)?.lookup(term)?.df ?? 0;
    const idf = inverseFrequency(this.field(field).docs, df);
    terms.set(term, idf);
    return idf;
  }
}
