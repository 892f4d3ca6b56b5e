/**
 * What somebody probably meant by a clause that finds nothing, in this order:
 *
 * 1. a condition in other signs (respell.ts), the text without single quotes, or another path;
 * 2. the same text in another case or with other accents, in any field of a bare word, the same
 *    digits behind other zeros, a code with other signs, or truth;
 * 3. objects that have the text as a key, whole values that have it as a word;
 * 4. the word in two, its parts in one (near-texts.ts);
 * 5. words and values that begin with the text (after the next, if it has no digit);
 * 6. the nearest term.
 *
 * They are suggested only if they find documents.
 */
import type { ClauseElsewhere } from '@lakehouse-search/contract';
import { nearest } from '@lakehouse-search/contract/internal';
import { lowerText } from '../../analysis/unicode/lower.ts';
import {
  fieldNamed,
  flattenedColumn,
  type QueryFields,
  visiblePlans,
} from '../../query/bind/fields.ts';
import type { Query } from '../../query/query.ts';
import { escapeField } from '../../query/syntax/characters.ts';
import { parseQuery } from '../../query/syntax/parse.ts';
import { printQuery } from '../../query/syntax/print.ts';
import type { FieldType } from '../../schema/definition.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { comparedText } from '../../schema/values/folded-keyword.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { matchingTerms, nearestTerm } from '../suggest.ts';
import { countIfValid } from './count-if-valid.ts';
import { periodsElsewhere } from './dates/periods-elsewhere.ts';
import { wholePeriod } from './dates/whole-period.ts';
import {
  type Guess,
  type Guesser,
  isBare,
  leavesOf,
  TRIED_FIELDS,
  textLeaves,
  type Valued,
} from './guesser.ts';
import { likePattern, literalPattern, plainText, runsOfLike } from './like-pattern.ts';
import { meantKeys, meantPath } from './missing-path.ts';
import { alike, fieldValue, near, otherSigns, padded, rejoined, withValue } from './near-texts.ts';
import { isAddress } from './pasted-text.ts';
import { reworded } from './phrase-words.ts';
import { respelled } from './respell.ts';
import { sameTruth } from './same-truth.ts';
import { codesElsewhere, codesOf } from './written/codes.ts';

/** A clause in the query syntax, and how many documents it finds. */
export interface MeantClause {
  readonly clause: string;
  readonly total: number;
  /** Why the clause as it was written finds less. */
  readonly note?: string;
}

/** Characters of a text, and of a bare word, that longer words may have been meant by. */
const LEAST_START = 2;
const LEAST_WORD = 3;
/** Other fields that are shown. */
export const SHOWN_FIELDS = 3;

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
    if (clause === undefined) continue;
    const total = clause.includes(':')
      ? await countIfValid(guesser.count, parseQuery(clause))
      : await guesser.countText(clause);
    if (total) return { clause, total };
  }
  const valued = textLeaves(node);
  const unquoted: Guess = async (_, text) => (leaves.includes(text) ? [] : [text]);
  const bare = await bestGuess(guesser, valued, unquoted);
  if (bare !== undefined) return bare;
  const atPath = await bestGuess(guesser, valued, onMeantPath);
  if (atPath !== undefined) return atPath;
  const spelled = await bestGuess(guesser, valued, alike);
  if (spelled !== undefined) return { ...spelled, ...accentsNote(fields, valued, spelled.query) };
  for (const guess of [padded, otherSigns]) {
    const same = await bestGuess(guesser, valued, guess);
    if (same !== undefined) return same;
  }
  const same = await bestGuess(guesser, valued, asTruth);
  if (same !== undefined) return same;
  const [leaf] = valued;
  const columns = leaf && isBare(leaf) ? fields.plans.keys() : [leaf?.field ?? ''];
  const [key] = leaf && isText(leaf) ? await meantKeys(guesser, columns, leaf.value) : [];
  if (key !== undefined) return key;
  const inValue = await bestGuess(guesser, valued, inside);
  if (inValue !== undefined) {
    const note = `${valued[0].field} compares whole values: ${inValue.clause} finds words in them`;
    return { ...inValue, note };
  }
  const phrase = await bestGuess(guesser, valued, asPhrase);
  if (phrase !== undefined) return phrase;
  const split = await bestGuess(guesser, valued, rejoined);
  if (split !== undefined) return split;
  const isAsMeant = leaf && isBare(leaf) && isNameOrOperator(leaf.value, fields);
  if (isAsMeant || codesOf(written).length > 0) return undefined;
  const closest = async () =>
    (await bestGuess(guesser, valued, reworded)) ??
    bestGuess(guesser, valued, await nearestOf(guesser, valued));
  const longer = () => bestGuess(guesser, valued, beginning);
  const nearby = /\p{N}/u.test(written) ? undefined : await closest();
  if (nearby !== undefined && !continues(nearby.query.value, valued[0].value)) return nearby;
  return (await longer()) ?? nearby ?? closest();
}

/** Whether a bare word is spelled as it was meant. */
const isNameOrOperator = (word: string, fields: QueryFields): boolean =>
  /^(?:and|or|not)$/i.test(word) || fieldNamed(fields, word) !== undefined;

