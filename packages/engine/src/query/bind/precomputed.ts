import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SearchChoice } from '../../vector/search-cost.ts';
import type { Clause } from './clause.ts';

/** Documents of one segment, rising, and the score of each, at least 0. */
export interface BoundSegmentDocs {
  readonly docs: Int32Array;
  readonly scores: Float64Array;
}

/** The vector search that found the documents. */
export interface BoundVector {
  /** Unique within the request. */
  readonly id: string;
  readonly field: FieldPlan;
  /** null: the model knows no word of the text, so nothing is near it. */
  readonly vector: Float32Array | null;
  readonly k: number;
  readonly min_score?: number;
  /** How segments were searched, by their ids. */
  readonly searched: ReadonlyMap<string, SearchChoice>;
}

/**
 * Documents that were found before a query runs, each with its score: the nearest of a vector, or
 * two lists fused into one. They belong to one snapshot; deleted documents are not among them.
 */
export interface BoundDocs {
  /** A short description: `nearest 100 by body_vec`. */
  readonly label: string;
  /** By the id of the segment; segments without any are absent. */
  readonly segments: ReadonlyMap<string, BoundSegmentDocs>;
  /** The words of the query's text, to highlight in hits; null: the query has no text. */
  readonly words: Clause | null;
  /** Absent for lists that were fused. */
  readonly near?: BoundVector;
}

/** The words of a `more_like_this` node. */
export interface LikedTerms {
  /** By falling weight; `field`: a name. */
  readonly liked: readonly { readonly field: string; readonly term: Uint8Array }[];
}

/** How many documents there are. */
export const countDocs = ({ segments }: BoundDocs): number =>
  segments.values().reduce((sum, { docs }) => sum + docs.length, 0);

/** The score of a document; null if it is not among the precomputed ones. */
export function precomputedScore(
  precomputed: BoundDocs,
  segment: string,
  doc: number,
): number | null {
  const own = precomputed.segments.get(segment);
  const at = own === undefined ? -1 : own.docs.indexOf(doc);
  return at < 0 ? null : own!.scores[at];
}
