/**
 * What somebody probably meant by a clause that finds nothing, in this order:
 *
 * 1. a range or a day that was written in another way (respell.ts);
 * 2. the same text in another case or with other accents, in any field of a bare word;
 * 3. the nearest term.
 *
 * The last two are suggested only if they find documents.
 */
import { type ClauseElsewhere, LhsError } from '@lakehouse-search/contract';
import { analyzeToTokens } from '../analysis/tokens.ts';
import { findField, flattenedColumn, type QueryFields } from '../query/bind/fields.ts';
import type { Query } from '../query/query.ts';
import { escapeField, escapeWord } from '../query/syntax/characters.ts';
import { printQuery } from '../query/syntax/print.ts';
import { queryFields } from '../shard/request/query-fields.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';
import { likePattern, plainText, runsOfLike } from './like-pattern.ts';
import { respelled } from './respell.ts';
import { matchingTerms, nearestTerm } from './suggest.ts';

/** A clause in the query syntax, and how many documents it finds; undefined: not counted. */
export interface MeantClause {
  readonly clause: string;
  readonly total?: number;
}

/** What a guess needs of the search. */
export interface Guesser {
  readonly context: SearchContext;
  readonly fan: FanOut;
  /** Documents that a query finds. */
  readonly count: (query: Query) => Promise<number>;
  /** A word of the documents that a term of a TEXT field was made of. */
  readonly wordOf: (field: string, term: string) => Promise<string>;
}

/** Queries of one field with a text that may be spelled in another way. */
type Valued = Query & { readonly kind: 'term' | 'phrase' | 'prefix' | 'wildcard' };
type Guess = (guesser: Guesser, node: Valued) => Promise<readonly Valued[]>;

/** Other fields that are searched for a bare word. */
const TRIED_FIELDS = 16;
/** Other fields that are shown. */
const SHOWN_FIELDS = 3;

/** The clause that was probably meant; undefined: there is no such guess. */
export async function meantClause(
  guesser: Guesser,
  node: Query,
  written: string,
): Promise<MeantClause | undefined> {
  const fields = queryFields(guesser.context.mapping);
  const leaves = leavesOf(node);
  for (const leaf of leaves) {
    const clause = respelled(leaf, written, fields);
    if (clause !== undefined) return { clause };
  }
  const valued = leaves.filter(isValued);
  return (await bestGuess(guesser, valued, alike)) ?? (await bestGuess(guesser, valued, near));
}

/**
 * A bare word in other fields than those that were searched, and a value of a path in the texts of
 * its flattened column: the most frequent first.
 */
export async function meantElsewhere(
  guesser: Guesser,
  node: Query,
): Promise<readonly ClauseElsewhere[]> {
  const leaves = leavesOf(node).filter(isValued);
  const [leaf] = leaves;
  if (leaf === undefined) return [];
  const fields = queryFields(guesser.context.mapping);
  const searched = new Set(leaves.map(({ field }) => field));
  const others = isBare(leaf) ? otherFields(fields, searched) : flattenedColumn(fields, leaf.field);
  const found: ClauseElsewhere[] = [];
  for (const field of others) {
    const there = { ...leaf, field, fieldSpan: leaf.span };
    const self: Guess = async () => [there];
    const meant =
      (await bestGuess(guesser, [there], self)) ?? (await bestGuess(guesser, [there], alike));
    if (meant !== undefined) found.push(meant);
  }
  return found.toSorted((a, b) => b.total - a.total).slice(0, SHOWN_FIELDS);
}

/** A term like a word, or the nearest one; undefined: there is none. */
export async function nearestSpelling(
  context: SearchContext,
  fan: FanOut,
  field: string,
  word: string,
): Promise<string | undefined> {
  const pattern = likePattern(word, false);
  const terms = pattern === undefined ? [] : await matchingTerms(context, fan, field, pattern);
  return terms.find((term) => term !== word) ?? nearestTerm(context, fan, field, word);
}

const otherFields = ({ plans }: QueryFields, searched: ReadonlySet<string>): readonly string[] =>
  [...plans.values()]
    .filter(({ name, inverted }) => inverted !== null && !name.includes('#') && !searched.has(name))
    .map(({ name }) => name)
    .slice(0, TRIED_FIELDS);

