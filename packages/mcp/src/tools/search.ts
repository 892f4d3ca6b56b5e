import {
  type IndexDescription,
  type JsonObject,
  REQUEST_LIMITS,
  type SearchResponse,
} from '@lakehouse-search/contract';
import {
  choiceArgument,
  readArguments,
  textArgument,
  textsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE } from '../base/data-text.ts';
import { STATE_SCHEMA, stateOf, stateText } from '../base/table-state.ts';
import { withinBudget } from '../base/within-budget.ts';
import { type CitedRows, citedColumns, citedRows } from './cited-rows.ts';
import { type Cursor, cursorText, readCursor } from './cursor.ts';
import { pageOfHits } from './hit-page.ts';
import { hitLines, hitTable, TABLE_HITS, tableLines } from './hit-text.ts';
import { type HitView, viewJson, viewOf } from './hit-view.ts';
import { type Reasons, reasonsFor, reasonsOf } from './nothing-found.ts';
import { CURSOR, INDEX, indexOfCall, MAX_TOKENS, moreLines, tokensFor } from './page-arguments.ts';
import { runSearch, type SearchInput, sortFields } from './search-request.ts';
import { fieldWords, indexList } from './served-words.ts';
import {
  type AgentTool,
  OBJECTS,
  objectSchema,
  PAGE_SCHEMA,
  PART_MISSING,
  TEXT,
  TEXTS,
  type ToolAnswer,
  WHOLE,
} from './tool.ts';

const HITS = { least: 1, most: 500, standard: 10 };
const COLUMNS = 100;

const INPUT = {
  index: INDEX,
  query: textArgument(
    'lexical: words, and clauses such as service:billing AND title:"a phrase" AND ' +
      'opened_at:>=2025-01 AND NOT resolved:true; *:* is every row. Others: plain words',
  ),
  mode: choiceArgument(
    ['lexical', 'semantic', 'hybrid'],
    'by words and clauses, by meaning, or by both (the last two need a VECTOR field)',
  ),
  filter: textArgument('clauses that every hit must match; they do not change the ranking'),
  operator: choiceArgument(
    ['or', 'and'],
    'joins clauses side by side of a lexical query; and, if one has a field',
  ),
  k: wholeArgument(
    1,
    REQUEST_LIMITS.nearestDocs,
    undefined,
    'semantic and hybrid: rows that are ranked, usually 100; pages end with them',
  ),
  sort: textArgument('field:desc,other_field:asc over sortable fields; default: by relevance'),
  limit: wholeArgument(HITS.least, HITS.most, HITS.standard, 'hits of a page; a table above 20'),
  fields: textsArgument(COLUMNS, 'fields to show; default: those marked shown'),
  detail: choiceArgument(
    ['preview', 'ids', 'full'],
    'fields and fragments, keys alone, or whole rows of the table as far as max_tokens goes',
  ),
  columns: textsArgument(COLUMNS, 'full: columns of the row; default: all'),
  min_snapshot: textArgument('wait until the index has this snapshot of the table'),
  max_tokens: MAX_TOKENS,
  cursor: CURSOR,
};

