import type { FieldDescription, IndexDescription, JsonObject } from '@lakehouse-search/contract';
import { readArguments } from '../arguments/arguments.ts';
import type { AgentContext } from '../base/agent-backend.ts';
import { DATA_NOTICE, dataLines } from '../base/data-text.ts';
import { fittingCount, withinBudget } from '../base/within-budget.ts';
import { fieldLine, pathLines } from './contents-text.ts';
import { cursorText, readCursor } from './cursor.ts';
import { type Contents, contentsOf } from './hints/field-values.ts';
import { foldNames } from './hints/fold-names.ts';
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
  const { index } = described;
  const call = { ...input, index } as JsonObject;
  const { offset } = readCursor(input.cursor, call);
  const folded = foldedFields(described.fields);
  const fields = folded.map(({ field }) => field);
  const contents = await contentsOf({ ...described, fields }, context);
  const rest = folded.slice(offset).map((one) => fieldOf(one, contents));
  return withinBudget(tokensFor(input), (room) => {
    const count = fittingCount(rest, room);
    const fields = rest.slice(0, count);
    const at = { offset: offset + count, state: null };
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

/** A field that stands for others alike: those at the same path of repeated structures. */
interface FoldedField {
  readonly field: FieldDescription;
  readonly pattern: string;
  /** Fields that it stands for, if there are several. */
  readonly alike?: number;
}

function foldedFields(fields: readonly FieldDescription[]): readonly FoldedField[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const kindOf = (name: string) => JSON.stringify({ ...byName.get(name), name: '', path: '' });
  return foldNames([...byName.keys()], kindOf).flatMap(({ name: pattern, parts, first }) => {
    const field = byName.get(first);
    if (field === undefined) return [];
    return { field, pattern, ...(parts && { alike: parts.length }) };
  });
}

/** A field as a description has it. */
export type DescribedField = ReturnType<typeof fieldOf>;

function fieldOf({ field, pattern, alike }: FoldedField, { values }: Contents) {
  const contents = values.get(field.name);
  const { type, description, indexed, fast, cached, folded, multi_valued, source } = field;
  const { analyzer } = field;
  return {
    name: pattern,
    type,
    ...(alike === undefined ? {} : { alike }),
    ...(description === undefined ? {} : { description }),
    searchable: indexed,
    sortable: fast,
    shown: cached,
    ...(folded === true ? { folded } : {}),
    ...(multi_valued === true ? { several: true } : {}),
    ...(analyzer === undefined ? {} : { analyzer }),
    ...(contents === undefined
      ? {}
      : { contents: alike === undefined ? contents : { ...contents, of: field.name } }),
    columns: source,
  };
}

function textOf(
  { index, description, rows, snapshot, key, semantic_fields, continuation, ...rest }: JsonObject,
  fields: readonly DescribedField[],
): string {
  const vectors = semantic_fields as readonly string[];
  const [shown, others] = [fields.filter((one) => one.shown), fields.filter((one) => !one.shown)];
  const list = (name: string, some: typeof fields) =>
    some.length === 0 ? [] : [`${name}:`, ...some.map((one) => fieldLine(one, vectors))];
  const words = (rest.default_fields as string[]).join(', ');
  return [
    `${index}${description === undefined ? '' : `: ${description}`}`,
    `${rows} rows, key ${(key as string[]).join(', ')}; snapshot ${snapshot ?? 'none'}`,
    `words without a field search ${words}`,
    ...(vectors.length === 0 ? ['no semantic search'] : []),
    ...((rest.notes ?? []) as string[]),
    ...dataLines([
      ...list('fields that hits show', shown),
      ...list('other fields', others),
      ...pathLines((rest.paths ?? {}) as JsonObject),
    ]),
    ...moreLines(continuation),
  ].join('\n');
}
