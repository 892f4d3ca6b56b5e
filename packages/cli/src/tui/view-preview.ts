import type { Hit, Json, JsonObject } from '@lakehouse-search/engine';
import { cut, pad, printable, width, wrap } from '../terminal/text.ts';
import { fit, type Line, type Span, span, toned } from './spans.ts';
import { isStale, keyText, type State, selected } from './state.ts';

const MOST_TEXT = 6000;

/** The row under the cursor, a column a line; long texts stand below their names. */
export function previewLines(state: State, columns: number, rows: number): Line[] {
  const hit = selected(state);
  if (hit === undefined || columns <= 0) return [];
  const whole = state.row?.key === keyText(hit) ? state.row.fields : undefined;
  const lines = rowLines(whole ?? known(hit), marksOf(hit), columns);
  const top = Math.min(state.previewTop, Math.max(0, lines.length - rows));
  const shown = lines.slice(top, top + rows).map((line) => fit(line, columns));
  return isStale(state) ? shown.map((line) => toned(line, 'dim')) : shown;
}

/** What the index itself has of the row: the key and cached fields. */
function known(hit: Hit): JsonObject {
  const { partition = [], identifier } = hit.coordinates;
  const key = [...partition, ...identifier].map(({ name, value }) => [name, value]);
  return { ...Object.fromEntries(key), ...hit.fields };
}

function rowLines(row: JsonObject, marks: ReadonlySet<string>, columns: number): Line[] {
  const entries = Object.entries(row);
  const names = Math.min(14, Math.max(0, ...entries.map(([name]) => width(name))));
  const room = columns - names - 2;
  return entries.flatMap(([name, value]): Line[] => {
    const text = valueText(value);
    const head = span(pad(cut(name, names), names), 'field');
    if (width(text.slice(0, room + 1)) <= room && !text.includes('\n')) {
      return [[head, span('  '), ...markedSpans(printable(text), marks)]];
    }
    const paragraphs = text.slice(0, MOST_TEXT).split('\n');
    const lines = paragraphs.flatMap((part) => hardWrap(printable(part), columns));
    return [[span(name, 'field')], ...lines.map((line) => markedSpans(line, marks))];
  });
}

function valueText(value: Json): string {
  if (typeof value === 'string') return value.replace(/\n+$/, '');
  return value === null ? '–' : JSON.stringify(value);
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

/** The words that the highlights of the hit mark, in small letters. */
function marksOf(hit: Hit): ReadonlySet<string> {
  const segments = Object.values(hit.highlight ?? {}).flat(2);
  const marked = segments.filter((segment) => segment.marked);
  return new Set(marked.flatMap(({ text }) => text.toLowerCase().match(WORDS) ?? []));
}
const WORDS = /[\p{L}\p{N}_]+/gu;

function markedSpans(text: string, marks: ReadonlySet<string>): Span[] {
  if (marks.size === 0) return [span(text)];
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .filter((part) => part !== '')
    .map((part) => span(part, marks.has(part.toLowerCase()) ? 'mark' : 'plain'));
}
