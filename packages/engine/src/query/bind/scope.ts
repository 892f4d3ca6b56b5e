import { LIMITS } from '../../base/limits.ts';
import type { Query } from '../query.ts';
import type { QueryFields } from './fields.ts';
import { nodeError, type QueryText } from './place.ts';

/** A node that names one field. */
export type LeafNode = Exclude<
  Query,
  { kind: 'bool' | 'boost' | 'match_all' | 'match_none' | 'knn' }
>;

/** What one binding carries along. */
export interface BindScope {
  readonly fields: QueryFields;
  readonly text: QueryText;
  /** Clauses so far. */
  leaves: number;
}

/** Counts one more clause. Throws limit_exceeded past LIMITS.queryClauses. */
export function countLeaf(node: Query, scope: BindScope): void {
  if (++scope.leaves <= LIMITS.queryClauses) return;
  const message = `the query has more than ${LIMITS.queryClauses} clauses`;
  const hint = 'send long lists of values as a "terms" clause of the query tree';
  throw nodeError(scope.text, node.span, message, hint, 'limit_exceeded');
}
