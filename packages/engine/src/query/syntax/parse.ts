import { LIMITS } from '../../base/limits.ts';
import type { Query } from '../query.ts';
import { Grammar } from './grammar.ts';
import { queryError, type Syntax } from './token.ts';

/** How a query string is to be read. */
export interface ParseOptions {
  readonly syntax?: Syntax;
  /** The fields of bare words, each of which may match. Absent or empty: bare words are refused. */
  readonly defaultFields?: readonly string[];
  /** What joins clauses that stand side by side: `or` unless told. */
  readonly defaultOperator?: 'or' | 'and';
  /** Limits other than those of base/limits.ts. */
  readonly limits?: {
    readonly queryBytes?: number;
    readonly queryDepth?: number;
    readonly queryClauses?: number;
  };
}

/**
 * The query that a query string means, with spans. Knows nothing of an index: whether fields exist
 * and values fit their types is found when the query is bound. Throws invalid_query (with place and
 * hint) and limit_exceeded.
 */
export function parseQuery(text: string, options: ParseOptions = {}): Query {
  const limits = { ...LIMITS, ...options.limits };
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.queryBytes) {
    const message = `the query is ${bytes} bytes long: at most ${limits.queryBytes} are read`;
    const hint = 'send long lists of values as a "terms" clause of the query tree';
    throw queryError('', { from: 0, to: 0 }, message, hint, 'limit_exceeded');
  }
  const grammar = new Grammar(text, {
    syntax: options.syntax ?? 'default',
    defaultFields: options.defaultFields ?? [],
    defaultOperator: options.defaultOperator ?? 'or',
    maxDepth: limits.queryDepth,
    maxClauses: limits.queryClauses,
  });
  return grammar.parse();
}
