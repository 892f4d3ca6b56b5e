import type { Hit, Json, Segment } from '@lakehouse-search/contract';
import { meantText } from '@lakehouse-search/contract/internal';
import { smallFields, sortedValue } from '../../search/lines/hit-lines.ts';
import { elsewhereLines } from '../../search/lines/result-lines.ts';
import { count } from '../../terminal/figures.ts';
import { cut, pad, printable, width } from '../../terminal/text.ts';
import { type Answer, EVERYTHING, type ScreenIndex } from '../state/question.ts';
import { isStale, keyText, type State } from '../state/state.ts';
import { markedSpans, marksOf } from './marks.ts';
import { barred, fit, type Line, lineWidth, span, toned } from './spans.ts';

const WIDEST_KEY = 22;
/** Keys beyond this width are shown without the name of their column. */
const WIDEST_NAMED = 12;

/** The rows of hits around the cursor: score, key, title with what matched. */
export function resultPane(state: State, columns: number, rows: number): Line[] {
  const { answer, top } = state;
  if (answer === undefined || rows <= 0) return [];
  if (answer.hits.length === 0) return emptyLines(state, columns, rows);
  const shown = answer.hits.slice(top, top + rows);
  const keyOf = keyTexts(shown);
  const keys = Math.min(WIDEST_KEY, Math.max(...shown.map((hit) => width(keyOf(hit)))));
  return shown.map((hit, i) => {
    const chosen = top + i === state.cursor;
    const taken = state.marked.includes(keyText(hit));
    const sign = span(`${chosen ? '▸' : ' '}${taken ? '*' : ' '}`, 'operator');
    const figure = isScored(answer)
      ? [span(`${pad(leading(hit, answer), 5, 'right')} `, 'dim')]
      : [];
    const head = [sign, ...figure, span(`${pad(cut(keyOf(hit), keys), keys)} `, 'field')];
    const room = columns - lineWidth(head);
    const line = fit([...head, ...titleSpans(hit, state, room)], columns);
    if (isStale(state)) return toned(line, 'dim');
    return chosen ? barred(line) : line;
  });
}

/** The keys of the hits: with the name of the column, unless that makes them long. */
function keyTexts(hits: readonly Hit[]): (hit: Hit) => string {
  const named = hits.every((hit) => width(shortKey(hit, true)) <= WIDEST_NAMED);
  return (hit) => shortKey(hit, named);
}

function shortKey(hit: Hit, named: boolean): string {
  const { partition = [], identifier } = hit.coordinates;
  const parts = [...partition, ...identifier];
  if (parts.length > 1) return parts.map(({ value }) => cut(printable(value), 10)).join(',');
  return printable(named ? keyText(hit) : parts[0].value);
}

/** False if every row matches alike and nothing orders them: there is no figure to show. */
function isScored({ question }: Answer): boolean {
  return question.query !== EVERYTHING || question.sort.length > 0;
}

/** The score, or the value of the order; only so much of it as fits. */
function leading(hit: Hit, answer: Answer): string {
  const { sort } = answer.question;
  if (sort.length === 0) return hit.arms === undefined ? scoreText(hit, answer) : armText(hit.arms);
  return cut(printable(shortValue(sortedValue(hit, sort[0].field, 0) ?? null)), 10);
}

function scoreText({ score }: Hit, { question }: Answer): string {
  if (question.mode === 'semantic') return score.toFixed(3);
  return score.toFixed(score < 100 ? 2 : 0);
}

/** ` 3   1`: the ranks among the words' hits and among the nearest; `–` where it is not. */
function armText({ lexical, semantic }: NonNullable<Hit['arms']>): string {
  return [lexical, semantic].map((arm) => pad(arm?.rank.toString() ?? '–', 3, 'right')).join(' ');
}

function shortValue(value: Json): string {
  return value === null ? '–' : String(value).slice(0, 10);
}

/**
 * The first text with its matches marked; if the matches are in another field, its name and a
 * fragment follow. Without cached texts: the row's own text, or the other cached values.
 */
