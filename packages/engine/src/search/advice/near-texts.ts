/** The same clause with other texts of its field: other case and accents, the nearest term. */
import type { Analyzer } from '../../analysis/analyzer.ts';
import { analyzeToTokens } from '../../analysis/tokens.ts';
import { findField } from '../../query/bind/fields.ts';
import { escapeWord } from '../../query/syntax/characters.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { SearchContext } from '../context.ts';
import { matchingTerms, nearestTerm } from '../suggest.ts';
import { type Guesser, isBare, type Valued } from './guesser.ts';
import { likePattern, literalPattern, plainText, runsOfLike } from './like-pattern.ts';

/** The same clause with texts of the field that differ in case, accents, marks and umlauts alone. */
export async function alike({ context, fan }: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { value, isPattern, target } = fieldValue(context, node);
  if (target?.plan.inverted == null || plainText(value) === '') return [];
  const umlauts = [value.replace(/[äöü]/gi, spelledOut), value.replace(/[aou]e/gi, umlautOf)];
  const found: string[] = [];
  for (const text of new Set([value, ...umlauts])) {
    if (text === value && comparesPlain(target.plan)) continue;
    const pattern = likePattern(text, isPattern);
    if (pattern === undefined) continue;
    const terms = await matchingTerms(context, fan, node.field, { pattern });
    found.push(...terms.flatMap((term) => spelledAs(node, text, runsOfLike(pattern, term), term)));
  }
  const others = [...new Set(found)].filter((text) => text !== node.value);
  return others.map((text) => withValue(node, text));
}

const spelledOut = (umlaut: string): string => `${plainText(umlaut)}e`;
const umlautOf = ([letter]: string): string => `${letter}\u0308`.normalize('NFC');

/** Letters with all that `plainText` drops. */
const MARKED = 'ÀÖşשָׁبَ';

const plainFields = new WeakMap<FieldPlan, boolean>();

/** True for a field whose terms never differ in case, accents and marks alone. */
function comparesPlain(plan: FieldPlan): boolean {
  const { folded, inverted } = plan;
  const isPlain =
    plainFields.get(plan) ??
    (folded !== undefined ||
      (inverted?.kind === 'text' && inverted.analyzer.normalize(MARKED) === plainText(MARKED)));
  plainFields.set(plan, isPlain);
  return isPlain;
}

/** The text of a clause in the spelling of a term, of which a pattern took these runs. */
function spelledAs(
  { kind }: Pick<Valued, 'kind'>,
  value: string,
  runs: readonly string[] | undefined,
  term: string,
): readonly string[] {
  if (kind === 'term' || kind === 'phrase') return [term];
  if (runs === undefined) return [];
  if (kind === 'prefix' || kind === 'phrase_prefix') return [runs[0]];
  let next = 0;
  const parts = value.split(/([*?])/).filter((part) => part !== '');
  return [parts.map((part) => (/^[*?]$/.test(part) ? part : runs[next++])).join('')];
}

/** The same clause with the nearest term. */
export async function near(guesser: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { context, fan, wordOf } = guesser;
  const { value, target } = fieldValue(context, node);
  if ((node.kind !== 'term' && node.kind !== 'phrase') || target?.plan.inverted == null) return [];
  const { inverted } = target.plan;
  if (inverted.kind !== 'text') {
    const term = await nearestTerm(context, fan, node.field, value);
    return term === undefined ? [] : [withValue(node, term)];
  }
  const stems = analyzeToTokens(inverted.analyzer, node.value).map(({ token }) => token);
  if (stems.length !== 1) return [];
  for (const word of new Set([value, ...stems])) {
    const term = await nearestTerm(context, fan, node.field, word);
    if (term !== undefined && !(isBare(node) && isChance(word, term)))
      return [withValue(node, await wordOf(node.field, term))];
  }
  const term = await stemOneEditAway(guesser, node.field, value, inverted.analyzer);
  return term === undefined ? [] : [withValue(node, await wordOf(node.field, term))];
}

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz');
/** Letters of a word of which the words one edit away are tried, at least and at most. */
const TRIED_LETTERS = [5, 16] as const;
/** Letters that such words begin with, too. */
const SAME_LETTERS = 3;

/**
 * The most frequent stem of the words one edit from an English one: the stem of "connction" is
 * three edits from that of "connection". Undefined: the field has none.
 */
async function stemOneEditAway(
  { context, fan }: Guesser,
  field: string,
  word: string,
  analyzer: Analyzer,
): Promise<string | undefined> {
  const [least, most] = TRIED_LETTERS;
  const isTried = /^[a-z]+$/i.test(word) && word.length >= least && word.length <= most;
  if (!isTried || analyzer.isStemmed !== true) return undefined;
  const start = word.slice(0, SAME_LETTERS).toLowerCase();
  const terms = await matchingTerms(context, fan, field, { pattern: `${start}.*` });
  if (terms.length === 0) return undefined;
  const words = oneEditAway(word).join(' ');
  const stems = new Set(analyzeToTokens(analyzer, words).map(({ token }) => token));
  return terms.find((term) => stems.has(term));
}

