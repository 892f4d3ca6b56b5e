import { type ErrorAdvice, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../../base/limits.ts';
import type { Query, Span } from '../query.ts';
import type { QueryFields } from './fields.ts';

/** A node that names one field. */
export type LeafNode = Exclude<Extract<Query, { readonly field: string }>, { kind: 'knn' }>;

/** What one binding carries along. */
export interface BindScope {
  readonly fields: QueryFields;
  readonly text: QueryText;
  /** What is odd in the query, as sentences for the response. */
  readonly notes: string[];
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

/** The query string that a tree was parsed from; null for trees that came as JSON. */
export type QueryText = string | null;

/**
 * An error about a node: with the place in the query string where it is known. Code invalid_query
 * unless told.
 */
export function nodeError(
  text: QueryText,
  span: Span | undefined,
  message: string,
  hint: string | ErrorAdvice = {},
  code: ErrorCode = 'invalid_query',
): LhsError {
  const place = text === null || span === undefined ? undefined : { text, ...span };
  const advice = typeof hint === 'string' ? { hint } : hint;
  return new LhsError(code, message, { ...advice, place });
}

/** Where a node names its field, or else the whole node. */
export function fieldSpan(node: Query): Span | undefined {
  return node.fieldSpan ?? node.span;
}
