import { LakeError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../base/json.ts';
import { LIMITS } from '../base/limits.ts';
import type { Field } from '../schema/type.ts';
import { LockedDuckDb } from './duckdb/instance.ts';

/**
 * A condition in DuckDB SQL, checked before it is run.
 *
 * 1. DuckDB parses `SELECT 1 FROM rows WHERE (<condition>)` and serialises the tree
 *    (`json_serialize_sql`).
 * 2. The tree must be that one SELECT: no second statement, UNION, GROUP BY, HAVING, ORDER BY or
 *    LIMIT smuggled in through a parenthesis; the condition must have no subquery, window,
 *    parameter or star.
 * 3. Every column it names must be one of the schema's; which ones is what has to be read.
 *
 * It runs in an instance that can open no file and no network (`duckdb/instance.ts`).
 */
export interface WhereText {
  readonly text: string;
  /** The schema's fields that the condition names, in the schema's order. */
  readonly fields: readonly Field[];
  /** The condition's tree, as DuckDB serialises it. */
  readonly tree: JsonObject;
}

const REFUSED: Readonly<Record<string, string>> = Object.freeze({
  SUBQUERY: 'a subquery',
  WINDOW: 'a window function',
  PARAMETER: 'a parameter',
  STAR: 'a star',
  DEFAULT: 'DEFAULT',
  POSITIONAL_REFERENCE: 'a positional reference',
});

/** Longest condition that is looked at, in characters. */
const MAX_CHARS = 65_536;

/** Parses and checks a condition over `fields`. Throws invalid_argument or column_not_found. */
export async function parseCondition(text: string, fields: readonly Field[]): Promise<WhereText> {
  if (text.length > MAX_CHARS) throw refuse(text.slice(0, 100), `is longer than ${MAX_CHARS}`);
  const statement = await serialize(text);
  const tree = onlySelect(text, statement);
  const named = new Set<number>();
  collectFields(text, tree, fields, new Set(), named);
  return Object.freeze({ text, tree, fields: fields.filter((field) => named.has(field.id)) });
}

async function serialize(text: string): Promise<JsonObject> {
  const db = await LockedDuckDb.open([], { threads: 1, memoryBytes: LIMITS.conditionMemoryBytes });
  try {
    const sql = `SELECT 1 FROM rows WHERE (\n${text}\n)`;
    const call = 'SELECT json_serialize_sql($1::VARCHAR)::VARCHAR';
    const result = await db.guard(() => db.connection.runAndReadAll(call, [sql]));
    return parseJson(result.getRows()[0][0] as string) as JsonObject;
  } catch (error) {
    throw refuse(text, `cannot be parsed: ${firstLine(error)}`);
  } finally {
    db.close();
  }
}

function onlySelect(text: string, result: JsonObject): JsonObject {
  if (result.error === true) throw refuse(text, `is not SQL: ${String(result.error_message)}`);
  const statements = result.statements as readonly JsonObject[];
  const node = statements.length === 1 ? (statements[0].node as JsonObject) : undefined;
  const plain =
    node?.type === 'SELECT_NODE' &&
    isBareTable(node.from_table) &&
    [node.modifiers, node.group_expressions, node.group_sets, node.select_list].every(
      (list, i) => Array.isArray(list) && list.length === (i === 3 ? 1 : 0),
    ) &&
    [node.having, node.sample, node.qualify].every((part) => part === null) &&
    isJsonObject(node.where_clause);
  if (!plain) throw refuse(text, 'is more than one condition');
  return node.where_clause as JsonObject;
}

function isBareTable(from: JsonValue | undefined): boolean {
  return isJsonObject(from) && from.type === 'BASE_TABLE' && from.table_name === 'rows';
}

function collectFields(
  text: string,
  node: JsonValue | undefined,
  fields: readonly Field[],
  bound: ReadonlySet<string>,
  named: Set<number>,
): void {
  if (Array.isArray(node)) {
    for (const item of node) collectFields(text, item, fields, bound, named);
    return;
  }
  if (!isJsonObject(node)) return;
  const refused = REFUSED[String(node.class)];
  if (refused !== undefined) throw refuse(text, `holds ${refused}`);
  if (node.class === 'COLUMN_REF') {
    nameField(text, node.column_names as readonly string[], fields, bound, named);
    return;
  }
  const inner = node.class === 'LAMBDA' ? withParameters(node, bound) : bound;
  for (const [key, child] of Object.entries(node)) {
    if (node.class === 'LAMBDA' && key === 'lhs') continue;
    collectFields(text, child, fields, inner, named);
  }
}

function withParameters(lambda: JsonObject, bound: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set(bound);
  JSON.stringify(lambda.lhs, (key, value) => {
    if (key === 'column_names') names.add(String(value[0]).toLowerCase());
    return value;
  });
  return names;
}

function nameField(
  text: string,
  names: readonly string[],
  fields: readonly Field[],
  bound: ReadonlySet<string>,
  named: Set<number>,
): void {
  const wanted = names[0].toLowerCase();
  if (bound.has(wanted)) return;
  const field =
    fields.find((f) => f.name === names[0]) ?? fields.find((f) => f.name.toLowerCase() === wanted);
  if (field === undefined) {
    throw new LakeError(
      'column_not_found',
      `condition "${text}" names column "${names[0]}", which the table does not have; ` +
        `columns: ${fields.map((f) => `"${f.name}"`).join(', ')}`,
      { details: { column: names[0] } },
    );
  }
  named.add(field.id);
}

function refuse(text: string, why: string): LakeError {
  return new LakeError(
    'invalid_argument',
    `condition "${text}" ${why}; expected one DuckDB SQL condition over the table's columns, ` +
      `for example "amount > 5 AND name LIKE 'a%'"`,
  );
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
}