/** Whether a text begins with another one, apart from case, accents and escapes. */
const continues = (text: string, start: string) => plainText(text).startsWith(plainText(start));

/**
 * A bare word in other fields than those that were searched, and a value of a path in the texts of
 * its flattened column: the most frequent first. `meant`: what the clause was probably meant as.
 */
export async function meantElsewhere(
  guesser: Guesser,
  node: Query,
  meant?: MeantClause,
): Promise<readonly ClauseElsewhere[]> {
  const leaves = textLeaves(node);
  const [leaf] = leaves;
  // fields of whole values refuse phrases that end with `*`
  if (leaf === undefined || leaf.kind === 'phrase_prefix') return [];
  const fields = queryFields(guesser.context.mapping);
  const searched = isBare(leaf) ? leaves.map(({ field }) => field) : [];
  const others = isBare(leaf) ? otherFields(fields, leaf) : flattenedColumn(fields, leaf.field);
  const found: ClauseElsewhere[] = [];
  for (const field of new Set([...searched, ...others])) {
    const there = { ...leaf, field, fieldSpan: leaf.span };
    const self: Guess = async () => [there, wholePeriod(there, fields) ?? []].flat();
    const guesses = searched.includes(field) ? [inside] : [self, alike, otherSigns, inside];
    const best = await firstGuess(guesser, [there], guesses);
    if (best !== undefined) found.push({ clause: best.clause, total: best.total });
  }
  if (isBare(leaf)) {
    const isValue = found.length > 0 || continues(meant?.clause ?? '', leaf.value);
    if (!isValue) found.push(...(await periodsElsewhere(guesser, leaf.value)));
    if (!isValue) found.push(...(await codesElsewhere(guesser, leaf.value)));
    if (isText(leaf)) found.push(...(await meantKeys(guesser, fields.plans.keys(), leaf.value)));
  }
  return found.toSorted((a, b) => b.total - a.total).slice(0, SHOWN_FIELDS);
}

async function firstGuess(
  guesser: Guesser,
  nodes: readonly Valued[],
  guesses: readonly Guess[],
): Promise<Best | undefined> {
  for (const guess of guesses) {
    const best = await bestGuess(guesser, nodes, guess);
    if (best !== undefined) return best;
  }
  return undefined;
}

/** A term like a word, or the nearest one; undefined: there is none. */
export async function nearestSpelling(
  context: SearchContext,
  fan: FanOut,
  field: string,
  word: string,
): Promise<string | undefined> {
  const pattern = likePattern(word, false);
  const terms = pattern === undefined ? [] : await matchingTerms(context, fan, field, { pattern });
  return terms.find((term) => term !== word) ?? nearestTerm(context, fan, field, word);
}

/** Fields that may have a value; numbers first in fields of numbers. */
function otherFields(fields: QueryFields, { value }: Valued): readonly string[] {
  const mayHave = ({ type }: FieldPlan) => PLAIN[type]?.test(value) === true;
  return visiblePlans(fields)
    .filter((plan) => plan.inverted !== null || mayHave(plan))
    .toSorted((a, b) => Number(mayHave(b)) - Number(mayHave(a)))
    .map(({ name }) => name)
    .slice(0, TRIED_FIELDS);
}

/** Values of fields without terms. */
export const PLAIN: Readonly<Partial<Record<FieldType, Pick<RegExp, 'test'>>>> = Object.freeze({
  LONG: /^(?!0\d\d?$)-?(?:\d{1,18}|[1-8]\d{18})$/,
  DOUBLE: /^(?!0\d)-?\d{1,15}(\.\d+)?$/,
  DATE: /^\d{4}(-\d\d(-\d\d)?)?$/,
  IP: { test: isAddress },
});

/** A guess, and how many documents it finds. */
export interface Best extends ClauseElsewhere {
  readonly query: Valued;
}

/** The guess of all clauses that finds the most documents. */
export async function bestGuess(
  guesser: Guesser,
  nodes: readonly Valued[],
  guess: Guess,
): Promise<Best | undefined> {
  const tried = new Set<string>();
  let best: Best | undefined;
  for (const node of nodes) {
    for (const query of await guess(guesser, node)) {
      const clause = clauseText(query, isBare(node));
      if (clause === undefined || tried.has(clause)) continue;
      tried.add(clause);
      const total = await (isBare(node) ? guesser.countText(clause) : guesser.count(query));
      if (total > (best?.total ?? 0)) best = { clause, total, query };
    }
  }
  return best;
}

/** A clause in the query syntax; undefined: the syntax cannot say it. */
export function clauseText(query: Valued, isBareWord: boolean): string | undefined {
  const text = printQuery(query);
  if (!isBareWord) return text;
  const bare = text?.slice(escapeField(query.field).length + 1);
  // the first colon of a bare word would end the name of a field
  return bare?.startsWith('"') ? bare : bare?.replaceAll(/(?<!\\):/g, '\\:');
}

