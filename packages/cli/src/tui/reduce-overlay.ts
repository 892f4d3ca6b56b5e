import { edit, insert, lineOf } from './edit-line.ts';
import type { Deed } from './events.ts';
import { type Choice, choicesShown, FRAME_ROWS, type Overlay, type State } from './state.ts';

/** Deeds while something lies over the results; `choose` says what a list's choice does. */
export function reduceOverlay(
  state: State,
  overlay: Overlay,
  deed: Deed,
  choose: (state: State, choice: Choice) => State,
): State {
  if (deed.type === 'escape') {
    const left = state.index.name === '';
    return left ? { ...state, outcome: { type: 'left' } } : { ...state, overlay: undefined };
  }
  switch (overlay.type) {
    case 'help':
      return reading(state, overlay, deed, Number.POSITIVE_INFINITY);
    case 'save':
      return saving(state, overlay, deed);
    case 'list':
      return listing(state, overlay, deed, choose);
    case 'explain':
      return reading(state, overlay, deed, Math.max(0, (overlay.lines?.length ?? 0) - 1));
  }
}

function saving(state: State, overlay: Extract<Overlay, { type: 'save' }>, deed: Deed): State {
  const { name } = overlay;
  if (deed.type === 'text') {
    return { ...state, overlay: { type: 'save', name: insert(name, deed.text) } };
  }
  if (deed.type === 'edit') {
    return { ...state, overlay: { type: 'save', name: edit(name, deed.how) } };
  }
  if (deed.type !== 'enter' || name.text.trim() === '') return state;
  return { ...state, overlay: { ...overlay, wanted: name.text.trim() } };
}

function listing(
  state: State,
  overlay: Extract<Overlay, { type: 'list' }>,
  deed: Deed,
  choose: (state: State, choice: Choice) => State,
): State {
  const choices = choicesShown(overlay);
  switch (deed.type) {
    case 'enter': {
      const choice = choices[overlay.at];
      return choice === undefined ? state : choose(state, choice);
    }
    case 'text':
      return narrowed(state, overlay, insert(lineOf(overlay.typed), deed.text).text);
    case 'edit':
      return narrowed(state, overlay, edit(lineOf(overlay.typed), deed.how).text);
    case 'move': {
      const page = Math.max(1, state.rows - FRAME_ROWS - 1);
      const step = deed.by === 'line' ? 1 : deed.by === 'page' ? page : choices.length;
      const at = Math.max(0, Math.min(choices.length - 1, overlay.at + deed.sign * step));
      return { ...state, overlay: { ...overlay, at } };
    }
    default:
      return state;
  }
}

function narrowed(state: State, overlay: Extract<Overlay, { type: 'list' }>, typed: string): State {
  return typed === overlay.typed ? state : { ...state, overlay: { ...overlay, typed, at: 0 } };
}

/** Lines to read: they scroll; what opens something, and Enter, closes them. */
function reading(
  state: State,
  overlay: Extract<Overlay, { type: 'explain' | 'help' }>,
  deed: Deed,
  last: number,
): State {
  if (deed.type === 'move') {
    const step = deed.by === 'line' ? 1 : 10;
    const top = Math.max(0, Math.min(last, overlay.top + deed.sign * step));
    return { ...state, overlay: { ...overlay, top } };
  }
  const closes = deed.type === 'enter' || deed.type === 'open' || overlay.type === 'help';
  return closes ? { ...state, overlay: undefined } : state;
}
