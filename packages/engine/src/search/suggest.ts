/**
 * Suggestions from the terms of all shards. A term's count is the sum over the shards, so the first
 * terms of each shard are only candidates: their counts are completed by the other shards, and the
 * shards are asked for more terms until no unseen term can belong to the answer.
 */

import { LhsError, type SuggestResponse } from '@lakehouse-search/contract';
import type { CheckedSuggest } from '@lakehouse-search/contract/internal';
import type { FieldTarget } from '../query/bind/fields.ts';
import { termMapKey } from '../query/weight/statistics.ts';
import { pathPrefix } from '../schema/variant-terms.ts';
import type { ShardSuggest } from '../shard/shard.ts';
import { termsTarget } from '../shard/suggest/suggest-terms.ts';
import { type RankedTerm, SuggestionList } from '../shard/suggest/suggestion-list.ts';
import { envelope, lagOf, type SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';
import { shownValues } from './originals.ts';

const DEFAULT_LIMIT = 10;
/** Terms that one shard lists at most: beyond, the counts of the listed terms decide. */
const MOST_LISTED = 65_536;

/**
 * Terms of a field near to a text, with the number of live documents that hold each; of a tenant,
 * the terms and counts of its documents. Throws invalid_argument (unknown field, field without
 * terms), limit_exceeded.
 */
export async function suggestIndex(
  context: SearchContext,
  request: CheckedSuggest,
): Promise<SuggestResponse> {
  const started = performance.now();
  const lag = lagOf(context);
  const target = termsTarget(request.field, context.mapping);
  const fan = new FanOut(context.shards);
  const terms = await firstTerms(context, fan, request, request.limit || DEFAULT_LIMIT);
  const texts = await shownTexts(context, fan, target, terms);
  const suggestions = terms.map(({ distance, count }, i) => {
    return { text: texts[i], doc_count: count, distance };
  });
  const failed = fan.failed === 0 ? {} : { failed_shards: fan.failed };
  return { suggestions, ...failed, ...envelope(context, started), ...(await lag) };
}

const SHORT_WORD = 5;
/** Letters that a word of six or seven letters and one two edits away begin with. */
const SAME_LETTERS = 4;
/** A typo of two edits may be in the second or third letter of longer words. */
const LONG_WORD = 7;
const LONGEST_WORD = 64;
/** Letters of words that are near to others, and letters that these have, at least. */
const LEAST_ALIKE = 3;
/** Spellings of a word that are compared. */
const SPELLINGS = 16;

/** Other terms than those near to a text. */
type WhichTerms = Pick<ShardSuggest, 'pattern' | 'maxTerms'>;

/** The texts of terms of a field, or of a path of a variant, the nearest and most frequent first. */
async function firstTexts(
  context: SearchContext,
  fan: FanOut,
  request: CheckedSuggest,
  limit: number,
  which: WhichTerms = {},
): Promise<readonly string[]> {
  const target = termsTarget(request.field, context.mapping, which.pattern !== undefined);
  const terms = await firstTerms(context, fan, request, limit, which);
  return shownTexts(context, fan, target, terms);
}

/** Terms as users know them: without the path of a variant, folded values as originals. */
async function shownTexts(
  context: SearchContext,
  fan: FanOut,
  target: FieldTarget,
  terms: readonly RankedTerm[],
): Promise<readonly string[]> {
  const head = target.kind === 'path' ? Buffer.byteLength(pathPrefix(target.path)) : 0;
  const texts = terms.map(({ term }) => Buffer.from(term.subarray(head)).toString());
  return texts.map(await shownValues(context, fan, target.plan, texts));
}

/**
 * Terms of a field or path that a regular expression matches, the most frequent first; none if it
 * is too large.
 */
export async function matchingTerms(
  context: SearchContext,
  fan: FanOut,
  field: string,
  which: WhichTerms,
): Promise<readonly string[]> {
  try {
    return await firstTexts(context, fan, { field, text: '' }, SPELLINGS, which);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'limit_exceeded') return [];
    throw error;
  }
}

/** The most frequent terms of a field, which may be a hidden one. */
export const frequentTerms = (
  context: SearchContext,
  fan: FanOut,
  field: string,
  limit: number,
): Promise<readonly string[]> =>
  firstTexts(context, fan, { field, text: '' }, limit, { pattern: '(.|\\n)*' });

