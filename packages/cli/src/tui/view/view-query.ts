import { type QueryWord, queryWords } from '@lakehouse-search/contract/internal';
import { count, duration } from '../../terminal/figures.ts';
import { cut, width } from '../../terminal/text.ts';
import type { EditLine } from '../state/edit-line.ts';
import { ADVICE, isProse, isSettled, type State } from '../state/state.ts';
import { fit, type Line, lineWidth, type Span, span, spread, type Tone } from './spans.ts';

const TONES: Readonly<Record<QueryWord['kind'], Tone>> = {
  blank: 'plain',
  field: 'field',
  operator: 'operator',
  sign: 'operator',
  quoted: 'value',
  pattern: 'value',
  word: 'plain',
};

/** The top line: index, mode, the query under the cursor, and what came of it. */
export function queryLine(state: State): Line {
  const { columns, index } = state;
  if (index.name === '') return [span(' lhs', 'strong'), span('  which index?', 'dim')];
  const left: Line = [span(` ${cut(index.name, 24)}`, 'strong'), ...modeSpans(state)];
  const asked = width(state.line.text) + 2;
  const found = foundLine(state, columns - lineWidth(left) - asked);
  const room = columns - lineWidth(left) - lineWidth(found) - 1;
  return spread(
    [...left, ...editedLine(state.line, Math.max(8, room), !isProse(state))],
    found,
    columns,
  );
}

/** The search mode, with a mark if there are others. */
function modeSpans({ mode, index: { modes }, columns }: State): Line {
  const isUsual = mode === 'lexical';
  if (columns < 70 && isUsual) return [span('  ')];
  const sign = modes.length > 1 && columns >= 70 ? ' ▾' : '';
  return [
    span(`  ${mode}${sign}`, isUsual ? 'dim' : 'operator'),
    span(columns < 70 ? '  ' : '   '),
  ];
}

/** Hits, time and lag behind the table, or why the line is not valid. */
function foundLine(state: State, free: number): Line {
  const { answer, hint, columns } = state;
  if (hint !== undefined) {
    const room = Math.max(Math.floor(columns / 4), free - 4);
    return [span('  '), span(cut(hint.split(ADVICE)[0], room), 'wrong'), span(' ')];
  }
  if (answer === undefined) return [span('  …  ', 'dim')];
  const isNew = isSettled(state);
  const hits = span(
    `  ${count(answer.total)} ${answer.total === 1 ? 'hit' : 'hits'}`,
    isNew ? 'strong' : 'dim',
  );
  if (columns < 70) return [hits, span(' ')];
  const { lag } = answer;
  const behind = lag === null ? '' : lag === 0 ? '  at head' : `  ${count(lag)} behind`;
  return [hits, span(`  ${duration(answer.tookMs)}${columns < 90 ? '' : behind} `, 'dim')];
}

/** A line under its cursor, coloured where it is a query, cut around the cursor to `columns`. */
export function editedLine(line: EditLine, columns: number, isQuery: boolean): Line {
  const words: readonly Pick<QueryWord, 'kind' | 'from' | 'to'>[] = isQuery
    ? queryWords(line.text)
    : [{ kind: 'word', from: 0, to: line.text.length }];
  const spans = words.flatMap(({ kind, from, to }) => around(line, from, to, TONES[kind]));
  if (line.at === line.text.length) spans.push(span(' ', 'cursor'));
  const before = width(line.text.slice(0, line.at)) + 1;
  return before <= columns
    ? fit(spans, columns)
    : [span('…', 'dim'), ...tail(spans, before, columns)];
}

/** A part of the line; the grapheme under the cursor stands out. */
function around({ text, at }: EditLine, from: number, to: number, tone: Tone): Span[] {
  if (at < from || at >= to) return [span(text.slice(from, to), tone)];
  const [first] = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.slice(at, to));
  const end = at + first.segment.length;
  return [
    span(text.slice(from, at), tone),
    span(text.slice(at, end), 'cursor'),
    span(text.slice(end, to), tone),
  ];
}

/** The spans that end where the cursor is, in `columns` less the mark before them. */
function tail(spans: readonly Span[], before: number, columns: number): Line {
  let drop = before - columns + 1;
  const out: Span[] = [];
  for (const { text, tone } of spans) {
    let rest = text;
    while (drop > 0 && rest !== '') {
      const [char] = rest;
      drop -= width(char);
      rest = rest.slice(char.length);
    }
    if (rest !== '') out.push({ text: rest, tone });
  }
  return fit(out, columns - 1);
}
