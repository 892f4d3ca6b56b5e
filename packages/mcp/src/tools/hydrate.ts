import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import { readArguments, textsArgument } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataBlock, NOTICE_SCHEMA } from '../base/data-text.ts';
import { fitTogether } from '../base/fit-values.ts';
import { coordinatesOfText, keyName } from '../base/key-text.ts';
import { tokensOfJson } from '../base/tokens.ts';
import { type CitedRow, citedRows } from './cited-rows.ts';
import { cursorText, readCursor } from './cursor.ts';
import {
  type Budgeted,
  budgetOf,
  CURSOR,
  INDEX,
  indexOfCall,
  MAX_TOKENS,
} from './page-arguments.ts';
import { indexWords } from './served-words.ts';
import {
  type AgentTool,
  ANY_OBJECT,
  objectSchema,
  PAGE_SCHEMA,
  SNAPSHOT,
  TEXT,
  TEXTS,
  type ToolAnswer,
} from './tool.ts';

const KEYS = 100;

const INPUT = {
  index: INDEX,
  keys: textsArgument(KEYS, 'keys of hits, such as id=4217'),
  columns: textsArgument(KEYS, 'columns of the table to read; default: all'),
  max_tokens: MAX_TOKENS,
  cursor: CURSOR,
};

interface HydrateInput extends Budgeted {
  readonly index?: string;
  readonly keys: readonly string[];
  readonly columns?: readonly string[];
}

const ROW = objectSchema(
  {
    key: TEXT,
    row: ANY_OBJECT,
    citation: TEXT,
    cut: { ...TEXTS, description: 'columns that were shortened: ask for them alone' },
  },
  ...['key', 'row', 'citation'],
);

/** Whole rows of the table by key. */
export const hydrateTool: AgentTool = {
  name: 'hydrate',
  title: 'Read rows by key',
  describe: (served) =>
    `Read rows of ${indexWords(served)} from the table by the keys of hits: the current values ` +
    'of all columns, or of those that are named, with a citation each.',
  input: INPUT,
  required: ['keys'],
  output: objectSchema(
    {
      index: TEXT,
      rows: { type: 'array', items: ROW },
      missing: { ...TEXTS, description: 'keys that the table does not have' },
      snapshot: SNAPSHOT,
      ...PAGE_SCHEMA,
      data_notice: NOTICE_SCHEMA,
    },
    ...['index', 'rows', 'missing', 'truncated', 'data_notice'],
  ),
  run,
};

interface RowView {
  readonly key: string;
  readonly row: JsonObject;
  readonly citation: string;
  readonly cut?: readonly string[];
}

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<HydrateInput>(INPUT, hydrateTool.required, value);
  const { index } = await indexOfCall(input.index, context);
  const call = { ...input, index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const wanted = input.keys.slice(offset);
  const keys = wanted.map(coordinatesOfText);
  const found = await citedRows(index, keys, input.columns ?? [], context);
  if (found.fault !== undefined) throw new LhsError('source_unreachable', found.fault);
  const views = wanted.map((key, i) => {
    const cited = found.rows.get(keyName(keys[i]));
    return { key, cited };
  });
  const { rows, missing, taken } = pageOf(views, budgetOf(input));
  const shown = offset + taken;
  const isCut = shown < input.keys.length || rows.some(({ cut }) => cut !== undefined);
  const at = { offset: shown, snapshot: found.snapshot };
  const structured: JsonObject = {
    index,
    rows: rows.map((row): JsonObject => ({ ...row })),
    missing,
    snapshot: found.snapshot,
    truncated: isCut,
    ...(shown < input.keys.length ? { continuation: cursorText(at, call) } : {}),
    data_notice: DATA_NOTICE,
  };
  return { structured, text: textOf(structured, rows) };
}

/** As many rows as a budget has room for, in order, at least one. */
function pageOf(
  views: readonly { readonly key: string; readonly cited: CitedRow | undefined }[],
  budget: number,
) {
  const rows: RowView[] = [];
  const missing: string[] = [];
  let left = budget;
  let taken = 0;
  for (const { key, cited } of views) {
    if (cited === undefined) missing.push(key);
    else {
      const { row, citation } = cited;
      const most = left - tokensOfJson({ key, citation });
      if (rows.length > 0 && tokensOfJson(row) > most) break;
      const fitted = fitTogether(row, most) ?? { values: {}, cut: Object.keys(row) };
      const cut = fitted.cut.length === 0 ? {} : { cut: fitted.cut };
      const view = { key, row: fitted.values, citation, ...cut };
      rows.push(view);
      left -= tokensOfJson({ ...view } as JsonObject);
    }
    taken++;
  }
  return { rows, missing, taken };
}

function textOf({ index, missing, continuation }: JsonObject, rows: readonly RowView[]): string {
  const blocks = rows.map(({ key, row, citation, cut }) =>
    dataBlock({ key, citation }, { ...row, ...(cut === undefined ? {} : { cut }) }),
  );
  const gone = (missing as string[]).map((key) => `no row ${key}`);
  const next = continuation === undefined ? [] : [`more: repeat with cursor "${continuation}"`];
  return [`${rows.length} rows of ${index}`, DATA_NOTICE, ...blocks, ...gone, ...next].join('\n');
}
