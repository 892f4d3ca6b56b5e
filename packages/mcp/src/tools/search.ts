import {
  type Hit,
  type IndexDescription,
  type JsonObject,
  REQUEST_LIMITS,
  type SearchResponse,
} from '@lakehouse-search/contract';
import {
  choiceArgument,
  flagArgument,
  readArguments,
  textArgument,
  textsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataBlock, NOTICE_SCHEMA } from '../base/data-text.ts';
import { keyName, keyText } from '../base/key-text.ts';
import { type CitedRows, citedColumns, citedRows } from './cited-rows.ts';
import { cursorText, readCursor } from './cursor.ts';
import { type HitView, pageOfHits } from './hit-page.ts';
import { budgetOf, CURSOR, INDEX, indexOfCall, MAX_TOKENS } from './page-arguments.ts';
import { runSearch, type SearchInput } from './search-request.ts';
import { fieldWords, indexWords } from './served-words.ts';
import {
  type AgentTool,
  ANY_OBJECT,
  objectSchema,
  PAGE_SCHEMA,
  PART_MISSING,
  SNAPSHOT,
  TEXT,
  TEXTS,
  type ToolAnswer,
  WHOLE,
} from './tool.ts';

const HITS = { least: 1, most: 100, standard: 10 };
const COLUMNS = 100;

const INPUT = {
  index: INDEX,
  query: textArgument(
    'lexical: words and clauses such as service:billing, title:"a phrase", opened_at:>=2025-01, ' +
      '-resolved:true; *:* is every row. semantic and hybrid: plain words',
  ),
  mode: choiceArgument(
    ['lexical', 'semantic', 'hybrid'],
    'lexical: by words and clauses. semantic: by meaning. hybrid: both (the last two need a ' +
      'VECTOR field)',
  ),
  filter: textArgument('clauses that every hit must match; they do not change the ranking'),
  operator: choiceArgument(['or', 'and'], 'joins the words of a lexical query'),
  k: wholeArgument(
    1,
    REQUEST_LIMITS.nearestDocs,
    undefined,
    'semantic and hybrid: rows that are ranked, usually 100; pages end with them',
  ),
  sort: textArgument('field:desc,other_field:asc over sortable fields; default: by relevance'),
  limit: wholeArgument(HITS.least, HITS.most, HITS.standard, 'hits of a page'),
  fields: textsArgument(COLUMNS, 'fields to show with each hit; default: all that are returned'),
  hydrate: flagArgument('add the whole row from the table to each hit, as far as max_tokens goes'),
  columns: textsArgument(COLUMNS, 'columns of the row, with hydrate; default: all'),
  max_tokens: MAX_TOKENS,
  cursor: CURSOR,
};

const HIT = objectSchema(
  {
    key: { ...TEXT, description: 'the key of the row, as hydrate takes it' },
    score: { type: 'number' },
    fields: { ...ANY_OBJECT, description: 'values as the index keeps them' },
    highlight: { ...ANY_OBJECT, description: 'a fragment per field, matches in «»' },
    row: { ...ANY_OBJECT, description: 'the row of the table' },
    citation: { ...TEXT, description: 'evidence: quote it, check it with cite_check' },
    cut: { ...TEXTS, description: 'values that were shortened: hydrate has them whole' },
    row_omitted: { type: 'boolean', description: 'max_tokens has no room: use hydrate' },
    deleted: { type: 'boolean', description: 'the table no longer has the row' },
  },
  'key',
  'score',
);

