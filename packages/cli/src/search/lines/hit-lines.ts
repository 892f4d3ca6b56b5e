import type {
  FieldDescription,
  Hit,
  IndexDescription,
  Json,
  ModeRequest,
  SearchResponse,
} from '@lakehouse-search/contract';
import {
  type Fragment,
  fragmentText,
  otherFragments,
  textOfJson,
} from '@lakehouse-search/contract/internal';
import { formatKey } from '@lakehouse-search/engine';
import { adviceLines, commandWords } from '../../terminal/errors/next-step.ts';
import { instantText } from '../../terminal/instants.ts';
import type { Style } from '../../terminal/style.ts';
import { cut, pad, printable, width, wrap } from '../../terminal/text.ts';

/**
 * A hit as people read it: rank, score, key, small fields; then the title (the first cached TEXT
 * field with a value) with its matched terms marked; then fragments of other fields, with their
 * names.
 */
export function hitLines(hit: Hit, rank: number, view: HitView): string[] {
  const { index, style, columns, order, rowTexts } = view;
  const text = index.fields.filter((f) => f.type === 'TEXT' && f.cached).map((f) => f.name);
  const head =
    `${pad(String(rank), 2, 'right')}  ${orderText(hit, order)}` +
    `${printable(formatKey(hit.coordinates))}`;
  const title = text.find((name) => valuesOf(hit.fields?.[name]).length > 0);
  const small = smallFields(hit, index.fields, [...keysOf(index), ...sortedOf(order)], title);
  const facts = [armWords(hit), ...small.map(({ text: words }) => words)].filter(Boolean);
  const lines = [headLine(head, facts.join(' · '), style, columns)];
  const marked = title === undefined ? undefined : markedField(hit, title);
  if (title !== undefined) {
    lines.push(`    ${titleLine(hit, title, marked, style, columns - 4)}`);
  }
  const shown = [title, marked, ...small.map(({ field }) => field), ...sortedOf(order)];
  const fragments = otherFragments(hit, shown);
  if (fragments.length > 0) {
    lines.push(`    ${fragmentLine(inOneLine(fragments), style, columns - 4)}`);
  }
  if (hit.row_newer) lines.push(`    ${style.yellow(NEWER_ROW)}`);
  if (rowTexts.length > 0) lines.push(...textLines(hit, view));
  else if (hit.row !== undefined) lines.push(...rowLines(hit.row, style, columns));
  if (hit.hydrate_error !== undefined)
    lines.push(`    ${style.yellow('no row:')} ${printable(hit.hydrate_error)}`);
  return lines;
}

/** The texts of a field of one or more. */
const valuesOf = (value: Json | undefined): readonly string[] =>
  [value].flat().filter((one): one is string => typeof one === 'string' && one !== '');

/** Before a row that differs, or may differ, from what the index has of it. */
export const NEWER_ROW = 'row written after the snapshot of the index:';

/** What the lines of hits depend on besides the hit. */
export interface HitView {
  readonly index: IndexDescription;
  readonly order: HitOrder;
  /** Columns of the table that are shown in the place of cached fields, which the index lacks. */
  readonly rowTexts: readonly string[];
  readonly style: Style;
  readonly columns: number;
  /** The row that hits are like, as its key was typed. */
  readonly like?: string;
}

/** What puts hits into their order: fields of a sort, the score, or the key alone. */
export interface HitOrder {
  readonly by: 'score' | 'fields' | 'key';
  /** Names of the fields, with their places among the keys of the sort. */
  readonly fields: readonly (readonly [name: string, at: number])[];
}
const BY_SCORE: HitOrder = { by: 'score', fields: [] };

/** The order of the hits of a request. Without a query and a sort, all scores are equal. */
export function hitOrder({ mode, request }: ModeRequest): HitOrder {
  const keys = (request.sort ?? []).map(({ field }, at) => [field, at] as const);
  if (keys.length > 0 && keys[0][0] !== '_score') {
    const fields = keys.filter(([field]) => !field.startsWith('_'));
    return { by: fields.length === 0 ? 'key' : 'fields', fields };
  }
  const isAll = mode === 'lexical' && [undefined, '', '*:*'].includes(request.query);
  return isAll && request.ast === undefined ? { by: 'key', fields: [] } : BY_SCORE;
}

