import type { IndexDescription, JsonObject, SearchResponse } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE } from '../base/data-text.ts';
import { stateOf, stateText } from '../base/table-state.ts';
import { withinBudget } from '../base/within-budget.ts';
import { type CitedRows, citedColumns, citedRows } from './cited-rows.ts';
import { type Cursor, cursorText } from './cursor.ts';
import { pageOfHits } from './hit-page.ts';
import { hitLines, hitTable, TABLE_HITS, tableLines } from './hit-text.ts';
import { type HitView, viewJson, viewOf } from './hit-view.ts';
import { type IndexResponse, type MergedHit, mergeHits } from './merge-hits.ts';
import { type Reasons, reasonsFor, reasonsOf } from './nothing-found.ts';
import { moreLines, tokensFor } from './page-arguments.ts';
import { type SearchInput, sortFields, sortKeys } from './search-request.ts';
import { PART_MISSING, type ToolAnswer } from './tool.ts';

/** Where a page begins, in which call. */
interface PageStart extends Cursor {
  readonly limit: number;
  readonly call: JsonObject;
}

/** What a page has of one index. */
interface Part extends IndexResponse {
  readonly rows: CitedRows | undefined;
  readonly reasons: Reasons;
}

/** What a page is made of. */
interface Found extends PageStart {
  readonly input: SearchInput;
  readonly parts: readonly Part[];
  readonly views: readonly HitView[];
  readonly total: number;
}

/**
 * A page within the budget of its call. The response of one index is the page itself; those of
 * several indexes begin with their first hits.
 */
export async function pageAnswer(
  input: SearchInput,
  found: readonly IndexResponse[],
  context: AgentContext,
  start: PageStart,
): Promise<ToolAnswer> {
  const { offset, limit } = start;
  const from = found.length === 1 ? 0 : offset;
  const hits = mergeHits(found, sortKeys(input.sort)).slice(from, from + limit);
  const total = found.reduce((sum, { response }) => sum + response.total, 0);
  const parts = await Promise.all(
    found.map(async ({ index, response }, at): Promise<Part> => {
      const own = hits.filter((hit) => hit.at === at);
      const rows = await rowsOf(input, index, own, context);
      const none = total > 0 ? reasonsOf(response) : undefined;
      const reasons = none ?? (await reasonsFound(input, index, response, context));
      return { index, response, rows, reasons };
    }),
  );
  const views = hits.map((hit) => viewIn(hit, parts, input));
  const page = { ...start, input, parts, views, total };
  return withinBudget(tokensFor(input), (room) => answerOf(page, room));
}

function viewIn({ hit, at }: MergedHit, parts: readonly Part[], input: SearchInput): HitView {
  const { index, rows } = parts[at];
  const { fields: named = [] } = input;
  const options = { index, sortFields: sortFields(input.sort), named };
  const view = viewOf(hit, { ...options, ...(rows && { rows }) });
  return parts.length === 1 ? view : { index: index.index, ...view };
}

function answerOf(found: Found, room: number): ToolAnswer {
  const { input, parts, views, offset, call, total } = found;
  const isFull = input.detail === 'full';
  const { hits, isCut } = pageOfHits(views, room, isFull);
  const table = !isFull && hits.length > TABLE_HITS ? hitTable(hits) : null;
  const shown = offset + hits.length;
  const hasMore = shown < total && hits.length > 0;
  const notes = notesOf(found);
  const meant = parts.length === 1 ? parts[0].reasons.suggested_query : undefined;
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index: parts.map(({ index }) => index.index).join(),
    mode: input.mode ?? 'lexical',
    total,
    ...statesOf(parts),
    ...(table === null ? { hits: hits.map(viewJson) } : { ...table }),
    truncated: isCut,
    ...(hasMore
      ? { continuation: cursorText({ offset: shown, snapshot: snapshotOf(parts) }, call) }
      : {}),
    ...(meant === undefined ? {} : { suggested_query: meant }),
    ...(notes.length === 0 ? {} : { notes }),
  };
  const lines = table === null ? hitLines(hits) : tableLines(table);
  return { structured, text: textOf(found, structured, lines, hits.length) };
}

