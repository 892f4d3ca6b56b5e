import { type Facet, LhsError, type SearchResponse } from '@lakehouse-search/contract';
import { type BackendApi, ranQuery } from '@lakehouse-search/contract/internal';
import { withRowTexts } from '../search/lines/display-columns.ts';
import { explainLines } from '../search/lines/explain-lines.ts';
import { partialRemarks } from '../search/lines/partial.ts';
import { searchByMode } from '../search/run-search.ts';
import { styleFor } from '../terminal/style.ts';
import {
  type Answer,
  matchOf,
  modeOf,
  nearestOf,
  pageOf,
  type Question,
  type ScreenIndex,
  searchOf,
} from './state/question.ts';
import { ADVICE, keyText, type Overlay, type State } from './state/state.ts';

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
  const { query, kept } = question;
  const ran = modeOf(question) === 'lexical' ? ranQuery(query, index.fields, kept) : query;
  if (ran === question.query) return answerOf(question, await hitsOf(question));
  try {
    return { ...answerOf(question, await hitsOf({ ...question, query: ran })), ran };
  } catch (error) {
    if (!(error instanceof LhsError) || error.status !== 400) throw error;
    return answerOf(question, await hitsOf(question));
  }
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
