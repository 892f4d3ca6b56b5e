import { edit, insert } from './edit-line.ts';
import type { Deed } from './events.ts';
import { type Choice, FRAME_ROWS, type Overlay, type State } from './state.ts';

/** Deeds while something lies over the results; `choose` says what a list's choice does. */
export function reduceOverlay(
  state: State,
  overlay: Overlay,
  deed: Deed,
  choose: (state: State, choice: Choice) => State,
): State {
  if (deed.type === 'escape') return { ...state, overlay: undefined };
  switch (overlay.type) {
    case 'help':
      return { ...state, overlay: undefined };
    case 'save':
      return saving(state, overlay, deed);
    case 'list':
      return listing(state, overlay, deed, choose);
    case 'explain':
      return explaining(state, overlay, deed);
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
  const choices = overlay.choices ?? [];
  if (deed.type === 'enter') {
    const choice = choices[overlay.at];
    return choice === undefined ? state : choose(state, choice);
  }
  if (deed.type !== 'move') return state;
  const page = Math.max(1, state.rows - FRAME_ROWS - 1);
  const step = deed.by === 'line' ? 1 : deed.by === 'page' ? page : choices.length;
  const at = Math.max(0, Math.min(choices.length - 1, overlay.at + deed.sign * step));
  return { ...state, overlay: { ...overlay, at } };
}

function explaining(
  state: State,
  overlay: Extract<Overlay, { type: 'explain' }>,
  deed: Deed,
): State {
  if (deed.type === 'enter' || deed.type === 'open') return { ...state, overlay: undefined };
  if (deed.type !== 'move') return state;
  const last = Math.max(0, (overlay.lines?.length ?? 0) - 1);
  const step = deed.by === 'line' ? 1 : 10;
  const top = Math.max(0, Math.min(last, overlay.top + deed.sign * step));
  return { ...state, overlay: { ...overlay, top } };
}