/** The state and the citation of the index, or of each. */
function statesOf(parts: readonly Part[]): JsonObject {
  const states = parts.map(({ index, response, rows }): JsonObject => {
    const { citation } = rows ?? {};
    const own = { ...stateOf(response), ...(citation === undefined ? {} : { citation }) };
    return parts.length === 1 ? own : { index: index.index, total: response.total, ...own };
  });
  return parts.length === 1 ? states[0] : { indexes: states };
}

const snapshotOf = (parts: readonly Part[]): string | null =>
  parts.length === 1
    ? parts[0].response.snapshot
    : parts.map(({ response }) => response.snapshot ?? '0').join('-');

async function rowsOf(
  { detail, columns, fields }: SearchInput,
  index: IndexDescription,
  hits: readonly MergedHit[],
  context: AgentContext,
): Promise<CitedRows | undefined> {
  if (detail === 'ids') return undefined;
  const cited = detail === 'full' ? (columns ?? []) : citedColumns(index, fields);
  const keys = hits.map(({ hit }) => hit.coordinates);
  return citedRows(index, keys, cited, context);
}

/** Lexical searches have reasons themselves; of others, the filter may have left nothing. */
async function reasonsFound(
  { mode = 'lexical', filter }: SearchInput,
  { index }: IndexDescription,
  response: SearchResponse,
  context: AgentContext,
): Promise<Reasons> {
  const own = reasonsOf(response);
  if (mode === 'lexical' || filter === undefined) return own;
  const { notes } = await reasonsFor({ index, filter }, context);
  return { notes: [...own.notes, ...notes] };
}

function notesOf({ parts, snapshot, total }: Found): readonly string[] {
  const isMoved = snapshot !== null && snapshot !== snapshotOf(parts);
  const notes = parts.flatMap(({ index, response, rows, reasons }) => {
    const { suggested_query: meant } = reasons;
    const own = [
      ...reasons.notes,
      ...(response.failed_arms ?? []).map(({ arm, message }) => `${arm} part failed: ${message}`),
      ...(response.partial === true ? [PART_MISSING] : []),
      ...(rows?.fault === undefined ? [] : [`no rows and no citations: ${rows.fault}`]),
    ];
    if (parts.length === 1) return own;
    const near = meant === undefined || total > 0 ? [] : [`suggested_query: ${meant}`];
    return [...own, ...near].map((note) => `${index.index}: ${note}`);
  });
  return isMoved ? [...notes, MOVED] : notes;
}

const MOVED = 'the index has changed since the last page: hits may repeat or be missing';

function textOf(
  { parts, offset }: Found,
  { mode, total, continuation, suggested_query: meant, notes = [] }: JsonObject,
  lines: readonly string[],
  count: number,
): string {
  const range = count === 0 ? 'no hits' : `hits ${offset + 1} to ${offset + count}`;
  const near = meant === undefined ? [] : [`suggested_query: ${JSON.stringify(meant)}`];
  const states = parts.map(({ index, response }) => {
    const of = parts.length === 1 ? '' : `${response.total} in `;
    return `${of}${index.index}; ${stateText(response)}`;
  });
  const citations = parts.flatMap(({ rows }) => rows?.citation ?? []);
  return [
    `${range} of ${total} (${mode})${parts.length === 1 ? ' in' : ':'} ${states.join(' · ')}`,
    ...(count === 0 ? [] : [DATA_NOTICE]),
    ...citations.map((citation) => `citation: ${citation}`),
    ...(count === 0 ? [] : ['<data>', ...lines, '</data>']),
    ...(notes as string[]),
    ...near,
    ...moreLines(continuation),
  ].join('\n');
}
