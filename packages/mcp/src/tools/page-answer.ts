import type { IndexDescription, JsonObject, SearchResponse } from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataLines } from '../base/data-text.ts';
import { shortKey } from '../base/find-keys.ts';
import { stateOf, stateText, withLag } from '../base/table-state.ts';
import { withinBudget } from '../base/within-budget.ts';
import type { Answered } from './answer-each.ts';
import { type Cursor, cursorText, stateMark } from './cursor.ts';
import {
  type Reasons,
  reasonsFor,
  reasonsOf,
  suggestedLines,
  suggestedOf,
} from './hints/nothing-found.ts';
import { anyFieldNotes } from './hints/other-fields.ts';
import { type CitedRows, citedColumns, citedRows } from './hits/cited-rows.ts';
import { pageOfHits } from './hits/hit-page.ts';
import { hitTable, TABLE_HITS } from './hits/hit-table.ts';
import { hitText } from './hits/hit-text.ts';
import { type HitView, viewJson, viewOf } from './hits/hit-view.ts';
import { type MergedHit, mergeHits } from './hits/merge-hits.ts';
import { type SharedHighlight, sharedHighlight } from './hits/shared-highlight.ts';
import { tiesOfPage } from './hits/ties.ts';
import { moreLines, tokensFor } from './page-arguments.ts';
import { type SearchInput, sortFields, sortKeys } from './search-request.ts';
import { PART_MISSING, type ToolAnswer } from './tool.ts';

/** Where a page begins, in which call. */
interface PageStart extends Cursor {
  readonly limit: number;
  readonly call: JsonObject;
  /** Remarks on the call. */
  readonly notes: readonly string[];
}

/** What a page has of one index. */
interface Part extends Answered<SearchResponse> {
  readonly rows: CitedRows | undefined;
  readonly reasons: Reasons;
}

/** What a page is made of. */
interface Found extends PageStart, SharedHighlight {
  readonly input: SearchInput;
  readonly parts: readonly Part[];
  readonly total: number;
  /** Of many hits, which have no citations. */
  readonly isTable: boolean;
  /** What is to be said if all views are shown. */
  readonly ties: readonly string[];
}

/**
 * A page within the budget of its call. The response of one index is the page itself; those of
 * several indexes begin with their first hits.
 */
export async function pageAnswer(
  input: SearchInput,
  found: readonly Answered<SearchResponse>[],
  context: AgentContext,
  start: PageStart,
): Promise<ToolAnswer> {
  const { offset, limit } = start;
  const from = found.length === 1 ? 0 : offset;
  const merged = mergeHits(found, sortKeys(input.sort));
  const end = from + limit;
  const hits = merged.slice(from, end);
  const ties = await tiesOfPage(input, merged.slice(end - 1, end + 1), found, context);
  const total = found.reduce((sum, { response }) => sum + response.total, 0);
  const isTable = input.detail !== 'full' && hits.length > TABLE_HITS;
  const parts = await Promise.all(
    found.map(async (one, at): Promise<Part> => {
      const own = hits.filter((hit) => hit.at === at);
      const rows = await rowsOf({ ...input, isTable }, one.index, own, context);
      const none = total > 0 || one.isLeftOut ? reasonsOf(one.response) : undefined;
      const reasons = none ?? (await reasonsFound(input, one, context));
      // the rows may have been the first look at the table
      const lag_snapshots = one.response.lag_snapshots ?? rows?.lag ?? null;
      const response = await withLag({ ...one.response, lag_snapshots }, one.index, context);
      return { ...one, response, rows, reasons };
    }),
  );
  const views = hits.map((hit) => viewIn(hit, parts, input));
  const page = { ...start, input, parts, total, isTable, ties, ...sharedHighlight(views) };
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
  const { input, parts, views, shared, offset, call, total, isTable, ties } = found;
  const isFull = input.detail === 'full';
  const form = { withRows: isFull, isTable, namedFields: input.fields?.length };
  const { hits, isCut } = pageOfHits(views, room, form);
  const shown = offset + hits.length;
  const hasMore = shown < total && hits.length > 0;
  const notes = [...notesOf(found), ...(hits.length < views.length ? [] : ties)];
  const structured: JsonObject = {
    data_notice: DATA_NOTICE,
    index: parts.map(({ index }) => index.index).join(),
    mode: input.mode ?? 'lexical',
    total,
    ...statesOf(parts),
    ...(isEmpty(shared) ? {} : { shared_highlight: shared }),
    ...(isTable ? { ...hitTable(hits) } : { hits: hits.map(viewJson) }),
    truncated: isCut,
    ...(hasMore
      ? { continuation: cursorText({ offset: shown, state: stateOfAll(parts) }, call) }
      : {}),
    ...(parts.length === 1 ? suggestedOf(parts[0].reasons) : {}),
    ...(notes.length === 0 ? {} : { notes }),
  };
  return { structured, text: textOf(found, structured, hits) };
}

