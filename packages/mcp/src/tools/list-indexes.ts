import type { IndexSummary, JsonObject } from '@lakehouse-search/contract';
import { readArguments } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { tokensOfJson } from '../base/tokens.ts';
import { cursorText, readCursor } from './cursor.ts';
import { type Budgeted, budgetOf, CURSOR, MAX_TOKENS } from './page-arguments.ts';
import {
  type AgentTool,
  objectSchema,
  PAGE_SCHEMA,
  SNAPSHOT,
  TEXT,
  type ToolAnswer,
  WHOLE,
} from './tool.ts';

const INPUT = { max_tokens: MAX_TOKENS, cursor: CURSOR };

const INDEX_ITEM = objectSchema(
  {
    name: TEXT,
    description: TEXT,
    status: { ...TEXT, description: 'live, or created: without rows yet' },
    rows: WHOLE,
    snapshot: SNAPSHOT,
    error: { ...TEXT, description: 'why the index cannot be opened' },
    missing_shards: {
      ...{ type: 'array', items: WHOLE },
      description: 'shards that no node has: their rows are not counted',
    },
  },
  ...['name', 'status', 'rows'],
);

/** The indexes of the caller. */
export const listIndexesTool: AgentTool = {
  name: 'list_indexes',
  title: 'List indexes',
  describe: () => 'List the indexes that can be searched, with what their rows are.',
  input: INPUT,
  required: [],
  output: objectSchema(
    { indexes: { type: 'array', items: INDEX_ITEM }, ...PAGE_SCHEMA },
    ...['indexes', 'truncated'],
  ),
  run,
};

async function run(value: unknown, { backend, call }: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<Budgeted>(INPUT, listIndexesTool.required, value);
  const { offset } = readCursor(input.cursor, {});
  const all = (await backend.listIndexes({}, call)).map(itemOf);
  let left = budgetOf(input);
  const rest = all.slice(offset);
  const end = rest.findIndex((item, i) => {
    left -= tokensOfJson(item);
    return left < 0 && i > 0;
  });
  const indexes = end < 0 ? rest : rest.slice(0, end);
  const next = { offset: offset + indexes.length, snapshot: null };
  const structured: JsonObject = {
    indexes,
    truncated: end >= 0,
    ...(end < 0 ? {} : { continuation: cursorText(next, {}) }),
  };
  const lines = indexes.map(lineOf);
  const more = end < 0 ? [] : [`more: repeat with cursor "${structured.continuation}"`];
  return { structured, text: [`${all.length} indexes`, ...lines, ...more].join('\n') };
}

function itemOf({
  name,
  description,
  status,
  num_docs,
  snapshot,
  error,
  missing_shards,
}: IndexSummary) {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    status,
    rows: num_docs,
    snapshot,
    ...(error === undefined ? {} : { error }),
    ...(missing_shards === undefined ? {} : { missing_shards: [...missing_shards] }),
  };
}

function lineOf({ missing_shards: missing, ...item }: ReturnType<typeof itemOf>): string {
  const { name, description, status, rows, error } = item;
  const without = missing === undefined ? '' : ` without shard ${missing.join(', ')}`;
  const words = description === undefined ? '' : `: ${description}`;
  const fault = error === undefined ? '' : `; ${error}`;
  return `${name} (${status}, ${rows} rows${without})${words}${fault}`;
}
