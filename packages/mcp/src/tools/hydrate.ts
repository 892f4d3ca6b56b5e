import {
  type Coordinates,
  type IndexDescription,
  type Json,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import {
  readArguments,
  textArgument,
  textsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataLines } from '../base/data-text.ts';
import { type MeantKey, meantKey, shortKey, wholeKey } from '../base/find-keys.ts';
import { fitTogether } from '../base/fit-values.ts';
import { keyName, keyText } from '../base/key-text.ts';
import { STATE_SCHEMA, stateOf } from '../base/table-state.ts';
import { tokensOfJson } from '../base/tokens.ts';
import { visible } from '../base/visible.ts';
import { withinBudget } from '../base/within-budget.ts';
import { SHORT_HASH } from '../citations/citation.ts';
import { cursorText, readCursor } from './cursor.ts';
import { type CitedRow, type CitedRows, citedRows } from './hits/cited-rows.ts';
import { hitText } from './hits/hit-text.ts';
import { datesIn, type HitView } from './hits/hit-view.ts';
import { partOf, type TextRange } from './hits/value-part.ts';
import {
  type Budgeted,
  CURSOR,
  INDEX,
  indexOfCall,
  MAX_TOKENS,
  moreLines,
  tokensFor,
} from './page-arguments.ts';
import {
  type AgentTool,
  OBJECTS,
  objectSchema,
  PAGE_SCHEMA,
  TEXT,
  TEXTS,
  type ToolAnswer,
} from './tool.ts';

const KEYS = 100;

const INPUT = {
  index: INDEX,
  keys: textsArgument(
    KEYS,
    'keys of hits, such as id=4217; or what one row alone has or begins with: sha=4d1a62, 4d1a62',
  ),
  columns: textsArgument(KEYS, 'columns of the table, or paths in them, to read; default: all'),
  from: wholeArgument(0, 2 ** 31, undefined, 'one key and column: first character of the value'),
  lines: textArgument('one key and column: lines of the value, such as 100-180'),
  max_tokens: MAX_TOKENS,
  cursor: CURSOR,
};

interface HydrateInput extends Budgeted, TextRange {
  readonly index?: string;
  readonly keys: readonly string[];
  readonly columns?: readonly string[];
}

/** Whole rows of the table by key. */
export const hydrateTool: AgentTool = {
  name: 'hydrate',
  title: 'Read rows by key',
  describe: () =>
    'Read rows of the table by the keys of hits: the current values of all columns, or of those ' +
    'that are named, with a citation each. A long value is read in parts (from, lines).',
  input: INPUT,
  required: ['keys'],
  output: objectSchema({
    ...{ data_notice: TEXT, index: TEXT, rows: OBJECTS, missing: TEXTS },
    ...{ ...STATE_SCHEMA, notes: TEXTS, ...PAGE_SCHEMA },
  }),
  run,
};

interface RowView {
  readonly key: string;
  readonly row: JsonObject;
  readonly newer?: true;
  readonly citation: string;
  readonly cut?: readonly string[];
  readonly part?: JsonObject;
}

/** A key, and its row if the table has it. */
interface Read {
  readonly key: string;
  readonly cited: CitedRow | undefined;
  /** Why there is no row. */
  readonly reason?: string;
}

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<HydrateInput>(INPUT, hydrateTool.required, value);
  const { keys: all, columns = [] } = input;
  refuseSeveral(input);
  const description = await indexOfCall(input.index, context);
  const { index } = description;
  const call = { ...input, index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const found = await readAll(all.slice(offset), description, columns, context);
  const { reads } = found;
  return withinBudget(tokensFor(input), (room) => {
    const { rows, missing, reasons, taken } = pageOf(reads, room, input);
    const shown = offset + taken;
    const at = { offset: shown, state: null };
    const isCut = shown < all.length || rows.some(({ cut, part }) => cut ?? part);
    const structured: JsonObject = {
      data_notice: DATA_NOTICE,
      index,
      rows: rows.map((row) => ({ ...row }) as JsonObject),
      missing,
      ...(reasons.length === 0 ? {} : { notes: reasons }),
      ...stateOf({ snapshot: found.snapshot, lag_snapshots: found.lag }),
      truncated: isCut,
      ...(shown < all.length ? { continuation: cursorText(at, call) } : {}),
    };
    return { structured, text: textOf(structured, rows, found.citation, description) };
  });
}

/** The rows of whole keys, then those of texts that mean a row in another way. */
async function readAll(
  texts: readonly string[],
  index: IndexDescription,
  columns: readonly string[],
  context: AgentContext,
) {
  const keys = texts.map((text) => wholeKey(text, index));
  const whole = await rowsOf(
    index,
    keys.flatMap((key) => key ?? []),
    columns,
    context,
  );
  const cited = keys.map((key) => (key === undefined ? undefined : whole.rows.get(keyName(key))));
  const meant = await Promise.all(
    texts.map((text, i): MeantKey | Promise<MeantKey> =>
      cited[i] === undefined ? meantKey(text, index, context) : {},
    ),
  );
  const others = await rowsOf(
    index,
    meant.flatMap(({ key }) => key ?? []),
    columns,
    context,
  );
  const reads = texts.map((text, i): Read => {
    const { key = cited[i] && keys[i], reason } = meant[i];
    if (key === undefined) return { key: text, cited: undefined, ...(reason && { reason }) };
    return { key: keyText(key), cited: cited[i] ?? others.rows.get(keyName(key)) };
  });
  const snapshot = whole.snapshot ?? others.snapshot;
  const patterns = new Set([whole, others].flatMap(({ citation }) => citation ?? []));
  const [citation] = patterns.size === 1 ? patterns : [];
  return { reads, snapshot, lag: whole.lag ?? others.lag, citation };
}

/** The rows of keys. Throws source_unreachable without the table. */
async function rowsOf(
  index: IndexDescription,
  keys: readonly Coordinates[],
  columns: readonly string[],
  context: AgentContext,
): Promise<CitedRows> {
  const found = await citedRows(index, keys, columns, context);
  if (found.fault === undefined) return found;
  throw new LhsError('source_unreachable', found.fault);
}

/** Throws invalid_argument for a part of several values. */
function refuseSeveral({ keys, columns = [], from, lines }: HydrateInput): void {
  if (from === undefined && lines === undefined) return;
  if (keys.length === 1 && columns.length === 1) return;
  const message = '"from" and "lines" are parts of one value';
  throw new LhsError('invalid_argument', message, { hint: 'name one key and one column' });
}

/** As many rows as there is room for, in order, at least one. */
function pageOf(reads: readonly Read[], room: number, input: HydrateInput) {
  const rows: RowView[] = [];
  const missing: string[] = [];
  const reasons: string[] = [];
  let left = room;
  let taken = 0;
  for (const { key, cited, reason } of reads) {
    if (cited === undefined) {
      missing.push(key);
      if (reason !== undefined) reasons.push(`${key}: ${reason}`);
    } else {
      const most = left - tokensOfJson({ key, citation: cited.citation });
      if (rows.length > 0 && tokensOfJson(cited.row) > most) break;
      const mark = cited.newer ? { newer: cited.newer } : {};
      const view = { key, ...mark, ...rowView(cited, most, input) };
      rows.push(view);
      left -= tokensOfJson({ ...view } as JsonObject);
    }
    taken++;
  }
  return { rows, missing, reasons, taken };
}

/** A row within a room. The text of one column has the part that fits, and where it ends. */
function rowView(
  { row, citation }: CitedRow,
  most: number,
  { columns = [], from, lines }: HydrateInput,
): Omit<RowView, 'key' | 'newer'> {
  const [name] = columns;
  const value: Json | undefined = columns.length === 1 ? row[name] : undefined;
  if (typeof value === 'string') {
    const { text, ...part } = partOf(value, { from, lines }, most);
    const isWhole = part.from === 0 && part.to === part.of;
    return { row: visible({ [name]: text }), citation, ...(isWhole ? {} : { part }) };
  }
  const fitted = fitTogether(visible(row), most) ?? { values: {}, cut: Object.keys(row) };
  const cut = fitted.cut.length === 0 ? {} : { cut: fitted.cut };
  return { row: fitted.values, citation, ...cut };
}

function textOf(
  { missing, notes = [], snapshot, lag, continuation }: JsonObject,
  rows: readonly RowView[],
  citation: string | undefined,
  index: IndexDescription,
): string {
  const views = rows.map(({ key, row, newer, citation: own }): HitView => {
    const hash = own.slice(own.lastIndexOf('#') + 1).slice(0, SHORT_HASH);
    const shown = { ...datesIn(row), ...(citation === undefined ? { citation: own } : {}) };
    return { key, hash, row: shown, ...(newer && { newer }) };
  });
  const withHashes = citation !== undefined;
  const keyOf = ({ key }: HitView) => shortKey(key, index);
  const options = { withScores: false, withHashes, keyOf };
  const parts = rows.flatMap(({ part }) => (part === undefined ? [] : partLine(part)));
  const gone = (missing as string[]).map((key) => `no row ${key}`);
  const state = `snapshot ${snapshot ?? 'none'} of the table${lagWords(lag)}`;
  return [
    `${rows.length} rows; ${state}`,
    ...(withHashes && rows.length > 0 ? [`citation: ${citation}`] : []),
    ...dataLines(hitText(views, false, options)),
    ...[...parts, ...gone, ...(notes as string[]), ...moreLines(continuation)],
  ].join('\n');
}

/** How far the index is behind the rows, which are the table's. */
const lagWords = (lag: unknown): string =>
  typeof lag === 'number' && lag > 0 ? `; searches are ${lag} snapshots behind it` : '';

function partLine({ from, to, of }: JsonObject): string {
  const more = to === of ? '' : `; more: repeat with from ${to}`;
  return `characters ${from} to ${to} of ${of}${more}`;
}
