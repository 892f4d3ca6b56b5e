/**
 * A worksheet of an Excel workbook (ECMA-376) as CSV: the first row with a value names the
 * columns. A number is a date or a time if the format of its cell is one; formulas have the value
 * that was saved.
 */
import { readFile } from 'node:fs/promises';
import { LakeError } from '../../base/errors.ts';
import type { InputFile } from '../input/input-files.ts';
import type { ReadingOptions } from '../input/reading-options.ts';
import { extractMember, type ZipMember, zipMembers } from './zip.ts';

/** The rows as CSV lines, and the columns whose values are all texts. */
export interface SheetRows {
  readonly lines: readonly string[];
  readonly texts: readonly string[];
  /** The number of the row that names the columns. */
  readonly header: number;
  /** The name of the worksheet, and those of the others. */
  readonly name: string;
  readonly others: readonly string[];
}

type Cell = { readonly text: string; readonly isText: boolean };
type Rows = readonly { readonly number: number; readonly cells: readonly (Cell | undefined)[] }[];

/**
 * Reads the worksheet of a name, else the first. Throws invalid_argument if there is none, or the
 * file is no workbook.
 */
export async function sheetRows(
  file: InputFile,
  { sheet: requested, skipLines = 0 }: ReadingOptions,
  newPath: (ending: string) => string,
  signal?: AbortSignal,
): Promise<SheetRows> {
  const members = new Map((await zipMembers(file)).map((member) => [member.name, member]));
  const read = async (member: ZipMember | undefined) => {
    if (member === undefined) return '';
    const path = newPath('.xml');
    await extractMember(file, member, path, signal);
    return readFile(path, 'utf8');
  };
  const workbook = await read(members.get('xl/workbook.xml'));
  const tags = [...workbook.matchAll(/<sheet\b[^>]*>/g)].map(([tag]) => tag);
  const names = tags.map((tag) => unescaped(attribute(tag, 'name') ?? ''));
  const at = requested === undefined ? 0 : names.indexOf(requested);
  const path = sheetPath(tags[at], await read(members.get(RELATIONS)));
  const sheet = at < 0 ? undefined : members.get(path);
  if (sheet === undefined) throw noSheet(file, requested, names);
  const strings = elements(await read(members.get('xl/sharedStrings.xml')), 'si').map(plainText);
  const formats = dateStyles(await read(members.get('xl/styles.xml')));
  const is1904 = /<workbookPr\b[^>]*\bdate1904="(1|true)"/.test(workbook);
  const others = names.filter((_, i) => i !== at);
  const rows = cellsOf(await read(sheet), strings, formats, is1904);
  return {
    ...asCsv(rows.filter(({ number }) => number > skipLines)),
    name: names[at] ?? '',
    others,
  };
}

const RELATIONS = 'xl/_rels/workbook.xml.rels';

function noSheet(
  { shown, path }: InputFile,
  requested: string | undefined,
  names: readonly string[],
): LakeError {
  const why =
    requested === undefined || names.length === 0
      ? 'it is no Excel workbook with a worksheet'
      : `it has no worksheet "${requested}" (it has ${names.join(', ')})`;
  return new LakeError('invalid_argument', `cannot read ${shown}: ${why}`, { file: path });
}

function sheetPath(tag: string | undefined, relations: string): string {
  const id = tag === undefined ? null : attribute(tag, 'r:id');
  const all = [...relations.matchAll(/<Relationship\b[^>]*>/g)].map(([text]) => text);
  const target = all.map((text) =>
    attribute(text, 'Id') === id ? attribute(text, 'Target') : null,
  );
  const path = target.find((one) => one !== null) ?? 'worksheets/sheet1.xml';
  return path.startsWith('/') ? path.slice(1) : `xl/${path}`;
}

const attribute = (tag: string, name: string): string | null =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? null;

