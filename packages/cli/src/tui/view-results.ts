import type { Hit, Json } from '@lakehouse-search/contract';
import { count } from '../terminal/figures.ts';
import { cut, pad, printable, width } from '../terminal/text.ts';
import { markedSpans, marksOf } from './marks.ts';
import { fit, type Line, span, toned } from './spans.ts';
import { isStale, keyText, type State } from './state.ts';

const WIDEST_KEY = 22;

/** The rows of hits around the cursor: score, key, title with what matched. */
export function resultPane(state: State, columns: number, rows: number): Line[] {
  const { answer, top } = state;
  if (answer === undefined || rows <= 0) return [];
  if (answer.hits.length === 0) return emptyLines(state, columns, rows);
  const shown = answer.hits.slice(top, top + rows);
  const keys = Math.min(WIDEST_KEY, Math.max(...shown.map((hit) => width(shortKey(hit)))));
  return shown.map((hit, i) => {
    const chosen = top + i === state.cursor;
    const taken = state.marked.includes(keyText(hit));
    const sign = span(`${chosen ? '▸' : ' '}${taken ? '*' : ' '}`, 'operator');
    const figure = span(`${pad(leading(hit, state), 5, 'right')} `, 'dim');
    const key = span(`${pad(cut(shortKey(hit), keys), keys)} `, 'field');
    const line = [sign, figure, key, ...titleSpans(hit, state)];
    const room = fit(line, columns);
    if (isStale(state)) return toned(room, 'dim');
    return chosen
      ? room.map((one) => (one.tone === 'plain' ? { ...one, tone: 'strong' } : one))
      : room;
  });
}

/** The key's values, with the name only if the key has one part. */
function shortKey(hit: Hit): string {
  const { partition = [], identifier } = hit.coordinates;
  const parts = [...partition, ...identifier];
  if (parts.length === 1) return printable(keyText(hit));
  return parts.map(({ value }) => cut(printable(value), 10)).join(',');
}

/** The score, or the value of the order; only so much of it as fits. */
function leading(hit: Hit, { answer }: State): string {
  const sort = answer?.question.sort ?? [];
  if (sort.length === 0) return hit.arms === undefined ? scoreText(hit, answer) : armText(hit.arms);
  return cut(printable(shortValue(hit.sort?.[0] ?? null)), 10);
}

function scoreText({ score }: Hit, answer: State['answer']): string {
  if (answer?.question.mode === 'semantic') return score.toFixed(3);
  return score.toFixed(score < 100 ? 2 : 0);
}

/** ` 3   1`: the ranks among the words' hits and among the nearest; `–` where it is not. */
function armText({ lexical, semantic }: NonNullable<Hit['arms']>): string {
  return [lexical, semantic].map((arm) => pad(arm?.rank.toString() ?? '–', 3, 'right')).join(' ');
}

function shortValue(value: Json): string {
  return value === null ? '–' : String(value).slice(0, 10);
}

/** The first text with its matches marked, or the other cached values if there is no text. */
function titleSpans(hit: Hit, { index, answer }: State): Line {
  const texts = index.fields.filter((f) => f.type === 'TEXT' && f.cached);
  for (const { name } of texts.slice(0, 1)) {
    const fragment = hit.highlight?.[name]?.[0];
    if (fragment !== undefined)
      return fragment.map((s) => span(s.text, s.marked ? 'mark' : 'plain'));
    const value = hit.fields?.[name];
    if (value !== undefined && value !== null) {
      return markedSpans(firstOf(value).slice(0, 400), marksOf(hit, answer?.question));
    }
  }
  const values = Object.values(hit.fields ?? {}).filter((value) => value !== null);
  return [span(values.map(String).join(' · ').slice(0, 400))];
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
    ...clauses.map(({ clause, total, suggestion }): Line => {
      const guess = suggestion === undefined ? '' : `  did you mean ${suggestion}?`;
      return [span(`  ${clause}`, 'value'), span(`  ${count(total)}`), span(guess, 'dim')];
    }),
    [span('  Tab completes fields and values, ? shows help', 'dim')],
  ];
  return lines.slice(0, rows).map((line) => fit(line, columns));
}
