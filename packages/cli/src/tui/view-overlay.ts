import { wrap } from '../terminal/text.ts';
import { fit, type Line, span, spread } from './spans.ts';
import { keyText, type Overlay, type State } from './state.ts';
import { editedLine } from './view-query.ts';

const HELP: readonly (readonly [string, string])[] = [
  ['type', 'a query: words, "a phrase", field:value, AND OR NOT, field:[a TO b]'],
  ['Tab  Shift-Tab', 'complete a field or a value; again: the next, the one before'],
  ['↑ ↓  PgUp PgDn', 'move among the hits; more are fetched at the end'],
  ['Alt-↑ Alt-↓', 'scroll the preview'],
  ['Enter', 'print the key (or the marked keys) and leave'],
  ['^T', 'mark or unmark the hit for Enter'],
  ['^Y', "copy the key to the terminal's clipboard"],
  ['^E', 'explain the score of the hit'],
  ['^F', 'facets: choose a value to narrow the query'],
  ['^O', 'order: relevance or a field'],
  ['^S  ^L', 'save the query; open a saved one'],
  ['^R', 'queries that led to something before'],
  ['^A  ^W  ^U', 'to the start; delete a word; delete all before'],
  ['^Z', 'suspend; fg comes back'],
  ['Esc  ^C', 'leave without a key'],
];

const TITLES = {
  facets: 'Facets',
  sort: 'Order',
  saved: 'Saved queries',
  history: 'Queries before',
} as const;

/** What lies over the results, to fill the body. */
export function overlayLines(state: State, overlay: Overlay, rows: number): Line[] {
  const { columns } = state;
  switch (overlay.type) {
    case 'help':
      return helpLines(columns).slice(0, rows);
    case 'save':
      return saveLines(state, overlay);
    case 'list':
      return listLines(overlay, columns, rows);
    case 'explain':
      return explainedLines(state, overlay, rows);
  }
}

function helpLines(columns: number): Line[] {
  return HELP.flatMap(([keys, does]) => {
    const [first, ...rest] = wrap(does, columns - 19, '');
    const head: Line = [span(` ${keys.padEnd(16)}`, 'field'), span(` ${first}`)];
    return [head, ...rest.map((more): Line => [span(' '.repeat(18) + more)])];
  });
}

function saveLines(state: State, overlay: Extract<Overlay, { type: 'save' }>): Line[] {
  const query = state.line.text.trim() === '' ? '*:*' : state.line.text;
  return [
    [span(' Save the query', 'strong')],
    [span(' query  ', 'dim'), span(query)],
    [span(' name   ', 'dim'), ...editedLine(overlay.name, Math.max(8, state.columns - 10), false)],
  ];
}

function listLines(
  overlay: Extract<Overlay, { type: 'list' }>,
  columns: number,
  rows: number,
): Line[] {
  const title: Line = [span(` ${TITLES[overlay.of]}`, 'strong')];
  const { choices, at } = overlay;
  if (choices === undefined) return [title, [span('  …', 'dim')]];
  if (choices.length === 0) return [title, [span('  none yet', 'dim')]];
  const room = Math.max(1, rows - 1);
  const top = Math.max(0, Math.min(at - Math.floor(room / 2), choices.length - room));
  const shown = choices.slice(top, top + room).map(({ label, detail }, i): Line => {
    const chosen = top + i === at;
    const left: Line = [
      span(chosen ? '▸ ' : '  ', 'operator'),
      span(label, chosen ? 'strong' : 'plain'),
      span('  '),
    ];
    const right: Line = detail === undefined ? [] : [span(` ${detail} `, 'dim')];
    return spread(left, right, Math.min(columns, 78));
  });
  return [title, ...shown];
}

function explainedLines(
  { columns }: State,
  { hit, query, lines, top }: Extract<Overlay, { type: 'explain' }>,
  rows: number,
): Line[] {
  const title: Line = [span(` Explain ${keyText(hit)}`, 'strong'), span(`  ${query}`, 'dim')];
  const head = fit(title, columns);
  if (lines === undefined) return [head, [span('  …', 'dim')]];
  return [head, ...lines.slice(top, top + rows - 1).map((line): Line => [span(` ${line}`)])];
}
