import { isProse, type State } from '../state/state.ts';
import { layoutOf } from './layout.ts';
import { fit, type Line, lineWidth, span } from './spans.ts';
import { completionLine, rule } from './view-completions.ts';
import { facetPane } from './view-facets.ts';
import { overlayLines } from './view-overlay.ts';
import { previewLines } from './view-preview.ts';
import { queryLine } from './view-query.ts';
import { resultPane } from './view-results.ts';

const LEAST_COLUMNS = 50;
const LEAST_ROWS = 12;

/** The whole screen: exactly `rows` lines of exactly `columns` columns. */
export function screenLines(state: State): readonly Line[] {
  const { columns, rows } = state;
  if (columns < LEAST_COLUMNS || rows < LEAST_ROWS) return tooSmall(columns, rows);
  const foot = [rule(columns), keysLine(state)];
  const lines = [queryLine(state), completionLine(state), ...bodyLines(state), ...foot];
  return lines.slice(0, rows).map((line) => fit(line, columns));
}

/** What is there instead of a screen that would show nothing. */
function tooSmall(columns: number, rows: number): Line[] {
  const words = [
    ` ${columns} × ${rows} is too small`,
    ` lhs tui needs ${LEAST_COLUMNS} × ${LEAST_ROWS}`,
    ' esc leaves',
  ];
  return filled(
    words.map((text) => [span(text)]),
    rows,
  ).map((line) => fit(line, columns));
}

function bodyLines(state: State): Line[] {
  const { body, left, preview, results, facets } = layoutOf(state);
  if (state.overlay !== undefined) return filled(overlayLines(state, state.overlay, body), body);
  const hits = filled(resultPane(state, left, results), results);
  const rows = [...hits, ...filled(facetPane(state, left, facets), facets)];
  if (preview === 0) return rows;
  const beside = filled(previewLines(state, preview, body), body);
  return rows.map((row, i) => [...fit(row, left), span(' │ ', 'dim'), ...beside[i]]);
}

const filled = (lines: readonly Line[], rows: number): Line[] =>
  Array.from({ length: rows }, (_, i) => lines[i] ?? []);

/** Keys in order of use; the last ones give way. */
const KEYS: readonly (readonly [string, string])[] = [
  ['↑↓', 'move'],
  ['⏎', 'take key'],
  ['tab', 'complete'],
  ['?', 'help'],
  ['esc', 'quit'],
  ['^F', 'facets'],
  ['^X', 'mode'],
  ['^E', 'explain'],
  ['^O', 'order'],
  ['^S', 'save'],
  ['^L', 'saved'],
  ['^R', 'history'],
  ['^G', 'index'],
  ['^T', 'mark'],
  ['^Y', 'copy'],
];
const LIST_KEYS: readonly (readonly [string, string])[] = [
  ['type', 'to narrow'],
  ['↑↓', 'move'],
  ['⏎', 'choose'],
  ['esc', 'back'],
];
const SAVING_KEYS: readonly (readonly [string, string])[] = [
  ['⏎', 'save'],
  ['esc', 'back'],
];

const READING_KEYS: readonly (readonly [string, string])[] = [
  ['↑↓', 'scroll'],
  ['esc', 'back'],
];

function keysOf(state: State): readonly (readonly [string, string])[] {
  const { overlay, index } = state;
  if (overlay === undefined) {
    return KEYS.filter(([key]) => key !== '^X' || index.modes.length > 1).filter(
      ([key]) => key !== 'tab' || !isProse(state),
    );
  }
  if (overlay.type === 'save') return SAVING_KEYS;
  return overlay.type === 'list' ? LIST_KEYS : READING_KEYS;
}

/** The foot: what the keys do, or a word about what has just been done. */
function keysLine(state: State): Line {
  const { note, marked, columns } = state;
  if (note !== undefined) return [span(` ${note}`, 'strong')];
  const count: Line = marked.length === 0 ? [] : [span(` ${marked.length} marked `, 'operator')];
  let room = columns - lineWidth(count);
  const shown = keysOf(state)
    .map(([key, does]): Line => [span(` ${key}`, 'field'), span(` ${does} `, 'dim')])
    .filter((item) => (room -= lineWidth(item)) >= 0)
    .flat();
  return [...count, ...shown];
}
