/** Words of a query as values of several fields: a name, or an address with its number. */
import type { SearchRequest } from '@lakehouse-search/contract';
import { ENGLISH_STOP_WORDS } from '../../../analysis/language/languages.ts';
import { hasValues, visiblePlans } from '../../../query/bind/fields.ts';
import { escapeField, escapeWord, quote } from '../../../query/syntax/characters.ts';
import type { FieldPlan } from '../../../schema/field-plan.ts';
import { queryFields } from '../../../shard/request/query-fields.ts';
import type { SearchContext } from '../../context.ts';
import { TRIED_FIELDS } from '../guesser.ts';
import { PLAIN } from '../meant.ts';
import { type Counted, type Reasoned, totalWith } from '../meant-queries.ts';
import type { ReadRequest } from '../read-request.ts';
import { wordsAlone } from './bare-words.ts';

/** Words that are looked up, at most. */
const WORDS = 5;
/** Queries that the next words are added to: those with the fewest clauses, then the most rows. */
const EXTENDED = 4;

interface OfFields extends Counted {
  /** The fields of the clauses. */
  readonly names: readonly string[];
}

/** The fields that words may be values of; copies of the texts of another field are not. */
export function fieldsOfWords({ mapping }: SearchContext): readonly FieldPlan[] {
  const fields = queryFields(mapping);
  const copies = new Set(fields.exact?.values());
  return visiblePlans(fields).filter((plan) => hasValues(fields, plan) && !copies.has(plan.name));
}

/** The query in which the words of another one, which has nothing else, are values of several fields. */
export async function spreadWords(read: ReadRequest): Promise<Reasoned | undefined> {
  const { context, checked } = read;
  const words = wordsAlone(read).filter((word) => !ENGLISH_STOP_WORDS.includes(word));
  const found = await inFields(context, checked.request, words);
  return found && { ...found, why: 'the words may be values of several fields' };
}

/** The parts of a code: `A1-005`. */
const PARTS = /^\s*[\p{L}\p{N}]+(?:[-/#][\p{L}\p{N}]+)+\s*$/u;

/** The query in which the parts of a code, numbers without leading zeros, are values of several fields. */
export async function spreadParts({
  context,
  checked,
}: ReadRequest): Promise<Reasoned | undefined> {
  const { query = '' } = checked.request;
  const parts = PARTS.test(query) ? query.trim().split(/[-/#]/) : [];
  const words = parts.map((part) => part.replace(/^0+(?=\d+$)/, ''));
  const found = await inFields(context, checked.request, words);
  return found && { ...found, why: 'its parts may be values of several fields' };
}

/**
 * The query in which each word, or several side by side, is the value of another field, with the
 * fewest clauses, then the most rows; undefined: a word has no field, or no row has all.
 */
export async function inFields(
  context: SearchContext,
  request: SearchRequest,
  words: readonly string[],
  plans: readonly FieldPlan[] = fieldsOfWords(context),
): Promise<Counted | undefined> {
  const holders: (readonly string[])[] = [];
  for (const word of words.length > WORDS ? [] : words) {
    const names = await namesWith(context, request, word, plans);
    if (names.length === 0) return undefined;
    holders.push(names);
  }
  if (holders.length < 2) return undefined;
  const texts = plans.filter(({ inverted }) => inverted !== null).map(({ name }) => name);
  const found: OfFields[][] = [[{ query: '', names: [], total: 0 }]];
  for (let end = 1; end <= words.length; end++) {
    const longer: OfFields[] = [];
    for (let start = 0; start < end; start++) {
      const [first, ...others] = holders.slice(start, end);
      const all = others.length === 0 ? first : first.filter((name) => texts.includes(name));
      const names = all.filter((name) => others.every((other) => other.includes(name)));
      const run = words.slice(start, end);
      longer.push(...(await extended(context, request, found[start], names, run)));
    }
    found.push(longer.toSorted(byClauses).slice(0, EXTENDED));
  }
  return found[words.length][0];
}

const byClauses = (a: OfFields, b: OfFields): number =>
  a.names.length - b.names.length || b.total - a.total;

/** The queries with rows that have another clause: the words in one of the fields. */
async function extended(
  context: SearchContext,
  request: SearchRequest,
  queries: readonly OfFields[],
  fields: readonly string[],
  words: readonly string[],
): Promise<readonly OfFields[]> {
  const found: OfFields[] = [];
  for (const { query, names } of queries) {
    for (const name of fields.filter((field) => !names.includes(field))) {
      const both = `${query === '' ? '' : `${query} AND `}${clauseOf(name, words)}`;
      const total = await totalWith(context, request, 'query', both);
      if (total) found.push({ query: both, names: [...names, name], total });
    }
  }
  return found;
}

const clauseOf = (field: string, words: readonly string[]): string =>
  `${escapeField(field)}:${words.length === 1 ? escapeWord(words[0]) : quote(words.join(' '))}`;

/** The names of the fields that have a word. */
async function namesWith(
  context: SearchContext,
  request: SearchRequest,
  word: string,
  plans: readonly FieldPlan[],
): Promise<readonly string[]> {
  const found: string[] = [];
  const mayHave = ({ type, inverted }: FieldPlan) => inverted !== null || PLAIN[type]?.test(word);
  for (const { name } of plans.filter(mayHave).slice(0, TRIED_FIELDS)) {
    const total = await totalWith(context, request, 'query', clauseOf(name, [word]));
    if (total) found.push(name);
  }
  return found;
}