/** The same clause, or one like it, on the path that a path of no row was meant for. */
async function onMeantPath(guesser: Guesser, node: Valued): Promise<readonly Valued[]> {
  const field = await meantPath(guesser, node.field);
  if (field === undefined) return [];
  const moved = { ...node, field };
  return (await guesser.count(moved)) > 0 ? [moved] : alike(guesser, moved);
}

/** The same clause with another word for true or false. */
async function asTruth({ context, fan }: Guesser, node: Valued): Promise<readonly Valued[]> {
  const texts = await sameTruth(context, fan, node.field, node.value);
  return texts.map((text) => withValue(node, text));
}

/** What finds a text with and without accents, if a guess differs in accents. */
function accentsNote(
  { plans }: QueryFields,
  nodes: readonly Valued[],
  { field, value }: Valued,
): Pick<MeantClause, 'note'> {
  const written = nodes.find((node) => node.field === field);
  if (written === undefined || lowerText(written.value) === lowerText(value)) return {};
  if (plainText(written.value) !== plainText(value)) return {};
  const type = plans.get(field)?.type;
  const setting = type === 'KEYWORD' ? '"folded: true"' : '"analyzer: folded"';
  const where = type === undefined ? 'a TEXT field of a shape with ' : '';
  return { note: `accents count in ${field}: ${where}${setting} finds both spellings` };
}

const isText = ({ kind }: Valued): boolean => kind === 'term' || kind === 'phrase';

/** Whether a clause is a text that values may have in them, short numbers apart. */
export const isInside = (node: Valued): boolean =>
  isText(node) && /^(?=.*\p{L}|\p{N}{4})@?[\p{L}\p{N}][^*?\\]*[\p{L}\p{N}]$/u.test(node.value);

/** The same clause for whole values that begin with its text, or have it as a word anywhere. */
export async function inside(
  { context, fan, maxTerms }: Guesser,
  node: Valued,
): Promise<readonly Valued[]> {
  const { value, target } = fieldValue(context, node);
  const plan = target?.plan;
  if (isBare(node) || !isInside(node) || plan?.inverted?.kind !== 'keyword') return [];
  // folded terms have one spelling, and a pattern of all spellings takes milliseconds to build
  const isFolded = plan.folded !== undefined;
  const own = isFolded ? literalPattern(comparedText(plan, value)) : likePattern(value, false);
  if (own === undefined) return [];
  const which = { pattern: `.*${own}.*`, ...(maxTerms !== undefined && { maxTerms }) };
  const terms = await matchingTerms(context, fan, node.field, which);
  const like = isFolded && terms.length > 0 ? likePattern(value, false) : own;
  const pattern = `.*${like ?? own}.*`;
  const words = terms.flatMap((term) => {
    const [run = ''] = runsOfLike(pattern, term) ?? [];
    const [before = '', after = ''] = term.split(run);
    if (before + after === '') return [];
    // a unit such as `g/day` stands behind digits
    const letters = /[^\p{L}\p{N}]/u.test(run) ? /\p{L}$/u : /[\p{L}\p{N}]$/u;
    return (letters.test(before) && !run.startsWith('@')) || /^[\p{L}\p{N}]/u.test(after)
      ? []
      : [run];
  });
  const { field } = node;
  return [...new Set(words)].flatMap((word): readonly Valued[] => [
    { kind: 'prefix', field, value: word },
    { kind: 'wildcard', field, value: `*${word}*` },
  ]);
}

/** The phrase of a pattern such as `CVE-2021-*`, of whose text an analyzer makes several words. */
async function asPhrase({ context }: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { target } = fieldValue(context, node);
  if (node.kind !== 'prefix' && node.kind !== 'wildcard') return [];
  const [, value, sign] =
    /^([\p{L}\p{N}](?:[^*?]*[\p{L}\p{N}])?)([^*?]*)\*?$/u.exec(node.value) ?? [];
  if (value === undefined || target?.plan.inverted?.kind !== 'text') return [];
  const { field } = node;
  return sign === ''
    ? [{ kind: 'phrase_prefix', field, value }]
    : [{ kind: 'phrase', field, value, slop: 0 }];
}

/** The same clause for words and values that begin with its text. */
async function beginning({ context }: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { value, target } = fieldValue(context, node);
  if (node.kind !== 'term' && node.kind !== 'phrase') return [];
  const least = isBare(node) ? LEAST_WORD : LEAST_START;
  if (target?.plan.inverted == null || plainText(value).length < least) return [];
  const { field } = node;
  return node.kind === 'phrase' && target.kind === 'field' && target.plan.type === 'TEXT'
    ? [{ kind: 'phrase_prefix', field, value: node.value }]
    : [{ kind: 'prefix', field, value }];
}

/** The guess of the nearest term of all clauses. */
async function nearestOf(guesser: Guesser, nodes: readonly Valued[]): Promise<Guess> {
  const found = new Map<Valued, readonly Valued[]>();
  for (const node of nodes) found.set(node, await near(guesser, node));
  const texts = [...found.values()].flat().map(({ value }) => value);
  const text = nearest(nodes[0]?.value ?? '', texts);
  return async (_, node) =>
    (found.get(node) ?? []).filter(({ value }) => text === undefined || value === text);
}
