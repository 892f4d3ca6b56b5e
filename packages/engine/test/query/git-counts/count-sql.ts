/** The SQL condition on `docs` that a query tree means, over the tables of token-table.ts. */

import { type PatternNode, patternMatches } from '../../../../../test/support/oracle/model.ts';
import type { Query } from '../../../src/query/query.ts';
import { TEXTS, type TokenTable } from './token-table.ts';

const ASCII = /^[\x20-\x7e]*$/;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const isText = (field: string): field is (typeof TEXTS)[number] =>
  (TEXTS as readonly string[]).includes(field);

/** True for the rows of `docs` that match. Words of queries are tokens already. */
export function conditionOf(query: Query, table: TokenTable): string {
  switch (query.kind) {
    case 'match_all':
      return 'true';
    case 'match_none':
      return 'false';
    case 'boost':
      return conditionOf(query.query, table);
    case 'bool':
      return boolOf(query, table);
    case 'terms':
      return anyOf(query.values.map((value) => termOf(query.field, value)));
    case 'term':
      return termOf(query.field, query.value);
    case 'match': {
      const parts = query.value.split(' ').map((word) => termOf(query.field, word));
      return query.operator === 'and' ? allOf(parts) : anyOf(parts);
    }
    case 'phrase':
      return phraseOf(query.field, query.value.split(' '), query.slop);
    case 'exists':
      return isText(query.field)
        ? holding(`term in (select id from terms where field = ${quoted(query.field)})`)
        : `${query.field} is not null`;
    case 'range': {
      const { field, lower, upper } = query;
      const low = lower && `${field} ${lower.inclusive ? '>=' : '>'} ${lower.value}`;
      const high = upper && `${field} ${upper.inclusive ? '<=' : '<'} ${upper.value}`;
      return known(allOf([low, high].filter((part) => part !== undefined)), field);
    }
    case 'cidr':
    case 'knn':
    case 'more_like_this':
    case 'ids':
    case 'dis_max':
    case 'constant_score':
    case 'boosting':
    case 'phrase_prefix':
      throw new Error(`git.commits has nothing for ${query.kind} here`);
    default:
      return patternOf(query, table);
  }
}

const allOf = (parts: readonly string[]): string =>
  parts.length === 0 ? 'true' : `(${parts.join(' and ')})`;
const anyOf = (parts: readonly string[]): string =>
  parts.length === 0 ? 'false' : `(${parts.join(' or ')})`;
const known = (condition: string, field: string): string =>
  `(${field} is not null and ${condition})`;
const holding = (tokens: string): string => `doc in (select doc from tokens where ${tokens})`;
const idOf = (field: string, term: string): string =>
  `(select id from terms where field = ${quoted(field)} and term = ${quoted(term)})`;

function termOf(field: string, value: string): string {
  if (isText(field)) return holding(`term = ${idOf(field, value)}`);
  return known(`${field} = ${field === 'repo' ? quoted(value) : value}`, field);
}

/**
 * A word at offset o and position p has the place p - o: places within `slop` of each other, no
 * position twice.
 */
function phraseOf(field: string, words: readonly string[], slop: number): string {
  if (!isText(field)) return termOf(field, words.join(' '));
  const term = (word: string) => `term = ${idOf(field, word)}`;
  if (slop === 0 || words.length === 1) {
    const parts = words.map(
      (word, i) => `select doc, position - ${i} as place from tokens where ${term(word)}`,
    );
    return `doc in (select doc from (${parts.join(' intersect ')}))`;
  }
  const sides = words.map(
    (word, i) =>
      `(select doc, position, position - ${i} as place from tokens where ${term(word)}) w${i}`,
  );
  const joined = sides.slice(1).map((side, i) => `join ${side} on w${i + 1}.doc = w0.doc`);
  const places = words.map((_, i) => `w${i}.place`).join(', ');
  const apart = words.flatMap((_, i) =>
    words.slice(0, i).map((_, j) => `w${i}.position <> w${j}.position`),
  );
  const near = `greatest(${places}) - least(${places}) <= ${slop}`;
  const from = `${sides[0]} ${joined.join(' ')}`;
  return `doc in (select w0.doc from ${from} where ${allOf([near, ...apart])})`;
}

function patternOf(query: PatternNode, { terms }: TokenTable): string {
  const { field } = query;
  if (!isText(field)) return known(`starts_with(${field}, ${quoted(query.value)})`, field);
  const of = `field = ${quoted(field)}`;
  if (query.kind === 'prefix') {
    const ids = `select id from terms where ${of} and starts_with(term, ${quoted(query.value)})`;
    return holding(`term in (${ids})`);
  }
  if (query.kind === 'wildcard') {
    const pattern = query.value.replaceAll('*', '.*').replaceAll('?', '.');
    const regexp = quoted(pattern);
    const ids = `select id from terms where ${of} and regexp_full_match(term, ${regexp}, 's')`;
    return holding(`term in (${ids})`);
  }
  const name = `${query.kind} ${field} ${query.kind === 'fuzzy' ? query.edits : 0} ${query.value}`;
  const found = near.get(name) ?? terms[field].filter(closeTo(query));
  near.set(name, found);
  if (found.length === 0) return 'false';
  const ids = `select id from terms where ${of} and term in (${found.map(quoted).join(', ')})`;
  return holding(`term in (${ids})`);
}

/** Terms that patterns match, by kind, field, edits and value. */
const near = new Map<string, readonly string[]>();

/** `patternMatches`, after a cheap bound: an edit adds or takes at most one distinct letter. */
function closeTo(query: PatternNode): (term: string) => boolean {
  if (query.kind !== 'fuzzy') return (term) => patternMatches(query, term);
  const { edits, value } = query;
  const own = letters(value);
  return (term) => {
    // A character beyond 16 bits is two units.
    const units = edits * (ASCII.test(term + value) ? 1 : 2);
    if (Math.abs(term.length - value.length) > units) return false;
    const other = letters(term);
    if (bits(own & ~other) > units || bits(other & ~own) > units) return false;
    return patternMatches(query, term);
  };
}

function letters(text: string): number {
  let found = 0;
  for (let i = 0; i < text.length; i++) found |= 1 << (text.charCodeAt(i) & 31);
  return found;
}

function bits(of: number): number {
  let left = of;
  let count = 0;
  for (; left !== 0; count++) left &= left - 1;
  return count;
}

function boolOf(query: Query & { kind: 'bool' }, table: TokenTable): string {
  const of = (parts: readonly Query[]) => parts.map((part) => conditionOf(part, table));
  const { must, should, must_not, filter, minimum_should_match: wanted } = query;
  const byDefault = must.length + filter.length === 0 && should.length > 0 ? 1 : 0;
  const least = Number(wanted ?? byDefault);
  if (least > should.length) return 'false';
  const some = of(should).map((part) => `(${part})::integer`);
  return allOf([
    ...of(must),
    ...of(filter),
    ...of(must_not).map((part) => `not ${part}`),
    ...(least === 0 ? [] : [`${some.join(' + ')} >= ${least}`]),
  ]);
}
