import { choiceAt, WHEEL_ROWS } from '../view/layout.ts';
import { edit, insert, lineOf } from './edit-line.ts';
import type { Action } from './events.ts';
import { type Choice, choicesShown, FRAME_ROWS, type Overlay, type State } from './state.ts';

/** Actions while a list or page covers the results. `choose` applies the choice of a list. */
export function reduceOverlay(
  state: State,
  overlay: Overlay,
  action: Action,
  choose: (state: State, choice: Choice) => State,
): State {
  if (action.type === 'escape') {
    const left = state.index.name === '';
    return left ? { ...state, outcome: { type: 'left' } } : { ...state, overlay: undefined };
  }
  switch (overlay.type) {
    case 'help':
      return reading(state, overlay, action, Number.POSITIVE_INFINITY);
    case 'save':
      return saving(state, overlay, action);
    case 'list':
      return listing(state, overlay, action, choose);
    case 'explain':
      return reading(state, overlay, action, Math.max(0, (overlay.lines?.length ?? 0) - 1));
  }
}

function saving(state: State, overlay: Extract<Overlay, { type: 'save' }>, action: Action): State {
  const { name } = overlay;
  if (action.type === 'text') {
    return { ...state, overlay: { type: 'save', name: insert(name, action.text) } };
  }
  if (action.type === 'edit') {
    return { ...state, overlay: { type: 'save', name: edit(name, action.how) } };
  }
  if (action.type !== 'enter' || name.text.trim() === '') return state;
  return { ...state, overlay: { ...overlay, wanted: name.text.trim() } };
}

function listing(
  state: State,
  overlay: Extract<Overlay, { type: 'list' }>,
  action: Action,
  choose: (state: State, choice: Choice) => State,
): State {
  const choices = choicesShown(overlay);
  switch (action.type) {
    case 'enter': {
      const choice = choices[overlay.at];
      return choice === undefined ? state : choose(state, choice);
    }
    case 'text':
      return narrowed(state, overlay, insert(lineOf(overlay.typed), action.text).text);
    case 'edit':
      return narrowed(state, overlay, edit(lineOf(overlay.typed), action.how).text);
    case 'move': {
      const page = Math.max(1, state.rows - FRAME_ROWS - 1);
      const step = action.by === 'line' ? 1 : action.by === 'page' ? page : choices.length;
      return chosenBy(state, overlay, action.sign * step);
    }
    case 'wheel':
      return chosenBy(state, overlay, WHEEL_ROWS * action.sign);
    case 'click': {
      const at = choiceAt(state, overlay.at, choices.length, action.row);
      return at === undefined ? state : choose(state, choices[at]);
    }
    default:
      return state;
  }
}

function chosenBy(state: State, overlay: Extract<Overlay, { type: 'list' }>, step: number): State {
  const last = choicesShown(overlay).length - 1;
  const at = Math.max(0, Math.min(last, overlay.at + step));
  return { ...state, overlay: { ...overlay, at } };
}

function narrowed(state: State, overlay: Extract<Overlay, { type: 'list' }>, typed: string): State {
  return typed === overlay.typed ? state : { ...state, overlay: { ...overlay, typed, at: 0 } };
}

/** Lines to read: they scroll; what opens something, and Enter, closes them. */
function reading(
  state: State,
  overlay: Extract<Overlay, { type: 'explain' | 'help' }>,
  action: Action,
  last: number,
): State {
  if (action.type === 'move' || action.type === 'wheel') {
    const step = action.type === 'wheel' ? WHEEL_ROWS : action.by === 'line' ? 1 : 10;
    const top = Math.max(0, Math.min(last, overlay.top + action.sign * step));
    return { ...state, overlay: { ...overlay, top } };
  }
  const closes = action.type === 'enter' || action.type === 'open' || overlay.type === 'help';
  return closes ? { ...state, overlay: undefined } : state;
}