/** Ranked hits with previews, citations and, if requested, rows. */
export const searchTool: AgentTool = {
  name: 'search',
  title: 'Search rows',
  describe: (served) =>
    `Find rows of ${indexWords(served)} by words, clauses and meaning, ranked. Each hit has a ` +
    `key, a preview and a citation.${fieldWords(served)}`,
  input: INPUT,
  required: ['query'],
  output: objectSchema(
    {
      index: TEXT,
      mode: TEXT,
      total: { ...WHOLE, description: 'all matching rows (semantic, hybrid: those considered)' },
      hits: { type: 'array', items: HIT },
      snapshot: SNAPSHOT,
      ...PAGE_SCHEMA,
      suggested_query: { ...TEXT, description: 'without hits: a query that has some' },
      notes: TEXTS,
      data_notice: NOTICE_SCHEMA,
    },
    ...['index', 'mode', 'total', 'hits', 'truncated', 'data_notice'],
  ),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<SearchInput>(INPUT, searchTool.required, value);
  const index = await indexOfCall(input.index, context);
  const call: JsonObject = { ...input, index: index.index };
  const { offset, snapshot } = readCursor(input.cursor, call);
  const { limit = HITS.standard } = input;
  const response = await runSearch(input, { index: index.index, offset, limit }, context);
  const rows = await rowsOf(input, index, response, context);
  const views = response.hits.map((hit) => viewOf(hit, rows));
  const { hits, isCut } = pageOfHits(views, budgetOf(input), input.hydrate === true);
  const shown = offset + hits.length;
  const more = shown < response.total;
  const at = { offset: shown, snapshot: response.snapshot };
  const moved = snapshot !== null && snapshot !== response.snapshot;
  const notes = notesOf(response, rows, moved);
  const structured: JsonObject = {
    index: index.index,
    mode: input.mode ?? 'lexical',
    total: response.total,
    hits: hits.map((hit): JsonObject => ({ ...hit })),
    snapshot: response.snapshot,
    truncated: isCut,
    ...(more && hits.length > 0 ? { continuation: cursorText(at, call) } : {}),
    ...(response.suggested_query === undefined
      ? {}
      : { suggested_query: response.suggested_query }),
    ...(notes.length === 0 ? {} : { notes }),
    data_notice: DATA_NOTICE,
  };
  return { structured, text: textOf(structured, hits, offset) };
}

function rowsOf(
  { hydrate, columns, fields }: SearchInput,
  index: IndexDescription,
  { hits }: SearchResponse,
  context: AgentContext,
): Promise<CitedRows> {
  const cited = hydrate === true ? (columns ?? []) : citedColumns(index, fields);
  const keys = hits.map(({ coordinates }) => coordinates);
  return citedRows(index.index, keys, cited, context);
}

function viewOf(hit: Hit, { rows, fault }: CitedRows): HitView {
  const cited = rows.get(keyName(hit.coordinates));
  const highlight = Object.entries(hit.highlight ?? {}).flatMap(([name, [fragment]]) =>
    fragment === undefined ? [] : [[name, marked(fragment)]],
  );
  return {
    key: keyText(hit.coordinates),
    score: hit.score,
    fields: hit.fields ?? {},
    highlight: Object.fromEntries(highlight),
    ...(cited === undefined ? {} : { row: cited.row, citation: cited.citation }),
    ...(cited === undefined && fault === undefined ? { deleted: true as const } : {}),
  };
}

const marked = (fragment: NonNullable<Hit['highlight']>[string][number]): string =>
  fragment.map(({ text, marked: isMatch }) => (isMatch ? `«${text}»` : text)).join('');

function notesOf(response: SearchResponse, { fault }: CitedRows, moved: boolean): string[] {
  return [
    ...(response.notes ?? []),
    ...(response.clauses ?? []).flatMap(({ clause, elsewhere = [] }) =>
      elsewhere.map((found) => `${clause}: ${found.clause} has ${found.total}`),
    ),
    ...(response.failed_arms ?? []).map(({ arm, message }) => `${arm} part failed: ${message}`),
    ...(response.partial === true ? [PART_MISSING] : []),
    ...(fault === undefined ? [] : [`no rows and no citations: ${fault}`]),
    ...(moved ? ['the index has changed since the former page: hits may repeat'] : []),
  ];
}

function textOf(structured: JsonObject, hits: readonly HitView[], offset: number): string {
  const { index, mode, total, continuation, suggested_query: meant, notes = [] } = structured;
  const range = hits.length === 0 ? 'no hits' : `hits ${offset + 1} to ${offset + hits.length}`;
  const head = `${range} of ${total} (${mode}) in ${index}`;
  const blocks = hits.map(({ key, score, citation, fields, highlight, row, ...flags }) =>
    dataBlock(
      { key, score, ...(citation === undefined ? {} : { citation }) },
      {
        ...(row === undefined ? { ...fields, ...highlighted(highlight) } : row),
        ...(flags as JsonObject),
      },
    ),
  );
  const next = continuation === undefined ? [] : [`more: repeat with cursor "${continuation}"`];
  const near = meant === undefined ? [] : [`suggested_query: ${JSON.stringify(meant)}`];
  return [head, DATA_NOTICE, ...blocks, ...(notes as string[]), ...near, ...next].join('\n');
}

const highlighted = (highlight: JsonObject = {}): JsonObject =>
  Object.keys(highlight).length === 0 ? {} : { highlight };
