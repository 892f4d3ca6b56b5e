import { completionPlace, fieldItems } from '@lakehouse-search/contract/internal';
import { hitAt, layoutOf, scrolled, WHEEL_ROWS } from '../view/layout.ts';
import { type EditLine, edit, insert, type LineEdit, lineOf, replace } from './edit-line.ts';
import type { Action, Event, ScreenInput } from './events.ts';
import { sameQuestion } from './question.ts';
import { choose, nextMode, opened } from './reduce-choices.ts';
import { reduceEvent, taking } from './reduce-event.ts';
import { reduceOverlay } from './reduce-overlay.ts';
import { FRAME_ROWS, isProse, isStale, keyText, question, type State, selected } from './state.ts';

const EVENTS: readonly string[] = [
  'resized',
  'answered',
  'refused',
  'row',
  'faceted',
  'counted',
  'suggested',
  'explained',
  'listed',
  'opened',
  'saved',
  'noted',
] satisfies readonly Event['type'][];

/** The state after an action or an event. Nothing else changes it. */
export function reduce(state: State, input: ScreenInput): State {
  return scrolled(changed(state, input));
}

function changed(state: State, input: ScreenInput): State {
  if (EVENTS.includes(input.type)) return reduceEvent(state, input as Event);
  const action = input as Action;
  const quiet = state.note === undefined ? state : { ...state, note: undefined };
  if (action.type === 'interrupt') return { ...quiet, outcome: { type: 'left' } };
  if (quiet.overlay?.type === 'help' && action.type === 'text') {
    return typed({ ...quiet, overlay: undefined }, insert(quiet.line, action.text));
  }
  if (quiet.overlay !== undefined) return reduceOverlay(quiet, quiet.overlay, action, choose);
  return reduceMain(quiet, action);
}

function reduceMain(state: State, action: Action): State {
  switch (action.type) {
    case 'text':
      return action.text === '?'
        ? opened(state, 'help')
        : typed(state, insert(state.line, action.text));
    case 'edit':
      return edited(state, action.how);
    case 'move':
      return moved(state, action);
    case 'scroll':
      return scrolledPreview(state, action.by);
    case 'wheel':
      return action.column > layoutOf(state).left
        ? scrolledPreview(state, WHEEL_ROWS * action.sign)
        : movedBy(state, WHEEL_ROWS * action.sign);
    case 'click':
      return clicked(state, action);
    case 'complete':
      return completed(state, action.sign);
    case 'enter':
      return state.suggested !== undefined && !isStale(state)
        ? typed(state, lineOf(state.suggested))
        : taken(state);
    case 'escape':
      return state.completing?.at === undefined
        ? { ...state, outcome: { type: 'left' } }
        : { ...state, completing: undefined };
    case 'mark':
      return marked(state);
    case 'copy':
      return copied(state);
    case 'mode':
      return nextMode(state);
    case 'open':
      return opened(state, action.what);
    case 'interrupt':
      return state;
  }
}

/** On an empty line ⌫ takes the last filter away, ^U all that narrows and orders. */
function edited(state: State, how: LineEdit): State {
  const { line, filters } = state;
  if (line.text !== '') return typed(state, edit(line, how));
  if (how === 'backspace' && filters.length > 0) {
    return { ...state, ...AT_TOP, filters: filters.slice(0, -1) };
  }
  if (how === 'delete-before') return { ...state, ...AT_TOP, filters: [], sort: [], kept: {} };
  return state;
}

const AT_TOP = { cursor: 0, top: 0, previewTop: 0, taking: false } as const;

/** The line has changed: fields are suggested at once, values follow as an event. */
function typed(state: State, line: EditLine): State {
  const place = isProse(state) ? undefined : completionPlace(line);
  const items =
    place === undefined
      ? []
      : fieldItems(
          place,
          state.index.fields.map((f) => f.name),
        );
  const completing =
    place === undefined || items.length === 0 ? undefined : { place, items, at: undefined };
  if (line.text === state.line.text) return { ...state, line, completing };
  return {
    ...state,
    line,
    completing,
    ...AT_TOP,
    limit: Math.max(20, state.rows),
  };
}

const pageRows = ({ rows }: State): number => Math.max(1, rows - FRAME_ROWS - 1);

function moved(state: State, { by, sign }: Extract<Action, { type: 'move' }>): State {
  const all = state.answer?.hits.length ?? 0;
  return movedBy(state, sign * (by === 'line' ? 1 : by === 'page' ? pageRows(state) : all));
}

/** The cursor `step` hits further; more hits are requested before it reaches the last one. */
function movedBy(state: State, step: number): State {
  const hits = state.answer?.hits.length ?? 0;
  const page = pageRows(state);
  const cursor = Math.max(0, Math.min(hits - 1, state.cursor + step));
  const limit = cursor + page >= hits && hits > 0 ? grown(state, hits, page) : state.limit;
  return { ...state, cursor, limit, previewTop: 0 };
}

function scrolledPreview(state: State, by: number): State {
  return { ...state, previewTop: Math.max(0, state.previewTop + by) };
}

/** A click on a hit moves the cursor there. */
function clicked(state: State, place: Extract<Action, { type: 'click' }>): State {
  const at = hitAt(state, place);
  return at === undefined ? state : movedBy(state, at - state.cursor);
}

const MOST_HITS = 1000;

/** Requests more hits before the cursor reaches the last one. */
function grown({ answer, limit }: State, hits: number, page: number): number {
  if (hits >= (answer?.total ?? 0)) return limit;
  return Math.min(MOST_HITS, Math.max(limit, hits + 2 * page));
}

/** Tab takes the first completion, again the next one in its place. */
function completed(state: State, sign: 1 | -1): State {
  const { completing, line } = state;
  if (completing === undefined || completing.items.length === 0) return state;
  const { items, place } = completing;
  const at =
    completing.at === undefined
      ? sign === 1
        ? 0
        : items.length - 1
      : (completing.at + sign + items.length) % items.length;
  const next = replace(line, place.from, line.at, items[at].insert);
  if (items.length === 1 && items[0].insert.endsWith(':')) return typed(state, next);
  return { ...typed(state, next), completing: { place, items, at } };
}

/**
 * Keys that are marked, else the one under the cursor: never one of an answer to another line. A
 * hint may still be about the line as it was before.
 */
function taken(state: State): State {
  if (state.marked.length > 0) return { ...state, outcome: { type: 'taken', keys: state.marked } };
  if (sameQuestion(state.refused, question(state))) {
    return { ...state, note: 'the query is not complete yet' };
  }
  return taking({ ...state, taking: true });
}

function marked(state: State): State {
  const hit = selected(state);
  if (hit === undefined) return state;
  const key = keyText(hit);
  const without = state.marked.filter((other) => other !== key);
  const keys = without.length === state.marked.length ? [...without, key] : without;
  return moved({ ...state, marked: keys }, { type: 'move', by: 'line', sign: 1 });
}

function copied(state: State): State {
  const hit = selected(state);
  if (hit === undefined) return state;
  const text = keyText(hit);
  return { ...state, copied: { text, times: state.copied.times + 1 }, note: `copied ${text}` };
}