/** The score, or the values that the hits are sorted by. */
function orderText(hit: Hit, { by, fields }: HitOrder): string {
  if (by === 'score') return `${scoreText(hit)}  `;
  if (by === 'key') return '';
  const values = fields.map(([field, at]) => {
    const value = sortedValue(hit, field, at);
    return `${field} ${value === null || value === undefined ? '-' : sortText(value)}`;
  });
  return `${printable(values.join(' · '))}  `;
}

/** The value that a hit is sorted by; of a folded field as it is written. */
export function sortedValue(hit: Hit, field: string, at: number): Json | undefined {
  const cached = hit.fields?.[field];
  return typeof cached === 'string' ? cached : hit.sort?.[at];
}

const sortText = (value: Json): string =>
  typeof value === 'string' ? instantText(value) : textOfJson(value);

/** Two decimals; fused scores are small, and differ behind those. */
const scoreText = ({ score, arms }: Hit): string => score.toFixed(arms === undefined ? 2 : 4);

function headLine(head: string, facts: string, style: Style, columns: number): string {
  const wide = Math.max(width(head), columns < 60 ? 0 : 30);
  const room = columns - wide - 3;
  if (facts === '' || room < 8) return cut(head, columns);
  return `${pad(head, wide)}   ${style.dim(cut(facts, room))}`;
}

const keysOf = ({ key }: IndexDescription) => [...key.identifier, ...key.partition];
const sortedOf = ({ fields }: HitOrder) => fields.map(([name]) => name);

/** Small fields that a line has room for. */
const MAX_SMALL = 6;
/** Characters of a small text. */
const SMALL_TEXT = 40;

/** A field of a hit, and its name before its value. */
export interface SmallField {
  readonly field: string;
  readonly text: string;
}

/**
 * The cached fields and the numbers that matched, those that matched first, without those in
 * `shown`; of texts the short ones without matches, behind the others. A column is shown once,
 * though several fields may be made of it, also the title.
 */
export function smallFields(
  hit: Hit,
  fields: readonly FieldDescription[],
  shown: readonly string[],
  title?: string,
): readonly SmallField[] {
  const isMatched = ({ name }: FieldDescription) => Number(hit.highlight?.[name] !== undefined);
  const own = fields.find(({ name }) => name === title);
  const columns = new Set(own && [columnOf(own)]);
  return fields
    .filter(({ name }) => name !== title && !shown.includes(name))
    .filter((field) => !(isTextField(field) && isMatched(field)))
    .toSorted((a, b) => isMatched(b) - isMatched(a) || isTextField(a) - isTextField(b))
    .flatMap((field): SmallField[] => {
      const value = hit.fields?.[field.name] ?? matchedValue(hit, field) ?? null;
      const column = columnOf(field);
      if (value === null || columns.has(column)) return [];
      columns.add(column);
      const short = shortValue(field, value);
      if (isTextField(field) && short.length > SMALL_TEXT) return [];
      return [{ field: field.name, text: printable(`${field.name} ${short}`) }];
    })
    .slice(0, MAX_SMALL);
}

/** The column or path that a field is made of. */
const columnOf = ({ source, path }: FieldDescription): string =>
  [...source, ...(path === undefined ? [] : [path])].join('.');

const isTextField = ({ type }: FieldDescription) => Number(type === 'TEXT');

/** The values of a number or date that matched, though the index returns none. */
function matchedValue({ highlight }: Hit, { name, type }: FieldDescription): Json | undefined {
  if (type === 'KEYWORD' || type === 'TEXT') return undefined;
  return highlight?.[name]?.map(fragmentText).join(', ');
}

function shortValue(field: FieldDescription, value: Json): string {
  if (Array.isArray(value)) return value.map((one) => shortValue(field, one)).join(', ');
  return field.type === 'DATE' ? instantText(String(value)).slice(0, 16) : String(value);
}

