import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Clause } from './clause.ts';

/** Documents of one segment, rising, with the score of each: above or at 0. */
export interface GivenSegment {
  readonly docs: Int32Array;
  readonly scores: Float64Array;
}

/** What the nearest documents of a vector were asked by. */
export interface GivenNear {
  /** Tells it from the other ones of the request. */
  readonly id: string;
  readonly field: FieldPlan;
  /** null: the text has nothing that the model knows, and nothing is near it. */
  readonly vector: Float32Array | null;
  readonly k: number;
  readonly min_score?: number;
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

/** The score of a document; null: it is not among them. */
export function givenScore(given: GivenDocs, segment: string, doc: number): number | null {
  const own = given.segments.get(segment);
  const at = own === undefined ? -1 : own.docs.indexOf(doc);
  return at < 0 ? null : own!.scores[at];
}
