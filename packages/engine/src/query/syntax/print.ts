import type { Bound, Query } from '../query.ts';
import { escapeField, escapeWord, quote } from './characters.ts';

/**
 * A query string (default syntax, default operator `or`) that means the same as the query;
 * undefined where the syntax has no way to say it: `filter`, a `minimum_should_match` other than
 * the default, `match` (it is analysed first). Every field is written out. parseQuery of it is the
 * query again, up to bools of one clause, sets (an OR) and CIDR blocks (a term, told by the field's
 * type).
 */
export function printQuery(query: Query): string | undefined {
  switch (query.kind) {
    case 'bool':
      return printBool(query);
    case 'boost': {
      const inner = printOperand(query.query, query.query.kind === 'boost');
      return inner === undefined ? undefined : `${inner}^${query.factor}`;
    }
    case 'match':
      return undefined;
    case 'match_all':
      return '*:*';
    case 'match_none':
      return '-*:*';
    case 'terms':
      return printTerms(query.field, query.values);
    default:
      return `${escapeField(query.field)}:${printValue(query)}`;
  }
}

type Valued = Exclude<
  Query,
  { readonly kind: 'bool' | 'boost' | 'match' | 'match_all' | 'match_none' | 'terms' }
>;

function printValue(query: Valued): string {
  switch (query.kind) {
    case 'term':
    case 'cidr':
      return printWord(query.value);
    case 'phrase':
      return quote(query.value) + (query.slop > 0 ? `~${query.slop}` : '');
    case 'prefix':
      return `${escapeWord(query.value)}*`;
    case 'wildcard':
      return printPattern(query.value);
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

function printTerms(field: string, values: readonly string[]): string {
  if (values.length === 0) return '-*:*';
  return `${escapeField(field)}:(${values.map(quote).join(' OR ')})`;
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

function printBool(query: Query & { readonly kind: 'bool' }): string | undefined {
  const { must, should, must_not, filter, minimum_should_match: least } = query;
  if (filter.length > 0) return undefined;
  if (should.length > 0 && least !== undefined && least !== (must.length === 0 ? 1 : 0)) {
    return undefined;
  }
  if (must.length + should.length + must_not.length === 0) return '*:*';
  if (should.length === 0) return join([...must], must_not, ' AND ', 'NOT ');
  if (must.length === 0 && must_not.length === 0) return join(should, [], ' OR ', '');
  const required = must.map((q) => ['+', q] as const);
  const optional = should.map((q) => ['', q] as const);
  const excluded = must_not.map((q) => ['-', q] as const);
  const parts = [...required, ...optional, ...excluded].map(([sign, q]) => signed(sign, q));
  return parts.includes(undefined) ? undefined : parts.join(' ');
}

function join(
  clauses: readonly Query[],
  excluded: readonly Query[],
  operator: string,
  not: string,
): string | undefined {
  const parts = [...clauses.map((q) => signed('', q)), ...excluded.map((q) => signed(not, q))];
  return parts.includes(undefined) ? undefined : parts.join(operator);
}

function signed(sign: string, query: Query): string | undefined {
  const text = printOperand(query, query.kind === 'match_none');
  return text === undefined ? undefined : sign + text;
}

/** In parentheses where it would not be one clause otherwise. */
function printOperand(query: Query, always: boolean): string | undefined {
  const text = printQuery(query);
  const apart = always || query.kind === 'bool' || (query.kind === 'terms' && !query.values.length);
  return text === undefined || !apart ? text : `(${text})`;
}
