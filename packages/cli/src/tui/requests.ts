import { type Facet, LhsError, type SearchResponse } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { withRowTexts } from '../search/lines/display-columns.ts';
import { explainLines } from '../search/lines/explain-lines.ts';
import { partialRemarks } from '../search/lines/partial.ts';
import { searchByMode } from '../search/run-search.ts';
import { styleFor } from '../terminal/style.ts';
import { type CompletionItem, type CompletionPlace, valueText } from './state/completion.ts';
import {
  type Answer,
  EVERYTHING,
  matchOf,
  modeOf,
  nearestOf,
  pageOf,
  type Question,
  type ScreenIndex,
  searchOf,
} from './state/question.ts';
import { ADVICE, keyText, type Overlay, type State } from './state/state.ts';
import { joinedQuery, prefixedQuery } from './state/typed-query.ts';

/**
 * A question's answer. The query that runs takes the last word as a prefix; if the backend refuses
 * that, the line runs as it is, and its refusal is thrown.
 */
export async function requestPage(
  backend: BackendApi,
  index: ScreenIndex,
  question: Question,
): Promise<Answer> {
  const hitsOf = (asked: Question) => {
    const search = searchOf(index, asked, pageOf(asked));
    return searchByMode(backend, withRowTexts(search, index.rowTexts));
  };
  const ran = modeOf(question) === 'lexical' ? ranQuery(index, question) : question.query;
  if (ran === question.query) return answerOf(question, await hitsOf(question));
  try {
    return { ...answerOf(question, await hitsOf({ ...question, query: ran })), ran };
  } catch (error) {
    if (!(error instanceof LhsError) || error.status !== 400) throw error;
    return answerOf(question, await hitsOf(question));
  }
}

function ranQuery({ fields }: ScreenIndex, { query, kept }: Question): string {
  return joinedQuery(prefixedQuery(query, fields), kept);
}

function answerOf(question: Question, found: SearchResponse): Answer {
  const { hits, total, took_ms: tookMs, lag_snapshots: lag, failed_arms: failed = [] } = found;
  const said = [
    ...partialRemarks(found),
    ...failed.map(({ arm, message }) => `the ${arm} arm did not answer: ${message}`),
    ...(found.notes ?? []),
  ].join(' · ');
  return { question, hits, total, tookMs, lag, ...(said === '' ? {} : { caveat: said }) };
}

const MOST_ITEMS = 12;

/** Values (or words of the default field) that begin with what has been typed; none on refusal. */
export async function suggestItems(
  backend: BackendApi,
  index: ScreenIndex,
  place: CompletionPlace,
): Promise<readonly CompletionItem[]> {
  const field = place.field ?? index.fields.find((f) => f.type === 'TEXT')?.name;
  if (field === undefined || (place.field === undefined && place.typed.length < 2)) return [];
  const type = index.fields.find((f) => f.name === field)?.type;
  if (type === 'BOOL') return truths(place.typed);
  if (type !== undefined && COUNTED.includes(type)) return countedItems(backend, index, place);
  const request = { index: index.name, field, text: place.typed, limit: MOST_ITEMS };
  const answer = await backend.suggest(request).catch(() => undefined);
  return (answer?.suggestions ?? []).map(({ text, doc_count }) => ({
    label: text,
    insert: valueText(text),
    count: doc_count,
  }));
}

/** Types without a dictionary; their values are counted. */
const COUNTED = ['LONG', 'DOUBLE', 'IP'];

/** The most frequent values of the field that begin with what has been typed. */
async function countedItems(
  backend: BackendApi,
  { name: index }: ScreenIndex,
  { field = '', typed }: CompletionPlace,
): Promise<readonly CompletionItem[]> {
  const request = { index, query: EVERYTHING, fields: [field], size: 100 };
  const answer = await backend.facets(request).catch(() => undefined);
  return (answer?.facets[0]?.buckets ?? [])
    .filter(({ value }) => value.startsWith(typed))
    .slice(0, MOST_ITEMS)
    .map(({ value, count }) => ({ label: value, insert: valueText(value), count }));
}

/** A BOOL field has no dictionary to ask. */
function truths(typed: string): CompletionItem[] {
  return ['true', 'false']
    .filter((value) => value.startsWith(typed))
    .map((value) => ({ label: value, insert: value }));
}

/** The values of some fields among all hits of a question. Throws what the backend refuses. */
export async function facetsOf(
  backend: BackendApi,
  index: ScreenIndex,
  question: Question,
  fields: readonly string[],
  size: number,
): Promise<readonly Facet[]> {
  if (modeOf(question) !== 'lexical') {
    const page = { limit: 1, facets: { fields, size } };
    return (await searchByMode(backend, searchOf(index, question, page))).facets ?? [];
  }
  const { facets } = await backend.facets({ ...matchOf(index.name, question), fields, size });
  return facets;
}

/** Why the hit has its score, as lines of at most `columns`. */
export async function explanation(
  backend: BackendApi,
  { index, limit, columns }: State,
  { hit, question }: Extract<Overlay, { type: 'explain' }>,
): Promise<readonly string[]> {
  const { sort } = question;
  const { query, ...match } = matchOf(index.name, question);
  const mode = modeOf(question);
  const answer = await backend.explain({
    ...match,
    ...(mode === 'lexical' ? { query } : { mode, ...nearestOf(index, question) }),
    ...{ coordinates: hit.coordinates, limit },
    ...(sort.length === 0 ? {} : { sort }),
  });
  return explainLines(answer, keyText(hit), styleFor({ color: false }), columns - 2);
}

/** What is wrong, in one line. */
export function refusal(error: unknown): string {
  if (error instanceof LhsError) {
    const [advice = ''] = error.hint?.split('\n') ?? [];
    return /^did you mean/.test(advice) ? `${error.message}${ADVICE}${advice}` : error.message;
  }
  return error instanceof Error ? error.message : String(error);
}
