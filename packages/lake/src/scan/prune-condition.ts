import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Condition as PlanCondition } from '../plan/condition.ts';
import { parseDate, parseTimestamp } from '../schema/civil-time.ts';
import type { Field, Type, Value } from '../schema/type.ts';
import type { WhereText } from './where.ts';

/**
 * What scan planning can use of a condition: comparisons of a column with a constant, BETWEEN, IN,
 * IS [NOT] NULL, joined by AND and OR. Other parts of an AND are left out, which makes the result
 * weaker and never stronger; null if nothing is left.
 *
 * Constants must be such that DuckDB compares them as values of the column's type: integers with
 * integer columns, any number with double, text with strings, and ISO dates and timestamps. FLOAT
 * and DECIMAL columns are left out, since DuckDB may round the constant.
 */
export function pruneCondition(
  condition: WhereText,
  currentFields: readonly Field[],
): PlanCondition | null {
  const columns = new Map<string, Field>();
  for (const field of condition.fields) {
    const current = currentFields.find((candidate) => candidate.id === field.id);
    if (current?.type.kind === field.type.kind) columns.set(field.name.toLowerCase(), current);
  }
  return convert(condition.tree, columns);
}

type Columns = ReadonlyMap<string, Field>;
type CompareOp = '=' | '<' | '<=' | '>' | '>=';

const OPERATORS: Readonly<Record<string, readonly [op: CompareOp, flipped: CompareOp]>> = {
  COMPARE_EQUAL: ['=', '='],
  COMPARE_LESSTHAN: ['<', '>'],
  COMPARE_LESSTHANOREQUALTO: ['<=', '>='],
  COMPARE_GREATERTHAN: ['>', '<'],
  COMPARE_GREATERTHANOREQUALTO: ['>=', '<='],
};

function convert(node: JsonObject, columns: Columns): PlanCondition | null {
  switch (node.class) {
    case 'CONJUNCTION':
      return convertConjunction(node, columns);
    case 'COMPARISON':
      return convertComparison(node, columns);
    case 'BETWEEN': {
      const column = columnOf(node.input, columns);
      const lower = column && compare(column, '>=', node.lower);
      const upper = column && compare(column, '<=', node.upper);
      return lower && upper ? { kind: 'and', parts: [lower, upper] } : (lower ?? upper);
    }
    case 'OPERATOR':
      return convertOperator(node, columns);
    default:
      return null;
  }
}

function convertConjunction(node: JsonObject, columns: Columns): PlanCondition | null {
  const children = node.children as readonly JsonObject[];
  const parts = children.map((child) => convert(child, columns));
  const known = parts.filter((part) => part !== null);
  if (node.type === 'CONJUNCTION_OR') {
    return known.length === parts.length ? { kind: 'or', parts: known } : null;
  }
  return known.length > 0 ? { kind: 'and', parts: known } : null;
}

function convertComparison(node: JsonObject, columns: Columns): PlanCondition | null {
  const operators = OPERATORS[String(node.type)];
  if (operators === undefined) return null;
  const left = columnOf(node.left, columns);
  if (left !== null) return compare(left, operators[0], node.right);
  const right = columnOf(node.right, columns);
  return right === null ? null : compare(right, operators[1], node.left);
}

function convertOperator(node: JsonObject, columns: Columns): PlanCondition | null {
  const [first, ...others] = node.children as readonly JsonValue[];
  const column = columnOf(first, columns);
  if (column === null) return null;
  const fieldId = column.id;
  if (node.type === 'OPERATOR_IS_NULL') return { kind: 'is-null', fieldId };
  if (node.type === 'OPERATOR_IS_NOT_NULL') return { kind: 'not-null', fieldId };
  if (node.type !== 'COMPARE_IN') return null;
  const values = others.map((other) => constant(column.type, other));
  return values.every((value) => value !== null) ? { kind: 'in', fieldId, values } : null;
}

function columnOf(node: JsonValue | undefined, columns: Columns): Field | null {
  if (!isJsonObject(node) || node.class !== 'COLUMN_REF') return null;
  const names = node.column_names as readonly string[];
  return names.length === 1 ? (columns.get(names[0].toLowerCase()) ?? null) : null;
}

function compare(column: Field, op: CompareOp, node: JsonValue | undefined): PlanCondition | null {
  const value = constant(column.type, node);
  return value === null ? null : { kind: 'compare', fieldId: column.id, op, value };
}

/** The constant as a value of the column's type; null if it is none, or may be rounded. */
function constant(type: Type, node: JsonValue | undefined): Exclude<Value, null> | null {
  if (!isJsonObject(node)) return null;
  const cast = node.class === 'CAST' && node.try_cast === false ? typeId(node.cast_type) : null;
  const inner = node.class === 'CAST' ? node.child : node;
  if (!isJsonObject(inner) || inner.class !== 'CONSTANT' || !isJsonObject(inner.value)) return null;
  const { value } = inner.value;
  const from = typeId(inner.value.type);
  if (node.class === 'CAST' || type.kind === 'date' || type.kind.startsWith('timestamp')) {
    return from === 'VARCHAR' ? instant(type, cast, String(value)) : null;
  }
  if (type.kind === 'string') return from === 'VARCHAR' ? String(value) : null;
  if (from === 'INTEGER' || from === 'BIGINT') return integer(type, value);
  return type.kind === 'double' ? fraction(inner.value, from) : null;
}

function typeId(type: JsonValue | undefined): string | null {
  return isJsonObject(type) ? String(type.id) : null;
}

function integer(type: Type, value: JsonValue | undefined): number | bigint | null {
  if (typeof value !== 'number' && typeof value !== 'bigint') return null;
  if (type.kind === 'long') return BigInt(value);
  return type.kind === 'int' || type.kind === 'double' ? Number(value) : null;
}

function fraction(constant: JsonObject, from: string | null): number | null {
  if (from === 'DOUBLE') return typeof constant.value === 'number' ? constant.value : null;
  const info = isJsonObject(constant.type) ? constant.type.type_info : null;
  if (from !== 'DECIMAL' || !isJsonObject(info) || typeof info.scale !== 'number') return null;
  return typeof constant.value === 'number' ? Number(`${constant.value}e-${info.scale}`) : null;
}

function instant(type: Type, cast: string | null, text: string): number | bigint | null {
  const day = parseDate(text);
  if (type.kind === 'date') return cast === null || cast === 'DATE' ? day : null;
  if (type.kind !== 'timestamp' && type.kind !== 'timestamptz') return null;
  if (day !== null) return DAY_CASTS.has(cast) ? BigInt(day) * 86_400_000_000n : null;
  const zoned = /(z|[+-]\d\d(:?\d\d)?)$/i.test(text);
  const known = zoned
    ? type.kind === 'timestamptz' && ZONED_CASTS.has(cast)
    : cast !== 'DATE' && DAY_CASTS.has(cast);
  return known ? parseTimestamp(text, 6) : null;
}

const ZONED_CASTS: ReadonlySet<string | null> = new Set([null, 'TIMESTAMP WITH TIME ZONE']);
const DAY_CASTS: ReadonlySet<string | null> = new Set([...ZONED_CASTS, 'DATE', 'TIMESTAMP']);
