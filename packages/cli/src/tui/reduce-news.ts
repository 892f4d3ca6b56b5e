import type { SearchMode } from '@lakehouse-search/engine';
import type { News } from './events.ts';
import { type ScreenIndex, sameQuestion } from './question.ts';
import { initialState, keyText, question, type State, selected } from './state.ts';

/** The screen after something has come back. An answer to a question that is past changes nothing. */
export function reduceNews(state: State, news: News): State {
  switch (news.type) {
    case 'resized':
      return { ...state, columns: news.columns, rows: news.rows };
    case 'answered':
      return answered(state, news.answer);
    case 'refused':
      return sameQuestion(news.question, question(state))
        ? { ...state, hint: news.message, refused: news.question, taking: false }
        : state;
    case 'row': {
      const hit = selected(state);
      if (hit === undefined || keyText(hit) !== news.key) return state;
      return { ...state, row: { key: news.key, fields: news.fields } };
    }
    case 'faceted':
      return { ...state, facets: { question: news.question, facets: news.facets } };
    case 'counted':
      return sameQuestion(news.question, question(state))
        ? { ...state, clauses: news.clauses }
        : state;
    case 'suggested':
      return suggested(state, news);
    case 'explained':
      if (state.overlay?.type !== 'explain' || keyText(state.overlay.hit) !== news.key) {
        return state;
      }
      return { ...state, overlay: { ...state.overlay, lines: news.lines } };
    case 'listed':
      return listed(state, news);
    case 'opened':
      return openedIndex(state, news.index);
    case 'saved':
      return { ...state, overlay: undefined, note: savedNote(state, news.name) };
    case 'noted':
      return noted(state, news.note);
  }
}

/** Saved queries are asked by words. */
function savedNote({ mode }: State, name: string): string {
  return mode === 'lexical' ? `saved as ${name}` : `saved as ${name}: its words, not the mode`;
}

function answered(state: State, answer: NonNullable<State['answer']>): State {
  if (!sameQuestion(answer.question, question(state))) return state;
  const cursor = Math.max(0, Math.min(state.cursor, answer.hits.length - 1));
  return taking({
    ...state,
    answer,
    hint: undefined,
    refused: undefined,
    clauses: undefined,
    cursor,
  });
}

/** The outcome, where Enter waits for one and the answer to the line as it stands is here. */
export function taking(state: State): State {
  if (!state.taking || !sameQuestion(state.answer?.question, question(state))) return state;
  const hit = selected(state);
  if (hit === undefined) return { ...state, taking: false };
  return { ...state, outcome: { type: 'taken', keys: [keyText(hit)] } };
}

/** Choices of the list that is open; the cursor of the list of orders stands on the one in use. */
function listed(state: State, { of, choices }: Extract<News, { type: 'listed' }>): State {
  const { overlay } = state;
  if (overlay?.type !== 'list' || overlay.of !== of) return state;
  const at = of === 'facets' ? 0 : choices.findIndex((choice) => choice.isOn);
  return { ...state, overlay: { ...overlay, choices, at: Math.max(0, at) } };
}

/** Another index under the line as it stands; filters, order and marks were the former one's. */
function openedIndex(state: State, index: ScreenIndex): State {
  const { columns, rows, copied } = state;
  const mode: SearchMode = index.modes.includes(state.mode) ? state.mode : 'lexical';
  return { ...initialState(index, { columns, rows }), line: state.line, mode, copied };
}

/** Values join the fields on offer while the cursor is still where they were asked for. */
function suggested(state: State, { place, items }: Extract<News, { type: 'suggested' }>): State {
  const { completing, line } = state;
  const here = line.at === place.to && line.text.slice(place.from, place.to) !== '';
  const after = place.typed === '' && line.at === place.to;
  if ((!here && !after) || completing?.at !== undefined) return state;
  const all = [...(completing?.items ?? []), ...items];
  return {
    ...state,
    completing: all.length === 0 ? undefined : { place, items: all, at: undefined },
  };
}

/** A name that could not be saved may be changed; an index that could not be opened is let be. */
function noted(state: State, note: string): State {
  const { overlay } = state;
  if (overlay?.type !== 'save') return { ...state, note, opening: undefined };
  return { ...state, note, overlay: { type: 'save', name: overlay.name } };
}