/**
 * The term of a field or path that is nearest to a word: one edit away, or two of a long word,
 * first one that begins with the same letters; of one edit a swap, then a letter left out, then the
 * most frequent. A term of two letters is near to a longer word that
 * begins with it. Undefined: there is none.
 */
export async function nearestTerm(
  context: SearchContext,
  fan: FanOut,
  field: string,
  word: string,
): Promise<string | undefined> {
  const { length } = Array.from(word);
  if (length < LEAST_ALIKE || length > LONGEST_WORD) return undefined;
  const within = async (max_edits: number) => {
    const near = { field, text: word, fuzzy: true, max_edits };
    const texts = await firstTexts(context, fan, near, SPELLINGS);
    const isAlike = (text: string) =>
      text.length >= Math.min(length, LEAST_ALIKE) || word.startsWith(text);
    return texts.filter((text) => text !== word && isAlike(text));
  };
  const likelihood = oneEdit(word.toLowerCase());
  const [nearest] = (await within(1)).toSorted((a, b) => likelihood(a) - likelihood(b));
  if (nearest !== undefined || length <= SHORT_WORD) return nearest;
  const texts = await within(2);
  const beginning = (letters: number) => {
    const start = word.slice(0, letters).toLowerCase();
    return texts.find((text) => text.toLowerCase().startsWith(start));
  };
  return length > LONG_WORD ? (beginning(LEAST_ALIKE) ?? beginning(1)) : beginning(SAME_LETTERS);
}

const lettersOf = (text: string): string => Array.from(text).sort().join('');

/** The rank of a text one edit from a word: a swap, then a letter left out, then another one. */
function oneEdit(word: string): (text: string) => number {
  const letters = lettersOf(word);
  return (text) => {
    const lower = text.toLowerCase();
    if (lettersOf(lower) === letters) return 0;
    if (lower[0] !== word[0]) return 3;
    return lower.length > word.length ? 1 : 2;
  };
}

/** The first terms of all shards by distance, live documents and bytes. */
async function firstTerms(
  { deadline, tenant }: SearchContext,
  fan: FanOut,
  request: CheckedSuggest,
  limit: number,
  which: WhichTerms = {},
): Promise<readonly RankedTerm[]> {
  const whose = { ...(tenant === undefined ? {} : { tenant }), ...which };
  const firstOf = (most: number) =>
    fan.ask((shard) => {
      return shard.suggest(
        { request, limit: most, time: deadline.left, ...whose },
        deadline.signal,
      );
    });
  if (fan.alone) return (await firstOf(limit))[0] ?? [];
  for (let most = 2 * limit; ; most *= 4) {
    const lists = (await firstOf(most)).map((list) => list ?? []);
    const candidates = new Map(lists.flat().map((one) => [termMapKey(one.term), one]));
    const terms = [...candidates.values()].map(({ term }) => term);
    const counts = await fan.ask((shard) => {
      return shard.suggest(
        { request, limit: most, terms, time: deadline.left, ...whose },
        deadline.signal,
      );
    });
    const list = new SuggestionList(limit);
    [...candidates.values()].forEach(({ term, distance }, i) => {
      const count = counts.reduce((sum, own) => sum + (own?.[i].count ?? 0), 0);
      list.offer({ term, distance, count });
    });
    const cut = lists.filter(({ length }) => length === most);
    if (most > MOST_LISTED || isComplete(list, cut)) return list.terms;
  }
}

/**
 * True when no term that only the rest of the cut lists has can be among the first. Such a term is
 * not nearer than the last of any cut list, and at the least of their distances it has at most as
 * many documents as the last terms at that distance together.
 */
function isComplete(
  { worst, terms }: SuggestionList,
  cut: readonly (readonly RankedTerm[])[],
): boolean {
  if (cut.length === 0) return true;
  const last = worst ?? null;
  if (last === null || terms.length === 0) return false;
  const ends = cut.map((list) => list[list.length - 1]);
  const nearest = Math.min(...ends.map(({ distance }) => distance));
  if (last.distance !== nearest) return last.distance < nearest;
  const most = ends.reduce((sum, { distance, count }) => {
    return sum + (distance === nearest ? count : 0);
  }, 0);
  return last.count > most;
}