/** The clauses of one place in the query: those of a bare word in each default field. */
function leavesOf(node: Query): readonly Query[] {
  if (node.kind === 'boost') return leavesOf(node.query);
  return node.kind === 'bool' ? node.should.flatMap(leavesOf) : [node];
}

const isValued = (query: Query): query is Valued =>
  ['term', 'phrase', 'prefix', 'wildcard'].includes(query.kind);

/** True for a word of a query string without a field. */
const isBare = (node: Query): boolean => node.span !== undefined && node.fieldSpan === undefined;

/** The guess of all clauses that finds the most documents. */
async function bestGuess(
  guesser: Guesser,
  nodes: readonly Valued[],
  guess: Guess,
): Promise<ClauseElsewhere | undefined> {
  let best: ClauseElsewhere | undefined;
  for (const node of nodes) {
    for (const query of await guess(guesser, node)) {
      const total = await guesser.count(query);
      const clause = clauseText(query, isBare(node));
      if (clause === undefined || total <= (best?.total ?? 0)) continue;
      best = { clause, total };
    }
  }
  return best;
}

function clauseText(query: Valued, isBareWord: boolean): string | undefined {
  const text = printQuery(query);
  return isBareWord ? text?.slice(escapeField(query.field).length + 1) : text;
}

/** The same clause with texts of the field that differ in case, accents and marks alone. */
async function alike({ context, fan }: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { value, isPattern, target } = fieldValue(context, node);
  if (target?.plan.inverted == null) return [];
  const pattern = likePattern(value, isPattern);
  if (pattern === undefined || plainText(value) === '') return [];
  const terms = await matchingTerms(context, fan, node.field, pattern).catch(ifTooLarge);
  const spelled = terms.flatMap((term) => spelledAs(node, value, runsOfLike(pattern, term), term));
  return [...new Set(spelled)]
    .filter((text) => text !== node.value)
    .map((text): Valued => withValue(node, text));
}

/** The same clause with the nearest term. */
async function near(guesser: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { context, fan, wordOf } = guesser;
  const { value, target } = fieldValue(context, node);
  if (node.kind !== 'term' || target?.plan.inverted == null) return [];
  const { inverted } = target.plan;
  if (inverted.kind !== 'text') {
    const term = await nearestTerm(context, fan, node.field, value);
    return term === undefined ? [] : [withValue(node, term)];
  }
  const stems = analyzeToTokens(inverted.analyzer, node.value).map(({ token }) => token);
  if (stems.length !== 1) return [];
  for (const word of new Set([value, ...stems])) {
    const term = await nearestTerm(context, fan, node.field, word);
    if (term !== undefined) return [withValue(node, await wordOf(node.field, term))];
  }
  return [];
}

/** The text of a clause as its field's terms are written, and the field. */
function fieldValue({ mapping }: SearchContext, node: Valued) {
  const target = findField(queryFields(mapping), node.field);
  const inverted = target?.plan.inverted;
  const value = inverted?.kind === 'text' ? inverted.analyzer.normalize(node.value) : node.value;
  const isPattern = node.kind === 'prefix' || node.kind === 'wildcard';
  return { value: node.kind === 'prefix' ? `${value}*` : value, isPattern, target };
}

/** The text of a clause in the spelling of a term, of which a pattern took these runs. */
function spelledAs(
  { kind }: Valued,
  value: string,
  runs: readonly string[] | undefined,
  term: string,
): readonly string[] {
  if (kind === 'term' || kind === 'phrase') return [term];
  if (runs === undefined) return [];
  if (kind === 'prefix') return [runs[0]];
  let next = 0;
  const parts = value.split(/([*?])/).filter((part) => part !== '');
  return [parts.map((part) => (/^[*?]$/.test(part) ? part : runs[next++])).join('')];
}

function withValue({ kind, field }: Valued, value: string): Valued {
  if (kind === 'prefix' || kind === 'wildcard') return { kind, field, value };
  return escapeWord(value) === value
    ? { kind: 'term', field, value }
    : { kind: 'phrase', field, value, slop: 0 };
}

/** No terms, if their pattern is too large. */
function ifTooLarge(error: unknown): readonly [] {
  if (error instanceof LhsError && error.code === 'limit_exceeded') return [];
  throw error;
}
