import { FRAME_ROWS, facetFields, type State } from './state.ts';

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
  const fields = facetFields(index).length;
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
