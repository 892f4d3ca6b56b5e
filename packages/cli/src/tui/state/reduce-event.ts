import type { SearchMode } from '@lakehouse-search/contract';
import type { Event } from './events.ts';
import { type ScreenIndex, sameQuestion } from './question.ts';
import { initialState, keyText, question, type State, selected } from './state.ts';

/** The state after an event. An answer to an outdated question changes nothing. */
export function reduceEvent(state: State, event: Event): State {
  switch (event.type) {
    case 'resized':
      return resized(state, event);
    case 'answered':
      return answered(state, event.answer);
    case 'refused':
      return refused(state, event);
    case 'row': {
      const hit = selected(state);
      if (hit === undefined || keyText(hit) !== event.row.key) return state;
      return { ...state, row: event.row };
    }
    case 'faceted':
      return { ...state, facets: { question: event.question, facets: event.facets } };
    case 'counted':
      return sameQuestion(event.question, question(state)) ? counted(state, event) : state;
    case 'suggested':
      return suggested(state, event);
    case 'explained':
      if (state.overlay?.type !== 'explain' || keyText(state.overlay.hit) !== event.key) {
        return state;
      }
      return { ...state, overlay: { ...state.overlay, lines: event.lines } };
    case 'listed':
      return listed(state, event);
    case 'opened':
      return openedIndex(state, event.index);
    case 'saved':
      return { ...state, overlay: undefined, note: `saved as ${event.name}` };
    case 'noted':
      return noted(state, event.note);
  }
}

/** A taller screen has room for more hits. */
function resized(state: State, { columns, rows }: Extract<Event, { type: 'resized' }>): State {
  return { ...state, columns, rows, limit: Math.max(state.limit, rows) };
}

/** The last hits stay, or those of the complete part of the line come. */
function refused(state: State, event: Extract<Event, { type: 'refused' }>): State {
  if (!sameQuestion(event.question, question(state))) return state;
  const { message: hint, question: asked, instead } = event;
  const told = { ...state, hint, refused: asked, taking: false };
  return instead === undefined ? told : { ...told, answer: instead, cursor: 0, top: 0 };
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
    suggested: undefined,
    cursor,
  });
}

/** The outcome, if Enter waits for it and the response to the current line has arrived. */
export function taking(state: State): State {
  if (!state.taking || !sameQuestion(state.answer?.question, question(state))) return state;
  const hit = selected(state);
  if (hit === undefined) return { ...state, taking: false };
  return { ...state, outcome: { type: 'taken', keys: [keyText(hit)] } };
}

/** Choices of the open list. In the list of orders, the cursor is on the current order. */
function listed(state: State, { of, choices }: Extract<Event, { type: 'listed' }>): State {
  const { overlay } = state;
  if (overlay?.type !== 'list' || overlay.of !== of) return state;
  const at = of === 'facets' ? 0 : choices.findIndex((choice) => choice.isOn);
  return { ...state, overlay: { ...overlay, choices, at: Math.max(0, at) } };
}

/** Switches the index and keeps the line. Filters, order and marks are reset. */
function openedIndex(state: State, index: ScreenIndex): State {
  const { columns, rows, copied } = state;
  const mode: SearchMode = index.modes.includes(state.mode) ? state.mode : 'lexical';
  return { ...initialState(index, { columns, rows }), line: state.line, mode, copied };
}

/** Adds values to the suggested fields if the cursor has not moved since the request. */
function suggested(state: State, { place, items }: Extract<Event, { type: 'suggested' }>): State {
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

/** After a failed save the name can be edited. A failure to open an index closes the list. */
function noted(state: State, note: string): State {
  const { overlay } = state;
  if (overlay?.type !== 'save') return { ...state, note, opening: undefined };
  return { ...state, note, overlay: { type: 'save', name: overlay.name } };
}

function counted(
  state: State,
  { clauses, suggested, notes = [] }: Extract<Event, { type: 'counted' }>,
): State {
  const answer = state.answer && { ...state.answer, caveat: notes.join(' · ') };
  return { ...state, clauses, suggested, ...(notes.length === 0 ? {} : { answer }) };
}
