import {
  type Backend,
  type Facet,
  LhsError,
  type SearchResponse,
} from '@lakehouse-search/contract';
import { explainLines } from '../search/explain-lines.ts';
import { searchByMode } from '../search/run-search.ts';
import { styleFor } from '../terminal/style.ts';
import { type CompletionItem, type CompletionPlace, valueText } from './completion.ts';
import {
  type Answer,
  matchOf,
  modeOf,
  nearestOf,
  pageOf,
  type Question,
  type ScreenIndex,
  searchOf,
} from './question.ts';
import { keyText, type Overlay, type State } from './state.ts';

/** A question's answer; where nothing is found and the last word is being typed, its prefix's. */
export async function requestPage(
  backend: Backend,
  index: ScreenIndex,
  question: Question,
): Promise<Answer> {
  const hitsOf = (asked: Question) => searchByMode(backend, searchOf(index, asked, pageOf(asked)));
  const found = await hitsOf(question);
  const isByWords = modeOf(question) === 'lexical';
  const widened = found.total > 0 || !isByWords ? undefined : prefixed(question.query);
  if (widened === undefined) return answerOf(question, found);
  const wider = await hitsOf({ ...question, query: widened });
  return wider.total === 0 ? answerOf(question, found) : { ...answerOf(question, wider), widened };
}

function answerOf(question: Question, found: SearchResponse): Answer {
  const { hits, total, took_ms: tookMs, lag_snapshots: lag, failed_arms: failed = [] } = found;
  const said = [
    ...failed.map(({ arm, message }) => `the ${arm} arm did not answer: ${message}`),
    ...(found.notes ?? []),
  ].join(' · ');
  return { question, hits, total, tookMs, lag, ...(said === '' ? {} : { caveat: said }) };
}

/** `service:bil` -> `service:bil*`; undefined where the query does not end in a bare word. */
function prefixed(query: string): string | undefined {
  return /[\p{L}\p{N}_]$/u.test(query) && !/\b(AND|OR|NOT|TO)$/.test(query)
    ? `${query}*`
    : undefined;
}

const MOST_ITEMS = 12;

/** Values (or words of the default field) that begin with what has been typed; none on refusal. */
export async function suggestItems(
  backend: Backend,
  index: ScreenIndex,
  place: CompletionPlace,
): Promise<readonly CompletionItem[]> {
  const field = place.field ?? index.fields.find((f) => f.type === 'TEXT')?.name;
  if (field === undefined || (place.field === undefined && place.typed.length < 2)) return [];
  if (index.fields.find((f) => f.name === field)?.type === 'BOOL') return truths(place.typed);
  const request = { index: index.name, field, text: place.typed, limit: MOST_ITEMS };
  const answer = await backend.suggest(request).catch(() => undefined);
  return (answer?.suggestions ?? []).map(({ text, doc_count }) => ({
    label: text,
    insert: valueText(text),
    count: doc_count,
  }));
}

/** A BOOL field has no dictionary to ask. */
function truths(typed: string): CompletionItem[] {
  return ['true', 'false']
    .filter((value) => value.startsWith(typed))
    .map((value) => ({ label: value, insert: value }));
}

/** The values of some fields among all hits of a question. Throws what the backend refuses. */
export async function facetsOf(
  backend: Backend,
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
  backend: Backend,
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
  if (error instanceof LhsError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
