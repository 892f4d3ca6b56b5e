import type { JsonObject } from '@lakehouse-search/contract';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import {
  choiceArgument,
  readArguments,
  textArgument,
  textsArgument,
  wholeArgument,
} from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { STATE_SCHEMA } from '../base/table-state.ts';
import { answerEach, NO_ROWS } from './answer-each.ts';
import { readCursor } from './cursor.ts';
import { withAbsentWords } from './hints/absent-words.ts';
import { inFieldCase } from './hints/field-case.ts';
import { withOtherFields } from './hints/other-fields.ts';
import { fieldWords, indexList } from './hints/served-words.ts';
import { pageAnswer } from './page-answer.ts';
import { CURSOR, INDEXES, indexesOfCall, MAX_TOKENS } from './page-arguments.ts';
import { fieldsIn, joined, runSearch, type SearchInput } from './search-request.ts';
import {
  type AgentTool,
  ANY_OBJECT,
  OBJECTS,
  objectSchema,
  PAGE_SCHEMA,
  TEXT,
  TEXTS,
  type ToolAnswer,
  type ToolCall,
  WHOLE,
} from './tool.ts';

const HITS = { least: 1, most: 500, standard: 10 };
const COLUMNS = 100;

const INPUT = {
  index: INDEXES,
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
    ...{
      indexes: OBJECTS,
      citation: TEXT,
      shared_highlight: ANY_OBJECT,
      hits: OBJECTS,
      columns: TEXTS,
      rows: { type: 'array' },
    },
    ...{ ...PAGE_SCHEMA, suggested_query: TEXT, suggested_total: WHOLE, notes: TEXTS },
  }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<SearchInput>(INPUT, searchTool.required, value);
  const indexes = await indexesOfCall(input.index, context);
  const call: JsonObject = { ...input, index: indexes.map(({ index }) => index).join() };
  return inFieldCase(input, indexes, context, (named, notes) =>
    answerOf(named, { indexes, call, notes }, context),
  );
}

async function answerOf(
  input: SearchInput,
  { indexes, call, notes }: ToolCall,
  context: AgentContext,
): Promise<ToolAnswer> {
  const { offset, state } = readCursor(input.cursor, call);
  const { limit = HITS.standard } = input;
  // the hit behind the page tells whether its last one has ties
  const most = Math.min(limit + 1, Math.max(limit, REQUEST_LIMITS.windowHits - offset));
  // of several indexes any hit of the page may be in one of them
  const page = indexes.length === 1 ? { offset, limit: most } : { offset: 0, limit: offset + most };
  const found = await answerEach(
    indexes,
    async (index, optional_fields) => {
      const own = { ...page, optional_fields };
      const response = await runSearch(fieldsIn(input, index, indexes), own, index, context);
      const isLexical = (input.mode ?? 'lexical') === 'lexical';
      if (!isLexical)
        return withAbsentWords(response, { ...input, optional_fields }, index, context);
      const match = { ...input, ...joined(input), optional_fields };
      return withOtherFields(response, match, index, context);
    },
    (index) => runSearch({ query: NO_ROWS }, page, index, context),
  );
  return pageAnswer(input, found, context, { offset, limit, state, call, notes });
}
