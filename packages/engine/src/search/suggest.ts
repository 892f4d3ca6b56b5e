/**
 * Suggestions from the terms of all shards. A term's count is the sum over the shards, so the first
 * terms of each shard are only candidates: their counts are completed by the other shards, and the
 * shards are asked for more terms until no unseen term can belong to the answer.
 */
import type { CheckedSuggest, SuggestResponse } from '@lakehouse-search/contract';
import { foldToAscii } from '../analysis/filter/ascii-folding.ts';
import { termMapKey } from '../query/weight/statistics.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { pathPrefix } from '../schema/variant-terms.ts';
import { termsTarget } from '../shard/suggest/suggest-terms.ts';
import { type RankedTerm, SuggestionList } from '../shard/suggest/suggestion-list.ts';
import { envelope, lagOf, type SearchContext } from './context.ts';
import { FanOut } from './fan-out.ts';

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
  const head = target.kind === 'path' ? Buffer.byteLength(pathPrefix(target.path)) : 0;
  const suggestions = terms.map(({ term, distance, count }) => ({
    text: Buffer.from(term.subarray(head)).toString(),
    doc_count: count,
    distance,
  }));
  const failed = fan.failed === 0 ? {} : { failed_shards: fan.failed };
  return { suggestions, ...failed, ...envelope(context, started), ...(await lag) };
}

const SHORT_WORD = 5;
const LONGEST_WORD = 64;

/** Terms among which one that differs in accents alone is looked for. */
const ACCENTED_TERMS = 256;

/**
 * The term of a field that was probably meant by a word: one that differs in accents alone, else
 * the nearest one (at most 2 edits, 1 for short words). The more frequent one comes first;
 * undefined: there is none.
 */
export async function nearestTerm(
  context: SearchContext,
  fan: FanOut,
  { name: field, inverted }: FieldPlan,
  word: string,
): Promise<string | undefined> {
  const folded = inverted?.kind === 'text' ? inverted.analyzer.normalize(word) : word;
  if (folded.length > LONGEST_WORD) return undefined;
  for (const spelling of accentSpellings(folded)) {
    const near = { field, text: spelling, fuzzy: true, max_edits: 2 };
    const terms = await firstTerms(context, fan, near, ACCENTED_TERMS);
    const texts = terms.map(({ term }) => Buffer.from(term).toString());
    const plain = foldToAscii(folded);
    const meant = texts.find((text) => text !== folded && foldToAscii(text) === plain);
    if (meant !== undefined) return meant;
  }
  const max_edits = folded.length <= SHORT_WORD ? 1 : 2;
  const request = { field, text: word, fuzzy: true, max_edits };
  const terms = await firstTerms(context, fan, request, 2);
  const texts = terms.map(({ term }) => Buffer.from(term).toString());
  return texts.find((text) => text !== folded);
}

/** A word, and the same with a letter for each pair that may spell it out (`ss` for `ß`). */
function accentSpellings(word: string): readonly string[] {
  const spelled = SPELLED_OUT.map(([pair, letter]) => word.replaceAll(pair, letter));
  return [...new Set([word, ...spelled])];
}

const SPELLED_OUT = [
  ['ss', 'ß'],
  ['ae', 'æ'],
  ['oe', 'œ'],
  ['th', 'þ'],
] as const;

/** The first terms of all shards by distance, live documents and bytes. */
async function firstTerms(
  { deadline, tenant }: SearchContext,
  fan: FanOut,
  request: CheckedSuggest,
  limit: number,
): Promise<readonly RankedTerm[]> {
  const whose = tenant === undefined ? {} : { tenant };
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
