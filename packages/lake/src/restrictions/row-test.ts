import type { JsonNode } from '../base/json-node.ts';
import { compareValues } from '../schema/compare.ts';
import { parseDefault } from '../schema/default-json.ts';
import { parseType } from '../schema/schema-json.ts';
import type { Field, StructValue, Type, Value } from '../schema/type.ts';
import type { TableColumns } from './table-columns.ts';

/**
 * The row filter of read restrictions: a predicate in the JSON form of the Iceberg Expressions
 * specification (its Appendix B, deprecated terms included). Logic has
 * two values: comparisons with a null are false, except that null equals null. What cannot be
 * evaluated exactly is refused by name: function calls, transforms, comparisons of two types.
 */
export interface RowTest {
  /** The columns that the test reads. */
  readonly fields: readonly Field[];
  /** Whether a row passes whose values of `fields` are given. */
  accepts(values: readonly Value[]): boolean;
}

type Accepts = (values: readonly Value[]) => boolean;
/** Something that has a value in each row. */
interface Operand {
  readonly type: Type;
  readonly value: (values: readonly Value[]) => Value;
}

const MAX_DEPTH = 256;

/** The test of a filter; null if every row passes. Throws unsupported, metadata_invalid. */
export function rowTest(node: JsonNode, columns: TableColumns): RowTest | null {
  if (!node.present || node.value === true) return null;
  const fields: Field[] = [];
  const accepts = predicate({ columns, fields }, node, 0);
  return Object.freeze({ fields, accepts });
}

interface Binding {
  readonly columns: TableColumns;
  /** Grows by the columns that the test reads. */
  readonly fields: Field[];
}

const refused = (node: JsonNode, what: string): never =>
  node.fail(`${what} cannot be evaluated exactly`, 'unsupported');

function predicate(binding: Binding, node: JsonNode, depth: number): Accepts {
  if (depth > MAX_DEPTH) refused(node, 'so deep a row filter');
  if (typeof node.value === 'boolean') return constant(node.value);
  const type = node.get('type').string();
  const below = (key: string) => predicate(binding, node.get(key), depth + 1);
  switch (type) {
    case 'true':
    case 'false':
      return constant(type === 'true');
    case 'not':
      return negation(below('child'));
    case 'and':
    case 'or': {
      const [left, right] = [below('left'), below('right')];
      if (type === 'and') return (values) => left(values) && right(values);
      return (values) => left(values) || right(values);
    }
    default:
      return leaf(binding, node, type);
  }
}

const constant = (value: boolean) => () => value;
const negation =
  (inner: Accepts): Accepts =>
  (values) =>
    !inner(values);

function leaf(binding: Binding, node: JsonNode, type: string): Accepts {
  const base = type.replace(/^not-(?!null$)/, '');
  const isNegated = base !== type;
  const test = leafTest(binding, node, base);
  return isNegated ? negation(test) : test;
}

function leafTest(binding: Binding, node: JsonNode, type: string): Accepts {
  switch (type) {
    case 'is-null':
    case 'not-null': {
      const { value } = operand(binding, child(node));
      const expected = type === 'is-null';
      return (values) => (value(values) === null) === expected;
    }
    case 'is-nan':
    case 'nan': {
      const tested = operand(binding, child(node));
      if (!isFloat(tested.type)) refused(node, `"is-nan" of ${tested.type.kind}`);
      return (values) => Number.isNaN(tested.value(values));
    }
    case 'in':
      return isAmong(binding, node);
    default:
      return comparison(binding, node, type);
  }
}

/** The tested value; `term` in the deprecated form. */
const child = (node: JsonNode): JsonNode => {
  const now = node.get('child');
  return now.present ? now : node.get('term');
};

const isFloat = ({ kind }: Type): boolean => kind === 'float' || kind === 'double';

function isAmong(binding: Binding, node: JsonNode): Accepts {
  const tested = operand(binding, child(node));
  const list = node.get('values');
  const typed = !Array.isArray(list.value) && list.present ? list.get('data-type') : null;
  const items = typed === null ? list.items() : list.get('values').items();
  const constants = items.map((item) => literal(item, tested.type, typed));
  return (values) => {
    const value = tested.value(values);
    return value !== null && constants.some((one) => equals(value, one));
  };
}

/** Equal values; NaN equals NaN, -0 equals 0. */
const equals = (a: Value, b: Value): boolean => compareValues(a, b) === 0;

