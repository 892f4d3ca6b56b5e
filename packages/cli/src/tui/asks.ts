import { type Backend, LhsError } from '@lakehouse-search/engine';
import { explainLines } from '../search/explain-lines.ts';
import { styleFor } from '../terminal/style.ts';
import { type CompletionItem, type CompletionPlace, valueText } from './completion.ts';
import {
  type Answer,
  type Choice,
  facetFields,
  keyText,
  type Overlay,
  type Question,
  requestOf,
  type ScreenIndex,
  type State,
  shownQuery,
  tells,
} from './state.ts';

/** A question's answer; where nothing is found and the last word is being typed, its prefix's. */
export async function ask(
  backend: Backend,
  { name }: ScreenIndex,
  question: Question,
): Promise<Answer> {
  const found = await backend.search(requestOf(name, question));
  const widened = found.total > 0 ? undefined : prefixed(question.query);
  if (widened === undefined) return answerOf(question, found);
  const wider = await backend.search(requestOf(name, { ...question, query: widened }));
  return wider.total === 0 ? answerOf(question, found) : { ...answerOf(question, wider), widened };
}

type Found = Awaited<ReturnType<Backend['search']>>;

function answerOf(question: Question, found: Found): Answer {
  const { hits, total, took_ms: tookMs, lag_snapshots: lag } = found;
  return { question, hits, total, tookMs, lag };
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

/** The choices of a list that has to be fetched. */
export async function listChoices(
  backend: Backend,
  state: State,
  overlay: Extract<Overlay, { type: 'list' }>,
  history: readonly string[],
): Promise<readonly Choice[]> {
  if (overlay.of === 'history') {
    return history.map((query) => ({ label: query, does: { type: 'query', query } }));
  }
  return overlay.of === 'saved'
    ? savedChoices(backend, state.index.name)
    : facetChoices(backend, state);
}

async function savedChoices(backend: Backend, index: string): Promise<Choice[]> {
  const saved = await backend.listSavedQueries();
  return saved
    .filter(({ request }) => request.index === undefined || request.index === index)
    .map(({ name, request: { query = '*:*', sort } }) => ({
      label: name,
      detail: query,
      does: { type: 'query', query, sort },
    }));
}

async function facetChoices(backend: Backend, state: State): Promise<Choice[]> {
  const { index } = state;
  const query = shownQuery(state);
  const fields = facetFields(index);
  if (fields.length === 0) return [];
  const { facets } = await backend.facets({ index: index.name, query, fields, size: 20 });
  return facets
    .filter((facet) => tells(facet, index))
    .flatMap(({ field, buckets }) =>
      buckets.map(({ value, count }) => ({
        label: `${field}:${value}`,
        detail: count.toLocaleString('en-US'),
        does: { type: 'clause', clause: `${field}:${valueText(value)}` },
      })),
    );
}

/** Why the hit has its score, as lines of at most `columns`. */
export async function explanation(
  backend: Backend,
  state: State,
  { hit, query }: Extract<Overlay, { type: 'explain' }>,
): Promise<readonly string[]> {
  const { index, answer: shown, limit } = state;
  const sort = shown?.question.sort;
  const answer = await backend.explain({
    ...{ index: index.name, query, coordinates: hit.coordinates, limit },
    ...(sort === undefined ? {} : { sort: [sort] }),
  });
  return explainLines(answer, keyText(hit), styleFor({ color: false }), state.columns - 2);
}

/** What is wrong, in one line. */
export function refusal(error: unknown): string {
  if (error instanceof LhsError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
