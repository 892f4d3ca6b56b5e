import type { FieldPlan } from '../../schema/field-plan.ts';
import {
  type FieldStatistics,
  fieldStatistics,
  inverseFrequency,
} from '../../scoring/field-statistics.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';

/** Terms of one field, by the field's id. */
export interface TermsOfField {
  readonly field: number;
  readonly terms: readonly Uint8Array[];
}

/**
 * Figures of one field and of some of its terms over some segments: those of a shard, or of all
 * shards, where a segment of several shards counts once. Plain values, so that they travel. Deleted
 * documents count until a merge drops them.
 */
export interface FieldFigures extends TermsOfField {
  /** Documents that have the field. */
  readonly docs: number;
  /** Tokens of all of them. */
  readonly tokens: number;
  /** Documents that hold a term, by its place in `terms`. */
  readonly frequencies: readonly number[];
}

/** The figures of fields and terms over segments, in the order of `fields`. */
export function gatherFigures(
  segments: readonly SegmentReader[],
  fields: readonly TermsOfField[],
): readonly FieldFigures[] {
  return fields.map(({ field, terms }) => {
    let docs = 0;
    let tokens = 0;
    const frequencies = terms.map(() => 0);
    for (const segment of segments) {
      const inverted = segment.isCounted ? segment.inverted(field) : null;
      if (inverted === null) continue;
      docs += inverted.docsWithField;
      tokens += inverted.tokens;
      terms.forEach((term, i) => {
        frequencies[i] += inverted.frequency(term);
      });
    }
    return { field, terms, docs, tokens, frequencies };
  });
}

/** The name of a term in a map. */
export const termMapKey = (term: Uint8Array): string =>
  Buffer.from(term.buffer, term.byteOffset, term.length).toString('latin1');

/**
 * What scoring needs of the whole index: the figures of all shards where they are given, else those
 * of the segments, gathered when they are first needed.
 */
export class SnapshotStatistics {
  readonly #segments: readonly SegmentReader[];
  readonly #fields = new Map<number, FieldStatistics>();
  /** By field, then by the bytes themselves: each segment's clause reads its own once. */
  readonly #terms = new Map<number, Map<Uint8Array, number>>();
  readonly #merged: ReadonlyMap<number, FieldFigures> | null;
  readonly #mergedTerms = new Map<number, ReadonlyMap<string, number>>();

  /** `merged`: the figures of all shards; null: the segments are the whole index. */
  constructor(segments: readonly SegmentReader[], merged: readonly FieldFigures[] | null = null) {
    this.#segments = segments;
    this.#merged = merged && new Map(merged.map((figures) => [figures.field, figures]));
  }

  field(field: FieldPlan): FieldStatistics {
    const known = this.#fields.get(field.id);
    if (known !== undefined) return known;
    const { docs, tokens } = this.#figures(field.id);
    const statistics = fieldStatistics(docs, tokens);
    this.#fields.set(field.id, statistics);
    return statistics;
  }

  /** The term's idf over all segments. */
  idf(field: FieldPlan, term: Uint8Array): number {
    return inverseFrequency(this.field(field).docs, this.documentFrequency(field.id, term));
  }

  /** Documents with a term, deleted ones too: what idf counts. */
  documentFrequency(field: number, term: Uint8Array): number {
    let terms = this.#terms.get(field);
    if (terms === undefined) this.#terms.set(field, (terms = new Map()));
    const known = terms.get(term);
    if (known !== undefined) return known;
    const df = this.#mergedFrequency(field, term) ?? this.#countedFrequency(field, term);
    terms.set(term, df);
    return df;
  }

  #figures(field: number): Pick<FieldFigures, 'docs' | 'tokens'> {
    const merged = this.#merged?.get(field);
    return merged ?? gatherFigures(this.#segments, [{ field, terms: [] }])[0];
  }

  #countedFrequency(field: number, term: Uint8Array): number {
    let df = 0;
    for (const segment of this.#segments) df += segment.inverted(field)?.frequency(term) ?? 0;
    return df;
  }

  #mergedFrequency(field: number, term: Uint8Array): number | undefined {
    const figures = this.#merged?.get(field);
    if (figures === undefined) return undefined;
    // In the process that merged the figures, terms are those of the clause itself.
    const at = figures.terms.indexOf(term);
    if (at >= 0) return figures.frequencies[at];
    let terms = this.#mergedTerms.get(field);
    if (terms === undefined) {
      const { frequencies } = figures;
      terms = new Map(figures.terms.map((own, i) => [termMapKey(own), frequencies[i]]));
      this.#mergedTerms.set(field, terms);
    }
    return terms.get(termMapKey(term));
  }
}
