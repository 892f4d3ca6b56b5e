import type { Bound, Query } from '../query.ts';
import { escapeField, escapeWord, quote } from './characters.ts';
import { unsayable, wantedShould } from './sayable.ts';
import type { Syntax } from './token.ts';

/**
 * A query string (default operator `or`) that matches what the query matches, in both syntaxes;
 * `kql` writes its operators in small letters. undefined where the syntax has no way to say it
 * (sayable.ts). Every field is written out. parseQuery of it is the query again, up to bools of one
 * clause, sets (an OR, whose clauses score), CIDR blocks (a term, told by the field's type) and
 * patterns that are another kind's in a string (a wildcard without `*` and `?` is a word within no
 * edits).
 */
export function printQuery(query: Query, syntax: Syntax = 'default'): string | undefined {
  return unsayable(query) === null ? print(query, OPERATORS[syntax]) : undefined;
}

interface Operators {
  readonly and: string;
  readonly or: string;
  readonly not: string;
}
const OPERATORS: Readonly<Record<Syntax, Operators>> = {
  default: { and: ' AND ', or: ' OR ', not: 'NOT ' },
  kql: { and: ' and ', or: ' or ', not: 'not ' },
};

function print(query: Query, words: Operators): string {
  switch (query.kind) {
    case 'bool':
      return printBool(query, words);
    case 'boost':
      return `${printOperand(query.query, words, query.query.kind === 'boost')}^${query.factor}`;
    case 'match':
    case 'knn':
    case 'more_like_this':
    case 'dis_max':
    case 'constant_score':
    case 'boosting':
    case 'ids':
      throw new TypeError(`a ${query.kind} has no query string`);
    case 'match_all':
      return '*:*';
    case 'match_none':
      return '-*:*';
    case 'terms':
      return printTerms(query.field, query.values, words);
    default:
      return `${escapeField(query.field)}:${printValue(query)}`;
  }
}

type Valued = Exclude<
  Extract<Query, { readonly field: string }>,
  { readonly kind: 'match' | 'knn' | 'terms' }
>;

function printValue(query: Valued): string {
  switch (query.kind) {
    case 'term':
    case 'cidr':
      return printWord(query.value);
    case 'phrase':
      return quote(query.value) + (query.slop > 0 ? `~${query.slop}` : '');
    case 'phrase_prefix':
      return `${quote(query.value)}*`;
    case 'prefix':
      return query.value === '' ? ANY_TERM : `${escapeWord(query.value)}*`;
    case 'wildcard':
      return printWildcard(query.value);
    case 'regex':
      return `/${printRegex(query.value)}/`;
    case 'fuzzy':
      return `${escapeWord(query.value)}~${query.edits}`;
    case 'range':
      return printRange(query.lower, query.upper);
    case 'exists':
      return '*';
  }
}

const printWord = (value: string): string => (value === '' ? '""' : escapeWord(value));

/** Any term, unlike `*`, which is any value: a path's `*` takes paths below it, too. */
const ANY_TERM = '/.*/';

function printTerms(field: string, values: readonly string[], { or }: Operators): string {
  if (values.length === 0) return '-*:*';
  return `${escapeField(field)}:(${values.map(quote).join(or)})`;
}

function printRange(lower: Bound | undefined, upper: Bound | undefined): string {
  const open = lower === undefined || lower.inclusive ? '[' : '{';
  const close = upper === undefined || upper.inclusive ? ']' : '}';
  return `${open}${printBound(lower)} TO ${printBound(upper)}${close}`;
}

function printBound(bound: Bound | undefined): string {
  if (bound === undefined) return '*';
  return /^[\p{L}\p{N}_.:+/-]+$/u.test(bound.value) ? bound.value : quote(bound.value);
}

/** A pattern of the tree; without `*` and `?` outside of backslashes it is a term of its own. */
function printWildcard(pattern: string): string {
  if (/^\*+$/.test(pattern)) return ANY_TERM;
  if (/^(?:[^*?\\]|\\[\s\S]|\\$)*$/.test(pattern)) {
    return `${escapeWord(pattern.replace(/\\([\s\S])/g, '$1'))}~0`;
  }
  return printPattern(pattern);
}

/**
 * A pattern as in the tree (backslashes before literal `*`, `?`, `\`) as a word: other special
 * characters escaped too.
 */
function printPattern(pattern: string): string {
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '\\') out += `\\${pattern[++i] ?? '\\'}`;
    else if (character === '*' || character === '?') out += character;
    else out += out === '' ? escapeWord(character) : escapeWord(`_${character}`).slice(1);
  }
  return out;
}

function printRegex(pattern: string): string {
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '\\') out += character + (pattern[++i] ?? '');
    else out += character === '/' ? '\\/' : character;
  }
  return out;
}

function printBool(query: Query & { readonly kind: 'bool' }, words: Operators): string {
  const { must_not } = query;
  const wanted = wantedShould(query);
  const must = wanted === 'all' ? [...query.must, ...query.should] : query.must;
  const should = wanted === 'all' ? [] : query.should;
  const clause = (sign: string) => (part: Query) => sign + printOperand(part, words);
  if (must.length + should.length + must_not.length === 0) return '*:*^0';
  if (should.length === 0) {
    return [...must.map(clause('')), ...must_not.map(clause(words.not))].join(words.and);
  }
  if (must.length === 0 && must_not.length === 0) return should.map(clause('')).join(words.or);
  const one = wanted === 'one' && must.length > 0;
  const optional = one ? [`+(${should.map(clause('')).join(words.or)})`] : should.map(clause(''));
  return [...must.map(clause('+')), ...optional, ...must_not.map(clause('-'))].join(' ');
}

/** In parentheses where it would not be one clause otherwise. */
function printOperand(query: Query, words: Operators, always = false): string {
  const none = query.kind === 'match_none' || (query.kind === 'terms' && !query.values.length);
  const text = print(query, words);
  return always || none || query.kind === 'bool' ? `(${text})` : text;
}
