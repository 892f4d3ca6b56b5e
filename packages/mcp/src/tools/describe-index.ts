import type { FieldDescription, IndexDescription, JsonObject } from '@lakehouse-search/contract';
import { readArguments } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataBlock } from '../base/data-text.ts';
import { fittingCount, withinBudget } from '../base/within-budget.ts';
import { cursorText, readCursor } from './cursor.ts';
import { type Contents, contentsOf } from './field-values.ts';
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
  ANY_OBJECT,
  OBJECTS,
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

/** The fields of an index and what each of them can do. */
export const describeIndexTool: AgentTool = {
  name: 'describe_index',
  title: 'Describe an index',
  describe: () =>
    'List fields, their values or ranges, paths inside VARIANT, STRUCT and MAP columns, and what ' +
    'can be searched, sorted and shown.',
  input: INPUT,
  required: [],
  output: objectSchema({
    ...{ data_notice: TEXT, index: TEXT, description: TEXT, status: TEXT, rows: WHOLE },
    ...{ snapshot: SNAPSHOT, key: TEXTS, default_fields: TEXTS, semantic_fields: TEXTS },
    ...{ fields: OBJECTS, paths: ANY_OBJECT, notes: TEXTS, ...PAGE_SCHEMA },
  }),
  run,
};

async function run(value: unknown, context: AgentContext): Promise<ToolAnswer> {
  const input = readArguments<DescribeInput>(INPUT, describeIndexTool.required, value);
  const described = await indexOfCall(input.index, context);
  const { index, snapshot } = described;
  const call = { ...input, index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const contents = await contentsOf(described, context);
  const rest = described.fields.slice(offset).map((field) => fieldOf(field, contents));
  return withinBudget(tokensFor(input), (room) => {
    const count = fittingCount(rest, room);
    const fields = rest.slice(0, count);
    const at = { offset: offset + count, snapshot };
    const structured: JsonObject = {
      data_notice: DATA_NOTICE,
      ...headOf(described),
      fields,
      ...(Object.keys(contents.paths).length === 0 ? {} : { paths: contents.paths }),
      ...(contents.notes.length === 0 ? {} : { notes: contents.notes }),
      truncated: count < rest.length,
      ...(count === rest.length ? {} : { continuation: cursorText(at, call) }),
    };
    return { structured, text: textOf(structured, fields) };
  });
}

function headOf(described: IndexDescription): JsonObject {
  const { index, description, status, num_docs, snapshot, key, vector_fields } = described;
  return {
    index,
    ...(description === undefined ? {} : { description }),
    status,
    rows: num_docs,
    snapshot,
    key: [...key.partition, ...key.identifier],
    default_fields: described.default_fields,
    semantic_fields: vector_fields.filter(({ model }) => model !== null).map(({ name }) => name),
  };
}

function fieldOf(field: FieldDescription, { values }: Contents) {
  const contents = values.get(field.name);
  const { name, type, description, indexed, fast, cached, folded, multi_valued, source } = field;
  const { analyzer } = field;
  return {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    searchable: indexed,
    sortable: fast,
    shown: cached,
    ...(folded === true ? { folded } : {}),
    ...(multi_valued === true ? { several: true } : {}),
    ...(analyzer === undefined ? {} : { analyzer }),
    ...(contents === undefined ? {} : { contents }),
    columns: source,
  };
}

function textOf(
  { index, description, rows, snapshot, key, semantic_fields, continuation, ...rest }: JsonObject,
  fields: readonly ReturnType<typeof fieldOf>[],
): string {
  const words = description === undefined ? '' : `: ${description}`;
  const lines = fields.map((field) => {
    const can = ABILITIES.filter((ability) => field[ability]);
    const about = field.description === undefined ? '' : `: ${field.description}`;
    const analyzer = field.analyzer === undefined ? '' : ` (${field.analyzer})`;
    return `- ${field.name} ${field.type}${analyzer} ${can.join(' ')}${about}`;
  });
  const contents = fields.flatMap(({ name, contents: values }): [string, JsonObject][] =>
    values === undefined ? [] : [[name, values]],
  );
  const paths = (rest.paths ?? {}) as JsonObject;
  const found = { ...Object.fromEntries(contents), ...paths };
  const vectors = semantic_fields as readonly string[];
  return [
    `${index}${words}`,
    `${rows} rows, snapshot ${snapshot ?? 'none'}; key ${(key as string[]).join(', ')}`,
    `words without a field search ${(rest.default_fields as string[]).join(', ')}`,
    ...lines,
    ...(vectors.length === 0 ? ['no semantic search'] : [`semantic search: ${vectors.join(', ')}`]),
    ...((rest.notes ?? []) as string[]),
    ...(Object.keys(found).length === 0 ? [] : [DATA_NOTICE, dataBlock({}, found)]),
    ...moreLines(continuation),
  ].join('\n');
}

const ABILITIES = ['searchable', 'folded', 'sortable', 'shown', 'several'] as const;