function titleSpans(hit: Hit, { index, answer }: State, columns: number): Line {
  const marks = marksOf(hit, answer?.question);
  const title = index.fields.find((f) => f.type === 'TEXT' && f.cached)?.name;
  const value = title === undefined ? undefined : hit.fields?.[title];
  const own = title === undefined ? undefined : hit.highlight?.[title]?.[0];
  if (own !== undefined) return segmentSpans(own);
  const { line: plain, shown } = isEmpty(value)
    ? otherSpans(hit, index, marks)
    : { line: markedSpans(firstOf(value).slice(0, MOST_TITLE), marks), shown: [] };
  const elsewhere = Object.entries(hit.highlight ?? {}).find(
    ([name, [first]]) => first !== undefined && !shown.includes(name),
  );
  if (elsewhere === undefined || columns < LEAST_FOR_BOTH) return plain;
  const [name, [fragment]] = elsewhere;
  const short = Math.min(lineWidth(plain), Math.floor(columns / 2));
  const head = [...fit(plain, short), span(`${short === 0 ? '' : ' · '}${name} `, 'dim')];
  return [...head, ...segmentSpans(fromMark(fragment, columns - lineWidth(head)))];
}

const isEmpty = (value: Json | undefined): value is null | undefined | '' =>
  value === undefined || value === null || value === '';

const MOST_TITLE = 400;
/** Columns in which a title and a fragment of another text both say something. */
const LEAST_FOR_BOTH = 50;

const segmentSpans = (segments: readonly Segment[]): Line =>
  segments.map(({ text, marked }) => span(text, marked ? 'mark' : 'plain'));

/** The fragment from a few words before its first match, as far as the match fits behind them. */
function fromMark(segments: readonly Segment[], columns: number): readonly Segment[] {
  const [first, ...rest] = segments;
  if (first === undefined || first.marked) return segments;
  const room = Math.max(0, columns - width(rest[0]?.text ?? '') - 1);
  const from = Math.max(0, first.text.length - Math.min(MARGIN, room));
  const near = first.text.slice(from).replace(/^\S*\s+/, '');
  return [{ text: near, marked: false }, ...rest];
}
const MARGIN = 16;

/** What the list shows of a hit without a cached text, and the names of the fields in it. */
function otherSpans(
  hit: Hit,
  { fields, rowTexts }: ScreenIndex,
  marks: ReadonlySet<string>,
): { readonly line: Line; readonly shown: readonly string[] } {
  const [column] = rowTexts;
  const own = column === undefined ? undefined : hit.row?.[column];
  if (!isEmpty(own)) {
    const line = markedSpans(firstOf(own).slice(0, MOST_TITLE), marks);
    return { line, shown: fields.filter(({ source }) => source[0] === column).map((f) => f.name) };
  }
  const { partition = [], identifier } = hit.coordinates;
  const keys = [...partition, ...identifier].map(({ name }) => name);
  const small = smallFields(hit, fields, keys);
  const text = small.map((one) => one.text).join(' · ');
  return {
    line: [span(text.slice(0, MOST_TITLE))],
    shown: [...keys, ...small.map(({ field }) => field)],
  };
}

function firstOf(value: Json): string {
  return Array.isArray(value) ? value.map(String).join(' · ') : String(value);
}

/** Nothing found: the hits of each clause by itself, and suggested corrections. */
function emptyLines(state: State, columns: number, rows: number): Line[] {
  if (isStale(state)) return [[]];
  const clauses = state.clauses ?? [];
  const lines: Line[] = [
    [],
    [span('  nothing found', 'strong')],
    ...clauses.map((one): Line => {
      const guess = meantText(one);
      const counted = span(`  ${count(one.total)}`);
      return [span(`  ${one.clause}`, 'value'), counted, span(guess && `  ${guess}`, 'dim')];
    }),
    ...elsewhereLines(clauses).map((line): Line => [span(`  ${line}`)]),
    ...(state.suggested === undefined
      ? []
      : [[span('  Enter searches for '), span(state.suggested, 'value')]]),
    [span('  Tab completes fields and values, ? shows help', 'dim')],
  ];
  return lines.slice(0, rows).map((line) => fit(line, columns));
}