/** Ranked hits with previews, citations and, if requested, rows. */
export const searchTool: AgentTool = {
  name: 'search',
  title: 'Search rows',
  describe: (served) =>
    `Find rows by words, clauses and meaning, ranked, with an exact total.${fieldWords(served)}` +
    indexList(served),
  input: INPUT,
  required: ['query'],
  output: objectSchema({
    ...{ data_notice: TEXT, index: TEXT, mode: TEXT, total: WHOLE, ...STATE_SCHEMA },
    ...{ citation: TEXT, hits: OBJECTS, columns: TEXTS, rows: { type: 'array' } },
    ...{ ...PAGE_SCHEMA, suggested_query: TEXT, notes: TEXTS },
  }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<SearchInput>(INPUT, searchTool.required, value);
  const index = await indexOfCall(input.index, context);
  const call: JsonObject = { ...input, index: index.index };
  const { offset, snapshot } = readCursor(input.cursor, call);
  const { limit = HITS.standard } = input;
  const response = await runSearch(input, { offset, limit }, index, context);
  return pageAnswer(input, index, response, context, { offset, snapshot, call });
}

/** Where a page begins, in which call. */
type PageStart = Cursor & { readonly call: JsonObject };

const FIRST: PageStart = Object.freeze({ offset: 0, snapshot: null, call: {} });

/** The page of a response, within the budget of its call. */
export async function pageAnswer(
  input: SearchInput,
  index: IndexDescription,
  response: SearchResponse,
  context: AgentContext,
  { offset, snapshot, call }: PageStart = FIRST,
): Promise<ToolAnswer> {
  const rows = await rowsOf(input, index, response, context);
  const { fields: named = [] } = input;
  const options = { index, sortFields: sortFields(input.sort), named };
  const views = response.hits.map((hit) => viewOf(hit, { ...options, ...(rows && { rows }) }));
  const moved = snapshot !== null && snapshot !== response.snapshot;
  const reasons = await reasonsFound(input, index, response, context);
  const found = { input, index, response, rows, views, offset, call, moved, reasons };
  return withinBudget(tokensFor(input), (room) => answerOf(found, room));
}

/** What a page is made of. */
interface Found {
  readonly input: SearchInput;
  readonly index: IndexDescription;
  readonly response: SearchResponse;
  readonly rows: CitedRows | undefined;
  readonly views: readonly HitView[];
  readonly offset: number;
  readonly call: JsonObject;
  readonly moved: boolean;
  readonly reasons: Reasons;
}

function answerOf(found: Found, room: number): ToolAnswer {
  const { input, index, response, rows, views, offset, call } = found;
  const isFull = input.detail === 'full';
  const { hits, isCut } = pageOfHits(views, room, isFull);
  const table = !isFull && hits.length > TABLE_HITS ? hitTable(hits) : null;
  const shown = offset + hits.length;
  const hasMore = shown < response.total && hits.length > 0;
  const at = { offset: shown, snapshot: response.snapshot };
  const notes = notesOf(found);
  const { suggested_query } = found.reasons;
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index: index.index,
    mode: input.mode ?? 'lexical',
    total: response.total,
    ...stateOf(response),
    ...(rows?.citation === undefined ? {} : { citation: rows.citation }),
    ...(table === null ? { hits: hits.map(viewJson) } : { ...table }),
    truncated: isCut,
    ...(hasMore ? { continuation: cursorText(at, call) } : {}),
    ...(suggested_query === undefined ? {} : { suggested_query }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  const lines = table === null ? hitLines(hits) : tableLines(table);
  return { structured, text: textOf(found, structured, lines, hits.length) };
}

async function rowsOf(
  { detail, columns, fields }: SearchInput,
  index: IndexDescription,
  { hits }: SearchResponse,
  context: AgentContext,
): Promise<CitedRows | undefined> {
  if (detail === 'ids') return undefined;
  const cited = detail === 'full' ? (columns ?? []) : citedColumns(index, fields);
  const keys = hits.map(({ coordinates }) => coordinates);
  return citedRows(index.index, keys, cited, context);
}

/** Lexical searches have reasons themselves; of others, the filter may have left nothing. */
async function reasonsFound(
  { mode = 'lexical', filter }: SearchInput,
  { index }: IndexDescription,
  response: SearchResponse,
  context: AgentContext,
): Promise<Reasons> {
  const own = reasonsOf(response);
  if (response.total > 0 || mode === 'lexical' || filter === undefined) return own;
  const { notes } = await reasonsFor({ index, filter }, context);
  return { notes: [...own.notes, ...notes] };
}

function notesOf({ response, rows, moved, reasons }: Found): readonly string[] {
  return [
    ...reasons.notes,
    ...(response.failed_arms ?? []).map(({ arm, message }) => `${arm} part failed: ${message}`),
    ...(response.partial === true ? [PART_MISSING] : []),
    ...(rows?.fault === undefined ? [] : [`no rows and no citations: ${rows.fault}`]),
    ...(moved ? ['the index has changed since the last page: hits may repeat or be missing'] : []),
  ];
}

function textOf(
  { response, offset, rows }: Found,
  { index, mode, total, continuation, suggested_query: meant, notes = [] }: JsonObject,
  lines: readonly string[],
  count: number,
): string {
  const range = count === 0 ? 'no hits' : `hits ${offset + 1} to ${offset + count}`;
  const near = meant === undefined ? [] : [`suggested_query: ${JSON.stringify(meant)}`];
  return [
    `${range} of ${total} (${mode}) in ${index}; ${stateText(response)}`,
    ...(count === 0 ? [] : [DATA_NOTICE]),
    ...(rows?.citation === undefined ? [] : [`citation: ${rows.citation}`]),
    ...(count === 0 ? [] : ['<data>', ...lines, '</data>']),
    ...(notes as string[]),
    ...near,
    ...moreLines(continuation),
  ].join('\n');
}