/** The first texts of the row, which the index does not store: the first of them stands out. */
function textLines({ row }: Hit, { rowTexts, style, columns }: HitView): string[] {
  const texts = rowTexts.flatMap((name) => {
    const value = row?.[name];
    return value === undefined || value === null ? [] : [rowText(value)];
  });
  return texts.map((text, i) => {
    const short = cut(printable(text), columns - 4);
    return `    ${i === 0 ? style.bold(short) : short}`;
  });
}

const rowText = (value: Json): string => (typeof value === 'string' ? value : textOfJson(value));

/** The field whose fragment has the title with marks: the title, or the struct that it is in. */
function markedField({ fields, highlight = {} }: Hit, title: string): string | undefined {
  if (highlight[title] !== undefined) return title;
  const text = fields?.[title];
  const [found] =
    Object.entries(highlight).find(([, [one]]) => one && fragmentText(one) === text) ?? [];
  return found;
}

function titleLine(
  hit: Hit,
  title: string,
  marked: string | undefined,
  style: Style,
  columns: number,
): string {
  const whole = marked === undefined ? undefined : hit.highlight?.[marked]?.[0];
  const values = valuesOf(hit.fields?.[title]);
  if (whole === undefined) return style.bold(cut(printable(values.join(', ')), columns));
  const all = values.length > 1 ? inOneLine(withFragment(values, whole), ', ') : whole;
  return fragmentLine(all, style, columns, style.bold);
}

/** The values, of which one is the fragment; a fragment of a part of a value comes first. */
function withFragment(values: readonly string[], fragment: Fragment): readonly Fragment[] {
  const at = values.indexOf(fragmentText(fragment));
  const all = values.map((text, i) => (i === at ? fragment : [{ text, marked: false }]));
  return at < 0 ? [fragment, ...all] : all;
}

const inOneLine = (fragments: readonly Fragment[], between = ' · '): Fragment =>
  fragments.flatMap((one, i) => (i === 0 ? one : [{ text: between, marked: false }, ...one]));

/** A fragment on one line, cut to the width, matched terms marked, the rest as `plain` has it. */
export function fragmentLine(
  fragment: Fragment,
  style: Style,
  columns: number,
  plain: (text: string) => string = (text) => text,
): string {
  let room = columns;
  let out = '';
  for (const segment of fragment) {
    const text = printable(segment.text).replace(/ {2,}/g, ' ');
    const fits = width(text) + (segment.marked ? 2 : 0) <= room;
    const shown = fits ? text : cut(text, Math.max(1, room));
    out += segment.marked ? style.mark(shown) : plain(shown);
    room -= width(shown) + (segment.marked ? 2 : 0);
    if (!fits || room <= 0) break;
  }
  return out;
}

/** The hydrated row, a column a line. */
function rowLines(row: NonNullable<Hit['row']>, style: Style, columns: number): string[] {
  const entries = Object.entries(row).map(([name, value]) => [printable(name), value] as const);
  const wide = Math.min(20, Math.max(0, ...entries.map(([name]) => width(name))));
  return entries.map(([name, value]) => {
    return (
      `    ${style.dim(pad(cut(name, wide), wide))}  ` +
      `${cut(printable(rowText(value)), columns - wide - 6)}`
    );
  });
}

/** Where the arms of a hybrid search have a hit: `words 3 · meaning 1`. */
export function armWords({ arms }: Hit): string {
  if (arms === undefined) return '';
  const { lexical, semantic } = arms;
  const parts = [
    ...(lexical === undefined ? [] : [`words ${lexical.rank}`]),
    ...(semantic === undefined ? [] : [`meaning ${semantic.rank}`]),
  ];
  return parts.join(' · ');
}

/** Remarks on a response: arms that failed, with reasons, and notes. */
export function remarks(answer: SearchResponse, style: Style, columns: number): string[] {
  const failed = (answer.failed_arms ?? []).flatMap(({ arm, message, hint, next }) => {
    const what = `the ${arm} arm did not answer: ${printable(message)}`;
    return [what, ...adviceLines(hint, next).map((line) => `  ${printable(line)}`)];
  });
  return [...failed, ...(answer.notes ?? []).map(commandWords).map(printable)].flatMap((line) =>
    wrap(style.yellow(line), columns),
  );
}
