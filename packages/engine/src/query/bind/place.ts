import { type ErrorAdvice, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { Query, Span } from '../query.ts';

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
