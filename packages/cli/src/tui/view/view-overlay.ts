import { wrap } from '../../terminal/text.ts';
import { sortText } from '../state/reduce-choices.ts';
import { choicesShown, keyText, type Overlay, question, type State } from '../state/state.ts';
import { listTop } from './layout.ts';
import { barred, fit, type Line, span, spread } from './spans.ts';
import { editedLine } from './view-query.ts';

const HELP: readonly (readonly [string, string])[] = [
  ['type', 'a query: words, "a phrase", field:value, AND OR NOT, field:[a TO b]'],
  ['', 'the last word is a prefix; field:value clauses are joined with AND'],
  ['?', 'this help; ?? writes a question mark'],
  ['Tab  Shift-Tab', 'complete a field or a value; again: the next, the one before'],
  ['↑ ↓  PgUp PgDn', 'move among the hits; more are fetched at the end'],
  ['Alt-↑ Alt-↓', 'scroll the preview'],
  ['mouse', 'click a hit or a choice; the wheel moves; Shift selects text'],
  ['Enter', 'print the key (or the marked keys) and leave'],
  ['^T', 'mark or unmark the hit for Enter'],
  ['^Y', "copy the key to the terminal's clipboard"],
  ['^E', 'explain the score of the hit'],
  ['^X  Alt-M', 'mode: by words, by meaning, by both'],
  ['^F', 'facets: choose a value to narrow the hits, again to let it go'],
  ['^O', 'order: relevance or a field'],
  ['^S  ^L', 'save the query; open a saved one'],
  ['^R', 'earlier queries that had hits'],
  ['^G', 'go to another index'],
  ['^A ^U ^K ^W', 'to the start; delete before, after, a word'],
  ['^U', 'on an empty line: no filter, no order; ⌫ takes the last filter'],
  ['^Z', 'suspend; fg comes back'],
  ['Esc  ^C', 'leave without a key'],
];

const TITLES = {
  facets: 'Facets',
  sort: 'Order',
  saved: 'Saved queries',
  history: 'Queries before',
  indexes: 'Indexes',
} as const;

/** The list or page that covers the results. */
export function overlayLines(state: State, overlay: Overlay, rows: number): Line[] {
  const { columns } = state;
  switch (overlay.type) {
    case 'help':
      return helpLines(columns, overlay.top, rows);
    case 'save':
      return saveLines(state, overlay);
    case 'list':
      return listLines(overlay, columns, rows);
    case 'explain':
      return explainedLines(state, overlay, rows);
  }
}

function helpLines(columns: number, top: number, rows: number): Line[] {
  const lines = HELP.flatMap(([keys, does]) => {
    const [first, ...rest] = wrap(does, columns - 19, '');
    const head: Line = [span(` ${keys.padEnd(16)}`, 'field'), span(` ${first}`)];
    return [head, ...rest.map((more): Line => [span(' '.repeat(18) + more)])];
  });
  return lines.slice(Math.max(0, Math.min(top, lines.length - rows)));
}

function saveLines(state: State, overlay: Extract<Overlay, { type: 'save' }>): Line[] {
  const { query, filters, sort } = question(state);
  const conditions = [...filters, ...(sort.length === 0 ? [] : [`by ${sortText(sort)}`])];
  return [
    [span(' Save the query', 'strong')],
    [span(' query  ', 'dim'), span(query)],
    ...conditions.map(
      (text, i): Line => [span(i === 0 ? ' with   ' : '        ', 'dim'), span(text)],
    ),
    [span(' name   ', 'dim'), ...editedLine(overlay.name, Math.max(8, state.columns - 10), false)],
  ];
}

function listLines(
  overlay: Extract<Overlay, { type: 'list' }>,
  columns: number,
  rows: number,
): Line[] {
  const { at, typed } = overlay;
  const title: Line = [span(` ${TITLES[overlay.of]}`, 'strong'), span('  '), span(typed, 'value')];
  if (overlay.choices === undefined) return [title, [span('  …', 'dim')]];
  const choices = choicesShown(overlay);
  if (choices.length === 0) return [title, [span(nothing(overlay), 'dim')]];
  const room = Math.max(1, rows - 1);
  const top = listTop(at, choices.length, rows);
  const shown = choices.slice(top, top + room).map(({ label, detail, isOn }, i): Line => {
    const chosen = top + i === at;
    const left: Line = [
      span(`${chosen ? '▸' : ' '}${isOn ? '*' : ' '} `, 'operator'),
      span(label, chosen ? 'strong' : 'plain'),
      span('  '),
    ];
    const right: Line = detail === undefined ? [] : [span(` ${detail} `, 'dim')];
    const line = spread(left, right, Math.min(columns, 78));
    return chosen ? barred(line) : line;
  });
  return [title, ...shown];
}

function nothing({ choices = [], of, typed }: Extract<Overlay, { type: 'list' }>): string {
  if (choices.length > 0) return `  none with "${typed}"`;
  return of === 'facets' ? '  no fast field to count' : '  none yet';
}

function explainedLines(
  { columns }: State,
  { hit, question, lines, top }: Extract<Overlay, { type: 'explain' }>,
  rows: number,
): Line[] {
  const title: Line = [
    span(` Explain ${keyText(hit)}`, 'strong'),
    span(`  ${question.query}`, 'dim'),
  ];
  const head = fit(title, columns);
  if (lines === undefined) return [head, [span('  …', 'dim')]];
  return [head, ...lines.slice(top, top + rows - 1).map((line): Line => [span(` ${line}`)])];
}
