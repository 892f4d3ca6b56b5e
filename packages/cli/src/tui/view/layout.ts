import { FRAME_ROWS, type State } from '../state/state.ts';

/** How the screen is divided; 0 where a pane is folded away. */
export interface Layout {
  /** Columns of the results and the facets under them. */
  readonly left: number;
  /** Columns of the preview, the rule beside it not counted. */
  readonly preview: number;
  readonly body: number;
  readonly results: number;
  readonly facets: number;
}

const PREVIEW_FROM = 70;
const FACETS_FROM = 100;

/** The preview folds away below 70 columns, the facets below 100 or 16 rows. */
export function layoutOf(state: State): Layout {
  const { columns, rows, index } = state;
  const body = Math.max(0, rows - FRAME_ROWS);
  const preview = columns < PREVIEW_FROM ? 0 : Math.floor(columns * (columns < 100 ? 0.36 : 0.38));
  const left = preview === 0 ? columns : columns - preview - 3;
  const fields = index.facetFields.length;
  const facets = columns < FACETS_FROM || body < 12 || fields === 0 ? 0 : fields + 1;
  return { left, preview, body, results: body - facets, facets };
}

/** The state with the cursor's row inside the window of rows that is shown. */
export function scrolled(state: State): State {
  const { results } = layoutOf(state);
  const least = state.cursor - Math.max(1, results) + 1;
  const top = Math.max(0, Math.min(state.cursor, Math.max(state.top, least)));
  return top === state.top ? state : { ...state, top };
}

/** Rows that one step of the mouse wheel moves. */
export const WHEEL_ROWS = 3;
/** Rows above the body: the query and the line below it. */
const HEAD_ROWS = 2;

/** The hit at a place of the screen (from 1); undefined beside the hits. */
export function hitAt(
  state: State,
  { column, row }: { readonly column: number; readonly row: number },
): number | undefined {
  const { left, results } = layoutOf(state);
  const line = row - 1 - HEAD_ROWS;
  if (line < 0 || line >= results || column > left) return undefined;
  const at = state.top + line;
  return at < (state.answer?.hits.length ?? 0) ? at : undefined;
}

/** The first choice that a list of `count` shows in `rows` rows below its title. */
export function listTop(at: number, count: number, rows: number): number {
  const room = Math.max(1, rows - 1);
  return Math.max(0, Math.min(at - Math.floor(room / 2), count - room));
}

/** The choice at a row of the screen (from 1); undefined beside the choices. */
export function choiceAt(state: State, at: number, count: number, row: number): number | undefined {
  const line = row - 1 - HEAD_ROWS - 1;
  const choice = listTop(at, count, layoutOf(state).body) + line;
  return line < 0 || choice >= count ? undefined : choice;
}