const COMPARISONS: Readonly<Record<string, (a: Value, b: Value) => boolean>> = Object.freeze({
  eq: equals,
  lt: (a, b) => isOrdered(a, b) && compareValues(a, b) < 0,
  'lt-eq': (a, b) => equals(a, b) || (isOrdered(a, b) && compareValues(a, b) < 0),
  gt: (a, b) => isOrdered(a, b) && compareValues(a, b) > 0,
  'gt-eq': (a, b) => equals(a, b) || (isOrdered(a, b) && compareValues(a, b) > 0),
  'starts-with': (a, b) => a !== null && b !== null && String(a).startsWith(String(b)),
});

const isOrdered = (a: Value, b: Value): boolean =>
  a !== null && b !== null && !Number.isNaN(a) && !Number.isNaN(b);

function comparison(binding: Binding, node: JsonNode, type: string): Accepts {
  const compare = Object.hasOwn(COMPARISONS, type) ? COMPARISONS[type] : undefined;
  if (compare === undefined) return refused(node, `expression "${type}"`);
  const isOld = node.get('term').present;
  const [leftNode, rightNode] = isOld
    ? [node.get('term'), node.get('value')]
    : [node.get('left'), node.get('right')];
  const [left, right] = isReference(leftNode, isOld)
    ? [operand(binding, leftNode), otherSide(binding, rightNode, leftNode)]
    : [otherSide(binding, leftNode, rightNode), operand(binding, rightNode)];
  if (type === 'starts-with' && (left.type.kind !== 'string' || isReference(rightNode, false))) {
    refused(node, `"starts-with" of ${left.type.kind}`);
  }
  return (values) => compare(left.value(values), right.value(values));

  function otherSide({ columns }: Binding, side: JsonNode, reference: JsonNode): Operand {
    const { type: expected } = operand({ columns, fields: [] }, reference);
    if (!isReference(side, false)) {
      const value = literal(side, expected, null);
      return { type: expected, value: () => value };
    }
    const other = operand(binding, side);
    if (sameType(other.type, expected)) return other;
    return refused(side, `a comparison of ${expected.kind} with ${other.type.kind}`);
  }
}

const sameType = (a: Type, b: Type): boolean =>
  a.kind === b.kind && (a.kind !== 'decimal' || a.scale === (b as typeof a).scale);

/** A bare text is a reference in the deprecated form, and a literal else. */
function isReference(node: JsonNode, isOld: boolean): boolean {
  if (typeof node.value === 'string') return isOld;
  return typeof node.value === 'object' && node.get('type').value !== 'literal';
}

/** The value of a column, or of a field in structs, in each row. Throws unsupported. */
function operand({ columns, fields }: Binding, node: JsonNode): Operand {
  if (typeof node.value !== 'string') {
    const type = node.get('type').string();
    if (type !== 'reference') refused(node, `expression "${type}"`);
  }
  const found = columns.find(node);
  if (found === null) return refused(node, 'a row filter over a column that the table has not');
  const { top, path, type } = found;
  if (NESTED.has(type.kind) && type.kind !== 'struct') refused(node, `a test of ${type.kind}`);
  let at = fields.findIndex(({ id }) => id === top.id);
  if (at < 0) at = fields.push(top) - 1;
  return { type, value: (values) => inside(values[at], path) };
}

const NESTED: ReadonlySet<Type['kind']> = new Set(['struct', 'list', 'map', 'variant', 'unknown']);

function inside(value: Value, path: readonly string[]): Value {
  let at = value;
  for (const name of path) at = at === null ? null : ((at as StructValue)[name] ?? null);
  return at;
}

/** A constant of the column's type. Throws unsupported for null, NaN and other types. */
function literal(node: JsonNode, type: Type, listType: JsonNode | null): Value {
  const isWrapped = typeof node.value === 'object' && node.value !== null;
  const value = isWrapped ? node.get('value') : node;
  const named = isWrapped ? node.get('data-type') : listType;
  if (NESTED.has(type.kind)) refused(node, `a comparison of ${type.kind}`);
  if (!value.present) refused(node, 'a comparison with null');
  const own = named?.present ? parseType(named) : type;
  if (!sameType(own, type) && !WIDER.has(`${own.kind} ${type.kind}`)) {
    refused(node, `a comparison of ${type.kind} with ${own.kind}`);
  }
  if (type.kind.startsWith('timestamp') && hasZone(value) !== type.kind.startsWith('timestamptz')) {
    refused(node, `a comparison of ${type.kind} with ${String(value.value)}`);
  }
  const parsed = parseDefault(type, value);
  if (Number.isNaN(parsed)) refused(node, 'a comparison with NaN');
  return type.kind === 'float' ? Math.fround(parsed as number) : parsed;
}

const hasZone = (node: JsonNode): boolean => /(Z|[+-]\d\d:?\d\d)$/.test(node.string().slice(10));

/** Constants that are the same number in the column's type. */
const WIDER: ReadonlySet<string> = new Set(['int long', 'float double']);
