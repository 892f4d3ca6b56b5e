import type { IndexSummary, JsonObject } from '@lakehouse-search/contract';
import { readArguments } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { fittingCount, withinBudget } from '../base/within-budget.ts';
import { cursorText, readCursor } from './cursor.ts';
import { type Budgeted, CURSOR, MAX_TOKENS, moreLines, tokensFor } from './page-arguments.ts';
import { type AgentTool, OBJECTS, objectSchema, PAGE_SCHEMA, type ToolAnswer } from './tool.ts';

const INPUT = { max_tokens: MAX_TOKENS, cursor: CURSOR };

/** The indexes of the caller. */
export const listIndexesTool: AgentTool = {
  name: 'list_indexes',
  title: 'List indexes',
  describe: () => 'List the indexes that can be searched, with what their rows are.',
  input: INPUT,
  required: [],
  output: objectSchema({ indexes: OBJECTS, ...PAGE_SCHEMA }),
  run,
};

async function run(value: unknown, { backend, call }: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<Budgeted>(INPUT, listIndexesTool.required, value);
  const { offset } = readCursor(input.cursor, {});
  const all = (await backend.indexes.list({}, call)).map(itemOf);
  const rest = all.slice(offset);
  return withinBudget(tokensFor(input), (room) => {
    const count = fittingCount(rest, room);
    const indexes = rest.slice(0, count);
    const next = { offset: offset + count, state: null };
    const structured: JsonObject = {
      indexes,
      truncated: count < rest.length,
      ...(count === rest.length ? {} : { continuation: cursorText(next, {}) }),
    };
    const lines = [`${all.length} indexes`, ...indexes.map(lineOf)];
    return { structured, text: [...lines, ...moreLines(structured.continuation)].join('\n') };
  });
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
