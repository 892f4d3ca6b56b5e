import type { FieldDescription, JsonObject } from '@lakehouse-search/contract';
import { readArguments } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { tokensOfJson } from '../base/tokens.ts';
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
  objectSchema,
  PAGE_SCHEMA,
  SNAPSHOT,
  TEXT,
  TEXTS,
  type ToolAnswer,
  WHOLE,
} from './tool.ts';

const INPUT = { index: INDEX, max_tokens: MAX_TOKENS, cursor: CURSOR };

interface DescribeInput extends Budgeted {
  readonly index?: string;
}

const YES_OR_NO = { type: 'boolean' };
const FIELD = objectSchema(
  {
    name: TEXT,
    type: TEXT,
    description: TEXT,
    searchable: { ...YES_OR_NO, description: 'queries find its values' },
    folded: { ...YES_OR_NO, description: 'values are compared without case and accents' },
    sortable: { ...YES_OR_NO, description: 'sort, terms, histogram and figures take it' },
    shown: { ...YES_OR_NO, description: 'returned with hits' },
    several: { ...YES_OR_NO, description: 'a row may have several values' },
    columns: { ...TEXTS, description: 'columns of the table that it is made from' },
  },
  ...['name', 'type', 'searchable', 'sortable', 'shown', 'columns'],
);

/** The fields of an index and what each of them can do. */
export const describeIndexTool: AgentTool = {
  name: 'describe_index',
  title: 'Describe an index',
  describe: (served) =>
    `List the fields of ${indexWords(served)}: their types, what they hold, and whether queries, ` +
    'sorts and groups take them.',
  input: INPUT,
  required: [],
  output: objectSchema(
    {
      index: TEXT,
      description: TEXT,
      status: TEXT,
      rows: WHOLE,
      snapshot: SNAPSHOT,
      key: { ...TEXTS, description: 'columns that identify a row' },
      fields: { type: 'array', items: FIELD },
      semantic_fields: { ...TEXTS, description: 'VECTOR fields: the modes semantic and hybrid' },
      ...PAGE_SCHEMA,
    },
    ...['index', 'status', 'rows', 'key', 'fields', 'semantic_fields', 'truncated'],
  ),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<DescribeInput>(INPUT, describeIndexTool.required, value);
  const described = await indexOfCall(input.index, context);
  const { index, description, status, num_docs, snapshot, key, vector_fields } = described;
  const call = { ...input, index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const rest = described.fields.slice(offset).map(fieldOf);
  let left = budgetOf(input);
  const end = rest.findIndex((field, i) => {
    left -= tokensOfJson(field);
    return left < 0 && i > 0;
  });
  const fields = end < 0 ? rest : rest.slice(0, end);
  const at = { offset: offset + fields.length, snapshot };
  const structured: JsonObject = {
    index,
    ...(description === undefined ? {} : { description }),
    status,
    rows: num_docs,
    snapshot,
    key: [...key.partition, ...key.identifier],
    fields,
    semantic_fields: vector_fields.filter(({ model }) => model !== null).map(({ name }) => name),
    truncated: end >= 0,
    ...(end < 0 ? {} : { continuation: cursorText(at, call) }),
  };
  return { structured, text: textOf(structured, fields) };
}

function fieldOf(field: FieldDescription) {
  const { name, type, description, indexed, fast, cached, folded, multi_valued, source } = field;
  return {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    searchable: indexed,
    sortable: fast,
    shown: cached,
    ...(folded === true ? { folded } : {}),
    ...(multi_valued === true ? { several: true } : {}),
    columns: source,
  };
}

function textOf(
  { index, description, rows, key, semantic_fields, continuation }: JsonObject,
  fields: readonly ReturnType<typeof fieldOf>[],
): string {
  const words = description === undefined ? '' : `: ${description}`;
  const lines = fields.map((field) => {
    const can = (['searchable', 'folded', 'sortable', 'shown', 'several'] as const).filter(
      (c) => field[c],
    );
    const about = field.description === undefined ? '' : `: ${field.description}`;
    return `- ${field.name} ${field.type} ${can.join(' ')}${about}`;
  });
  const vectors = semantic_fields as readonly string[];
  return [
    `${index}${words}`,
    `${rows} rows; key ${(key as string[]).join(', ')}`,
    ...lines,
    ...(vectors.length === 0 ? ['no semantic search'] : [`semantic search: ${vectors.join(', ')}`]),
    ...(continuation === undefined ? [] : [`more: repeat with cursor "${continuation}"`]),
  ].join('\n');
}
