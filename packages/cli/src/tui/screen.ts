import { layoutOf } from './layout.ts';
import { fit, type Line, lineWidth, span } from './spans.ts';
import type { State } from './state.ts';
import { completionLine, rule } from './view-completions.ts';
import { facetPane } from './view-facets.ts';
import { overlayLines } from './view-overlay.ts';
import { previewLines } from './view-preview.ts';
import { queryLine } from './view-query.ts';
import { resultLines } from './view-results.ts';

/** The whole screen: exactly `rows` lines of exactly `columns` columns. */
export function screenLines(state: State): readonly Line[] {
  const { columns, rows } = state;
  const foot = [rule(columns), keysLine(state)];
  const lines = [queryLine(state), completionLine(state), ...bodyLines(state), ...foot];
  return lines.slice(0, rows).map((line) => fit(line, columns));
}

function bodyLines(state: State): Line[] {
  const { body, left, preview, results, facets } = layoutOf(state);
  if (state.overlay !== undefined) return filled(overlayLines(state, state.overlay, body), body);
  const hits = filled(resultLines(state, left, results), results);
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
  ['^O', 'order'],
  ['^E', 'explain'],
  ['^S', 'save'],
  ['^L', 'saved'],
  ['^R', 'history'],
  ['^T', 'mark'],
  ['^Y', 'copy'],
];
const OVERLAY_KEYS: readonly (readonly [string, string])[] = [
  ['↑↓', 'move'],
  ['⏎', 'choose'],
  ['esc', 'back'],
];

/** The foot: what the keys do, or a word about what has just been done. */
function keysLine({ note, overlay, marked, columns }: State): Line {
  if (note !== undefined) return [span(` ${note}`, 'strong')];
  const keys = overlay === undefined ? KEYS : OVERLAY_KEYS;
  const count: Line = marked.length === 0 ? [] : [span(` ${marked.length} marked `, 'operator')];
  let room = columns - lineWidth(count);
  const shown = keys
    .map(([key, does]): Line => [span(` ${key}`, 'field'), span(` ${does} `, 'dim')])
    .filter((item) => (room -= lineWidth(item)) >= 0)
    .flat();
  return [...count, ...shown];
}
