import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Clause } from './clause.ts';

/** Documents of one segment, rising, with the score of each: above or at 0. */
export interface GivenSegment {
  readonly docs: Int32Array;
  readonly scores: Float64Array;
}

/** What the nearest documents of a vector were asked by. */
export interface GivenNear {
  readonly field: FieldPlan;
  /** null: the text has nothing that the model knows, and nothing is near it. */
  readonly vector: Float32Array | null;
  readonly k: number;
  readonly min_score?: number;
  /** What the documents had to match to be looked at. */
  readonly narrowing: readonly Clause[];
}

/**
 * Documents that were found before a query runs, each with its score: the nearest of a vector, or
 * two lists fused into one. They belong to one snapshot; deleted documents are not among them.
 */
export interface GivenDocs {
  /** What they are, in a few words: `nearest 100 by body_vec`. */
  readonly label: string;
  /** By the id of the segment; segments without any are absent. */
  readonly segments: ReadonlyMap<string, GivenSegment>;
  /** The words of the text that was asked for, to be marked in hits; null: there was none. */
  readonly words: Clause | null;
  /** Only of the nearest of a vector. */
  readonly near?: GivenNear;
}

/** A document of a segment and its score. */
export interface ScoredDoc {
  readonly segment: number;
  readonly doc: number;
  readonly score: number;
}

/** Puts scored documents, each once, in the order in which clauses read them. */
export function givenDocs(
  label: string,
  found: readonly ScoredDoc[],
  segments: readonly { readonly id: string }[],
  words: Clause | null,
  near?: GivenNear,
): GivenDocs {
  const bySegment = Map.groupBy(found, (one) => one.segment);
  const given = [...bySegment].map(([number, docs]): [string, GivenSegment] => {
    const rising = docs.toSorted((a, b) => a.doc - b.doc);
    return [
      segments[number].id,
      {
        docs: Int32Array.from(rising, (one) => one.doc),
        scores: Float64Array.from(rising, (one) => one.score),
      },
    ];
  });
  const docs = { label, segments: new Map(given), words };
  return Object.freeze(near === undefined ? docs : { ...docs, near });
}

/** The score of a document; null: it is not among them. */
export function givenScore(given: GivenDocs, segment: string, doc: number): number | null {
  const own = given.segments.get(segment);
  const at = own === undefined ? -1 : own.docs.indexOf(doc);
  return at < 0 ? null : own!.scores[at];
}
