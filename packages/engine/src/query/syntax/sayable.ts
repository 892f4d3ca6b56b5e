import { LhsError } from '@lakehouse-search/contract';
import { requiredOf } from '../minimum.ts';
import type { Query } from '../query.ts';

/** A part of a query that no query string says. */
export interface Unsayable {
  /** Where it stands in the JSON tree: `ast.bool.filter`. */
  readonly path: string;
  readonly reason: string;
  readonly hint: string;
}

/**
 * The first part of the query for which the syntax has no words; null where a string can say it
 * all (print.ts writes it then). These are `filter`, a `minimum_should_match` between one and all,
 * `match` (its words depend on the analyzer), vectors, and patterns without a character.
 */
export function unsayable(query: Query, path = 'ast'): Unsayable | null {
  switch (query.kind) {
    case 'bool':
      return unsayableBool(query, `${path}.bool`);
    case 'boost':
      return unsayable(query.query, `${path}.boost.query`);
    case 'match':
      return {
        path: `${path}.match`,
        reason: 'is split into words by the analyzer of its field',
        hint: 'write its words as "term" clauses of a "bool"',
      };
    case 'knn':
    case 'more_like_this':
      return {
        path: `${path}.${query.kind}`,
        reason: 'asks for what is near or alike, and a string only for what is there',
        hint: 'send the tree as "ast"',
      };
    case 'dis_max':
    case 'constant_score':
    case 'boosting':
      return {
        path: `${path}.${query.kind}`,
        reason: 'changes scores in a way that a string has no sign for',
        hint: 'send the tree as "ast"',
      };
    case 'ids':
      return {
        path: `${path}.ids`,
        reason: 'names documents by their keys',
        hint: 'send the tree as "ast"',
      };
    case 'phrase':
    case 'phrase_prefix':
      return query.zero_terms === undefined ? null : unsayableOption(`${path}.${query.kind}`, ZERO);
    case 'fuzzy':
      if (query.prefix_length) return unsayableOption(`${path}.fuzzy`, 'prefix_length');
      return query.value === '' ? emptyPattern(query.kind, path) : null;
    case 'wildcard':
    case 'regex':
      return query.value === '' ? emptyPattern(query.kind, path) : null;
    default:
      return null;
  }
}

/** Throws unsupported, with the path, where no query string says the query. */
export function requireSayable(query: Query): void {
  const found = unsayable(query);
  if (found === null) return;
  const { path, reason, hint } = found;
  const message = `${path} cannot be said in a query string: it ${reason}`;
  throw new LhsError('unsupported', message, { hint, details: { path } });
}

const ZERO = 'zero_terms';

const unsayableOption = (path: string, option: string): Unsayable => ({
  path: `${path}.${option}`,
  reason: 'has no sign in a string',
  hint: 'send the tree as "ast"',
});

const emptyPattern = (kind: string, path: string): Unsayable => ({
  path: `${path}.${kind}.value`,
  reason: 'is empty, and a string has nothing to write there',
  hint: 'write {"term": {"field": …, "value": ""}} for the empty value',
});

function unsayableBool(query: Query & { readonly kind: 'bool' }, path: string): Unsayable | null {
  if (query.filter.length > 0) {
    return {
      path: `${path}.filter`,
      reason: 'decides without a score',
      hint: 'send it as the "filter" of the request, or move it to "must"',
    };
  }
  const least = wantedShould(query);
  if (least === null) {
    return {
      path: `${path}.minimum_should_match`,
      reason: `asks for ${query.minimum_should_match} of ${query.should.length} clauses`,
      hint: 'a string says one of them (OR) or all of them (AND); beside "must" leave 0 away',
    };
  }
  for (const part of ['must', 'should', 'must_not'] as const) {
    for (const [i, clause] of query[part].entries()) {
      const found = unsayable(clause, `${path}.${part}[${i}]`);
      if (found !== null) return found;
    }
  }
  return null;
}

/**
 * How many of a bool's `should` have to match, as a string can say it; null where it cannot, as
 * with two of three. A 0 that is written out holds even where analysis leaves nothing of `must`.
 */
export function wantedShould(
  query: Query & { readonly kind: 'bool' },
): 'none' | 'one' | 'all' | null {
  const { must, should, minimum_should_match: wanted } = query;
  const least = typeof wanted === 'string' ? requiredOf(wanted, should.length) : wanted;
  if (should.length === 0) return least === undefined || least === 0 ? 'none' : null;
  if (least === undefined) return must.length === 0 ? 'one' : 'none';
  if (least === 1) return 'one';
  return least === should.length ? 'all' : null;
}