/** The words one edit from a word behind its first letters. */
function oneEditAway(word: string): readonly string[] {
  const places = Array.from({ length: word.length - 2 }, (_, i) => i + SAME_LETTERS);
  return places.flatMap((at) => {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    const swapped = before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2);
    const others = LETTERS.flatMap((one) => [before + one + after, before + one + after.slice(1)]);
    return [swapped, before + after.slice(1), ...others];
  });
}

/** Letters of a word that is near to any other: `jon` to `son`. */
const FEW_LETTERS = 3;

/** Whether a term of other letters is near to a word because that is short. */
const isChance = (word: string, term: string): boolean =>
  Array.from(word).length <= FEW_LETTERS &&
  Array.from(word).sort().join('') !== Array.from(term).sort().join('');

/** The same clause with whole values whose digits have more or fewer zeros before them. */
export async function padded({ context, fan }: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { target } = fieldValue(context, node);
  const [, digits] = (node.kind === 'term' && /^0*(\d+)$/.exec(node.value)) || [];
  if (digits === undefined || target?.plan.inverted?.kind !== 'keyword') return [];
  const terms = await matchingTerms(context, fan, node.field, { pattern: `0*${digits}` });
  return terms.filter((term) => term !== node.value).map((term) => withValue(node, term));
}

/** Letters and digits of a code, at least and at most. */
const CODE_LENGTHS = [3, 40] as const;

/** The same clause with whole values of the same letters and digits: `E11.9` for `e119`. */
export async function otherSigns(
  { context, fan }: Guesser,
  node: Valued,
): Promise<readonly Valued[]> {
  const { target } = fieldValue(context, node);
  if (node.kind !== 'term' || target?.plan.inverted?.kind !== 'keyword') return [];
  const letters = Array.from(node.value.replace(/[^\p{L}\p{N}]/gu, ''));
  const [least, most] = CODE_LENGTHS;
  if (letters.length < least || letters.length > most || !/\p{N}/u.test(node.value)) return [];
  const cases = letters.map((one) => `[${one.toLowerCase()}${one.toUpperCase()}]`);
  const pattern = cases.join('[-./_ ]?');
  const terms = await matchingTerms(context, fan, node.field, { pattern });
  return terms.filter((term) => term !== node.value).map((term) => withValue(node, term));
}

/** The longest word that is split in two. */
const LONGEST_SPLIT = 24;

/** The same clause with one word as two, or with the parts of a word as one or as words. */
export async function rejoined(guesser: Guesser, node: Valued): Promise<readonly Valued[]> {
  const { target } = fieldValue(guesser.context, node);
  const inverted = target?.plan.inverted;
  if ((node.kind !== 'term' && node.kind !== 'phrase') || inverted?.kind !== 'text') return [];
  if (/\s/.test(node.value) || !/\p{L}/u.test(node.value)) return [];
  const parts = node.value.split(/[^\p{L}\p{M}\p{N}]+/u).filter((part) => part !== '');
  const [word] = parts;
  const texts =
    parts.length === 1
      ? await halves(guesser, node.field, word, inverted.analyzer)
      : [parts.join(''), parts.join(' ')];
  return texts.map((text) => withValue({ ...node, kind: 'term' }, text));
}

/** A word in two, the first of which the field has as a word. */
async function halves(
  { context, fan }: Guesser,
  field: string,
  word: string,
  analyzer: Analyzer,
): Promise<readonly string[]> {
  const letters = Array.from(word);
  if (letters.length < 4 || letters.length > LONGEST_SPLIT) return [];
  const starts = Array.from(analyzer.normalize(word)).slice(0, -2).map(literalPattern);
  const pattern = starts.reduceRight((rest, letter) => `(${letter}${rest})?`, '').slice(0, -1);
  const terms = new Set(await matchingTerms(context, fan, field, { pattern }));
  return letters.slice(1, -1).flatMap((_, i) => {
    const start = letters.slice(0, i + 1).join('');
    const [stem] = analyzeToTokens(analyzer, start);
    return terms.has(stem?.token ?? start) ? [`${start} ${letters.slice(i + 1).join('')}`] : [];
  });
}

/** The text of a clause as its field's terms are written, and the field. */
export function fieldValue({ mapping }: SearchContext, node: Valued) {
  const target = findField(queryFields(mapping), node.field);
  const inverted = target?.plan.inverted;
  const value = inverted?.kind === 'text' ? inverted.analyzer.normalize(node.value) : node.value;
  const isStart = node.kind === 'prefix' || node.kind === 'phrase_prefix';
  const isPattern = isStart || node.kind === 'wildcard';
  return { value: isStart ? `${value}*` : value, isPattern, target };
}

/** The same clause with a text that stands there as it is. */
export function withValue({ kind, field }: Valued, value: string): Valued {
  if (kind !== 'term' && kind !== 'phrase') return { kind, field, value };
  return escapeWord(value) === value
    ? { kind: 'term', field, value }
    : { kind: 'phrase', field, value, slop: 0 };
}
