import type { Hit, Json, JsonObject } from '@lakehouse-search/contract';
import { textOfJson } from '@lakehouse-search/contract/internal';
import { armWords, NEWER_ROW } from '../../search/lines/hit-lines.ts';
import { cut, pad, printable, width, wrap } from '../../terminal/text.ts';
import { isStale, keyText, type State, selected } from '../state/state.ts';
import { markedSpans, marksOf } from './marks.ts';
import { fit, type Line, span, toned } from './spans.ts';

const MOST_TEXT = 6000;

/** The row under the cursor, a column a line; long texts stand below their names. */
export function previewLines(state: State, columns: number, rows: number): Line[] {
  const hit = selected(state);
  if (hit === undefined || columns <= 0) return [];
  const whole = state.row?.key === keyText(hit) ? state.row : undefined;
  const marks = marksOf(hit, state.answer?.question);
  const newer = whole?.newer ? [[span(NEWER_ROW, 'wrong')]] : [];
  const row = rowLines(whole?.fields ?? known(hit), marks, columns);
  const lines = [...armLines(hit), ...newer, ...row];
  const top = Math.min(state.previewTop, Math.max(0, lines.length - rows));
  const shown = lines.slice(top, top + rows).map((line) => fit(line, columns));
  return isStale(state) ? shown.map((line) => toned(line, 'dim')) : shown;
}

/** Where the arms of a hybrid search have it. */
function armLines(hit: Hit): Line[] {
  const words = armWords(hit);
  return words === '' ? [] : [[span(words, 'operator')]];
}

/** What the index itself has of the row: the key and cached fields. */
function known(hit: Hit): JsonObject {
  const { partition = [], identifier } = hit.coordinates;
  const key = [...partition, ...identifier].map(({ name, value }) => [name, value]);
  return { ...Object.fromEntries(key), ...hit.fields };
}

function rowLines(row: JsonObject, marks: ReadonlySet<string>, columns: number): Line[] {
  const names = Math.min(
    14,
    Math.max(0, ...Object.keys(row).map((name) => width(printable(name)))),
  );
  return Object.entries(row).flatMap(([name, value]) =>
    entryLines({ name, value, names, depth: 0 }, marks, columns),
  );
}

interface Entry {
  readonly name: string;
  readonly value: Json;
  /** Columns of the names at its level. */
  readonly names: number;
  readonly depth: number;
}
const DEEPEST = 8;

/** `name  value`; a long text below its name, an object's entries below it, a step to the right. */
function entryLines(entry: Entry, marks: ReadonlySet<string>, columns: number): Line[] {
  const { value, names, depth } = entry;
  const name = printable(entry.name);
  const step = ' '.repeat(depth * 2);
  const room = columns - names - 2 - step.length;
  const text = valueText(value);
  const head = span(step + pad(cut(name, names), names), 'field');
  if (width(printable(text.slice(0, room + 1))) <= room && !text.includes('\n')) {
    return [[head, span('  '), ...markedSpans(printable(text), marks)]];
  }
  const below = span(step + name, 'field');
  if (isObject(value) && depth < DEEPEST) {
    const wide = Math.min(14, Math.max(...Object.keys(value).map((key) => width(printable(key)))));
    const entries = Object.entries(value).map(([key, of]) =>
      entryLines({ name: key, value: of, names: wide, depth: depth + 1 }, marks, columns),
    );
    return [[below], ...entries.flat()];
  }
  const paragraphs = text.slice(0, MOST_TEXT).split('\n');
  const lines = paragraphs.flatMap((part) => hardWrap(printable(part), columns - step.length));
  return [[below], ...lines.map((line) => [span(step), ...markedSpans(line, marks)])];
}

function isObject(value: Json): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0
  );
}

function valueText(value: Json): string {
  if (typeof value === 'string') return timeText(value) ?? value.replace(/\n+$/, '');
  return value === null ? '–' : textOfJson(value);
}

/** `2025-05-11T20:31:42.000000Z` -> `2025-05-11 20:31:42`, without idle zeros. */
function timeText(value: string): string | undefined {
  const [, day, time, part = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:(\.\d*?)0*)?Z?$/.exec(value) ?? [];
  return day === undefined ? undefined : `${day} ${time}${part === '.' ? '' : part}`;
}

/** Lines of at most `columns`; a word that is longer is broken. */
function hardWrap(text: string, columns: number): string[] {
  return wrap(text, columns, '').flatMap((line) => {
    if (width(line) <= columns) return [line];
    const out: string[] = [];
    let rest = line;
    while (width(rest) > columns) {
      let part = '';
      for (const char of rest) {
        if (width(part + char) > columns) break;
        part += char;
      }
      if (part === '') break;
      out.push(part);
      rest = rest.slice(part.length);
    }
    return [...out, rest];
  });
}