const elements = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}\\b(?:[^>]*/>|[^>]*>([\\s\\S]*?)</${name}>)`, 'g'))].map(
    ([, inner]) => inner ?? '',
  );

/** The text of a string item, without its phonetic hints. */
const plainText = (xml: string): string =>
  elements(xml.replaceAll(/<rPh\b[\s\S]*?<\/rPh>/g, ''), 't')
    .map(unescaped)
    .join('');

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

const unescaped = (text: string): string =>
  text
    .replaceAll(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (all, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name] ?? all;
      return String.fromCodePoint(
        decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal),
      );
    })
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

type DateStyle = 'date' | 'time' | 'timestamp' | null;

/** By number of a cell style. Formats 14 to 22 and 45 to 47 are built in. */
function dateStyles(xml: string): readonly DateStyle[] {
  const custom = new Map(
    [...xml.matchAll(/<numFmt\b[^>]*>/g)].map(([tag]) => [
      Number(attribute(tag, 'numFmtId')),
      styleOf(unescaped(attribute(tag, 'formatCode') ?? '')),
    ]),
  );
  const [cellXfs = ''] = elements(xml, 'cellXfs');
  return [...cellXfs.matchAll(/<xf\b[^>]*>/g)].map(([tag]) => {
    const id = Number(attribute(tag, 'numFmtId'));
    if (id >= 14 && id <= 17) return 'date';
    if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47)) return 'time';
    return id === 22 ? 'timestamp' : (custom.get(id) ?? null);
  });
}

function styleOf(format: string): DateStyle {
  const bare = format.replaceAll(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|[_*]./gi, '');
  const hasDay = /[yd]/i.test(bare);
  const hasClock = /[hs]/i.test(bare);
  if (hasDay) return hasClock ? 'timestamp' : 'date';
  if (hasClock) return 'time';
  return /m{3,}/i.test(bare) ? 'date' : null;
}

const ROW = /<row\b([^>]*?)(?:\/>|>([\s\S]*?)<\/row>)/g;

function cellsOf(
  xml: string,
  strings: readonly string[],
  styles: readonly DateStyle[],
  is1904: boolean,
): Rows {
  return [...xml.matchAll(ROW)].map(([, row, content = ''], i) => {
    const cells: (Cell | undefined)[] = [];
    for (const [, tag, inner = ''] of content.matchAll(/<c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g)) {
      const reference = attribute(tag, 'r');
      const at = reference === null ? cells.length : columnOf(reference);
      const style = styles[Number(attribute(tag, 's') ?? -1)] ?? null;
      cells[at] = cellOf(attribute(tag, 't') ?? 'n', inner, strings, style, is1904);
    }
    return { number: Number(attribute(row, 'r') ?? i + 1), cells };
  });
}

/** `AB7` is 27. */
const columnOf = (reference: string): number =>
  [...reference.replace(/\d+$/, '')].reduce((n, char) => n * 26 + char.charCodeAt(0) - 64, 0) - 1;

function cellOf(
  type: string,
  inner: string,
  strings: readonly string[],
  style: DateStyle,
  is1904: boolean,
): Cell | undefined {
  if (type === 'inlineStr') return { text: plainText(inner), isText: true };
  const [value] = elements(inner, 'v');
  if (value === undefined || type === 'e') return undefined;
  if (type === 's') return { text: strings[Number(value)] ?? '', isText: true };
  if (type === 'str') return { text: unescaped(value), isText: true };
  if (type === 'b') return { text: value === '1' ? 'true' : 'false', isText: false };
  if (type === 'd' || style === null) return { text: value, isText: false };
  return { text: dateText(Number(value), style, is1904), isText: false };
}

const DAY_MS = 86_400_000;

/** Days since 1900 (with a 29 February 1900 that did not exist) or 1904. */
function dateText(days: number, style: DateStyle, is1904: boolean): string {
  const start = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const iso = new Date(start + Math.round(days * DAY_MS)).toISOString().slice(0, -1);
  // a value of a day alone may have a clock that its format hides, and a clock may have a day
  if (style === 'time' && days < 1) return iso.slice(11);
  return style === 'date' && Number.isInteger(days) ? iso.slice(0, 10) : iso;
}

function asCsv(rows: Rows): Pick<SheetRows, 'lines' | 'texts' | 'header'> {
  const filled = rows.filter(({ cells }) => cells.some((cell) => (cell?.text ?? '') !== ''));
  const width = Math.max(0, ...filled.map(({ cells }) => cells.length));
  const columns = Array.from({ length: width }, (_, at) => at);
  const header = columns.map((at) => filled[0]?.cells[at]?.text ?? '');
  const names = header.map((text, at) => text || `column${at}`);
  const texts = names.filter((_, at) => {
    const values = filled.slice(1).flatMap(({ cells }) => cells[at] ?? []);
    return values.length > 0 && values.every(({ isText }) => isText);
  });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const body = filled
    .slice(1)
    .map(({ cells }) =>
      columns.map((at) => (cells[at] === undefined ? '' : quoted(cells[at].text))).join(','),
    );
  const lines = [header.map(quoted).join(','), ...body];
  return { lines, texts, header: filled[0]?.number ?? 1 };
}
