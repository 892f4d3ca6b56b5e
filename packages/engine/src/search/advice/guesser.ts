/** A guess at what a clause was meant as: what it needs, and the clauses that it is made for. */
import type { Query } from '../../query/query.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';

/** At most this many other fields are searched for a word. */
export const TRIED_FIELDS = 16;

/** What a guess needs of the search. */
export interface Guesser {
  readonly context: SearchContext;
  readonly fan: FanOut;
  /** Documents that a query finds. */
  readonly count: (query: Query) => Promise<number>;
  /** Documents that a query string finds, bare words in all default fields. */
  readonly countText: (query: string) => Promise<number>;
  /** A word of the documents that a term of a TEXT field was made of. */
  readonly wordOf: (field: string, term: string) => Promise<string>;
  /** Fields with more terms in a shard are not searched for words in their values. */
  readonly maxTerms?: number;
}

/** Queries of one field with a text that may be spelled in another way. */
export type Valued = Query & {
  readonly kind: 'term' | 'phrase' | 'phrase_prefix' | 'prefix' | 'wildcard';
};
/** Clauses that one may have been meant as. */
export type Guess = (guesser: Guesser, node: Valued) => Promise<readonly Valued[]>;

/** The clauses of one place in the query: those of a bare word in each default field. */
export function leavesOf(node: Query): readonly Query[] {
  if (node.kind === 'boost') return leavesOf(node.query);
  return node.kind === 'bool' ? node.should.flatMap(leavesOf) : [node];
}

/** Whether a query looks for a text in one field. */
export const isValued = (query: Query): query is Valued =>
  ['term', 'phrase', 'phrase_prefix', 'prefix', 'wildcard'].includes(query.kind);

/** True for a word of a query string without a field. */
export const isBare = (node: Query): boolean =>
  node.span !== undefined && node.fieldSpan === undefined;

/** The clauses of one place that look for a text, others for a text in single quotes. */
export const textLeaves = (node: Query): readonly Valued[] =>
  leavesOf(node)
    .filter(isValued)
    .map((leaf) => {
      const value = leaf.value.replace(SINGLE, '$1$2');
      return value === leaf.value ? leaf : { ...leaf, value };
    });

const SINGLE = /^(?:'(.+)'|‘(.+)’)$/su;