const isEmpty = (values: JsonObject): boolean => Object.keys(values).length === 0;

/** The state and the citation of the index, or of each. */
function statesOf(parts: readonly Part[]): JsonObject {
  const states = parts.map(({ index, response, rows }): JsonObject => {
    const { citation } = rows ?? {};
    const own = { ...stateOf(response), ...(citation === undefined ? {} : { citation }) };
    return parts.length === 1 ? own : { index: index.index, total: response.total, ...own };
  });
  return parts.length === 1 ? states[0] : { indexes: states };
}

const stateOfAll = (parts: readonly Part[]): string =>
  stateMark(parts.map(({ response }) => response.snapshot));

/** Rows for citations, and for fields that the index does not return. */
async function rowsOf(
  { detail, columns, fields, isTable }: SearchInput & Pick<Found, 'isTable'>,
  index: IndexDescription,
  hits: readonly MergedHit[],
  context: AgentContext,
): Promise<CitedRows | undefined> {
  const isCached = (name: string) => index.fields.some((one) => one.name === name && one.cached);
  if (detail === 'ids' || (isTable && (fields ?? []).every(isCached))) return undefined;
  const cited = detail === 'full' ? (columns ?? []) : citedColumns(index, fields);
  const keys = hits.map(({ hit }) => hit.coordinates);
  return citedRows(index, keys, cited, context);
}

/** Lexical searches have reasons themselves; of others, the filter may have left nothing. */
async function reasonsFound(
  { mode = 'lexical', filter }: SearchInput,
  { index: { index }, response, optional = [] }: Answered<SearchResponse>,
  context: AgentContext,
): Promise<Reasons> {
  const own = reasonsOf(response);
  if (mode === 'lexical' || filter === undefined) return own;
  const { notes } = await reasonsFor({ index, filter, optional_fields: optional }, context);
  return { notes: [...own.notes, ...notes] };
}

function notesOf({ parts, state, total, notes: ofCall }: Found): readonly string[] {
  const isMoved = state !== null && state !== stateOfAll(parts);
  const notes = parts.flatMap(({ index, response, rows, reasons }) => {
    const own = [
      ...reasons.notes,
      ...(response.failed_arms ?? []).map(({ arm, message }) => `${arm} part failed: ${message}`),
      ...(response.partial === true ? [PART_MISSING] : []),
      ...(rows?.fault === undefined ? [] : [`no rows and no citations: ${rows.fault}`]),
    ];
    if (parts.length === 1) return own;
    const near = total > 0 ? [] : suggestedLines(suggestedOf(reasons));
    return [...own, ...near].map((note) => `${index.index}: ${note}`);
  });
  const inAny = anyFieldNotes(parts.map(({ response }) => response));
  return [...ofCall, ...notes, ...inAny, ...(isMoved ? [MOVED] : [])];
}

const MOVED = 'the index has changed since the last page: hits may repeat or be missing';

function textOf(
  { parts, offset, input, isTable }: Found,
  { total, continuation, notes = [], ...rest }: JsonObject,
  hits: readonly HitView[],
): string {
  const range = hits.length === 0 ? 'no hits' : `hits ${offset + 1} to ${offset + hits.length}`;
  const states = parts.map(({ index, response }) => {
    const of = parts.length === 1 ? '' : `${response.total} in ${index.index}; `;
    return `${of}${stateText(response)}`;
  });
  const isCited = input.detail === 'full';
  const citations = isCited ? parts.flatMap(({ rows }) => rows?.citation ?? []) : [];
  const byName = new Map(parts.map(({ index }) => [index.index, index]));
  const indexOf = ({ index }: HitView) => byName.get(index ?? '') ?? parts[0].index;
  const lines = hitText(hits, isTable, {
    withScores: (input.mode ?? 'lexical') !== 'lexical',
    withHashes: isCited,
    keyOf: (hit) => shortKey(hit.key, indexOf(hit)),
  });
  return [
    `${range} of ${total}${parts.length === 1 ? ';' : ':'} ${states.join(' · ')}`,
    ...citations.map((citation) => `citation: ${citation}`),
    ...dataLines(lines),
    ...(notes as string[]),
    ...suggestedLines(rest),
    ...moreLines(continuation),
  ].join('\n');
}
