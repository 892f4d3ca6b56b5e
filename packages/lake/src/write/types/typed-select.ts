/**
 * The rows of an input under a schema: every column by name with its type, absent ones null.
 *
 * - Text becomes a date, time or timestamp by the rules of text-forms.ts. A text that does not fit
 *   is refused by name, and so is an offset that the column has no place for.
 * - A number that the column's type would change is refused by name (exact-numbers.ts).
 * - Null in a required column and texts beyond `importValueBytes` are refused by name.
 * - A field of a struct that the table does not have is refused by name.
 */
import { LakeError } from '../../base/errors.ts';
import { LIMITS } from '../../base/limits.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { typeName } from '../../schema/schema-json.ts';
import type { Field, MapType, Schema, StructType, Type } from '../../schema/type.ts';
import type { StagedInput } from '../input/input.ts';
import type { InputColumn } from '../input/input-columns.ts';
import { OWN_FAULT } from '../sql-fault.ts';
import type { WriterSession } from '../writer-session.ts';
import { isExactCast, isFloating, mayBeChanged } from './exact-numbers.ts';
import { asRead, mapPairs, readType } from './read-type.ts';
import { sqlType } from './sql-type.ts';
import { isTimeType, strictText } from './text-forms.ts';

/** In wider tables texts are not measured: a copy of every column would not fit into memory. */
const MOST_CHECKED = 1000;

interface How {
  readonly input: StagedInput;
  readonly isChecked: boolean;
  /** Columns whose floating-point numbers are read as texts, because some may be changed. */
  readonly inexact: ReadonlySet<string>;
}

/** The SELECT list and the relation of an input under a schema. Throws column_not_found. */
export async function typedSelect(
  session: WriterSession,
  input: StagedInput,
  schema: Schema,
  columns: readonly InputColumn[],
): Promise<{ readonly list: string; readonly from: string }> {
  refuseUnknown(schema, columns);
  const sources = new Map(columns.map((column) => [column.name, column]));
  const how = {
    input,
    isChecked: schema.fields.length <= MOST_CHECKED,
    inexact: await inexactColumns(session, input, schema, sources),
  };
  const list = schema.fields.map(
    (field) => `${column(field, sources.get(field.name), how)} AS ${quoteName(field.name)}`,
  );
  const types = schema.fields.flatMap((field) => {
    const source = sources.get(field.name);
    if (source === undefined) return [];
    const type = source.isJsonText ? 'VARCHAR' : readType(typeRead(field, source, how));
    return [[source.key, type] as const];
  });
  return { list: list.join(', '), from: input.typedRelation(types) };
}

function refuseUnknown(schema: Schema, columns: readonly InputColumn[]): void {
  const known = new Set(schema.fields.map((f) => f.name));
  const unknown = columns.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length === 0) return;
  throw new LakeError(
    'column_not_found',
    `the table has no column "${unknown.join('", "')}" (columns: ${[...known].join(', ')})`,
    { details: { option: 'unknown_column', column: unknown[0], known: [...known] } },
  );
}

function column(field: Field, source: InputColumn | undefined, how: How): string {
  const isNull = `required column "${field.name}" (${sqlType(field.type)}) is null`;
  if (source === undefined) {
    if (field.required) throw new LakeError('invalid_argument', `${isNull} in all of the input`);
    return `NULL::${sqlType(field.type)}`;
  }
  const value = read(field, source, how);
  if (!field.required) return value;
  return `CASE WHEN ${quoteName(source.key)} IS NULL THEN ${fault(isNull)} ELSE ${value} END`;
}

/** Columns of JSON with a whole number that may be changed by their floating-point type. */
async function inexactColumns(
  session: WriterSession,
  input: StagedInput,
  schema: Schema,
  sources: ReadonlyMap<string, InputColumn>,
): Promise<ReadonlySet<string>> {
  if (input.format !== 'json') return new Set();
  const how = { input, inexact: new Set<string>() };
  const checks = schema.fields.flatMap((field) => {
    const source = sources.get(field.name);
    if (source === undefined || source.isJsonText) return [];
    const type = typeRead(field, source, how);
    const sql = mayBeChanged(source.key, type);
    return sql === null
      ? []
      : [{ name: field.name, sql, read: [source.key, readType(type)] as const }];
  });
  if (checks.length === 0) return new Set();
  const from = input.typedRelation(checks.map(({ read }) => read));
  const [found] = await session.rows(
    `SELECT ${checks.map(({ sql }) => sql).join(', ')} FROM ${from}`,
  );
  return new Set(checks.filter((_, i) => found[i] === true).map(({ name }) => name));
}

/**
 * How JSON is read: as the table's type, but as texts if a cast of DuckDB might change a value, and
 * bytes that a conversion has escaped too.
 */
function typeRead(
  { name, type }: Field,
  column: InputColumn,
  { input: { reading }, inexact }: Pick<How, 'input' | 'inexact'>,
): Type {
  // the source of a variant may nest deeper than a type can
  if (type.kind === 'variant') return type;
  const isEscaped = reading.kind === 'avro' || reading.kind === 'arrow';
  return mapPairs(type, column.source, (leaf, from) => {
    const isText =
      leaf.kind === 'binary'
        ? isEscaped
        : isPlain(leaf) && isReadAsText(leaf, from, inexact.has(name));
    return isText ? { kind: 'string' } : leaf;
  });
}

/** `source` is undefined for what the input does not have. */
function isReadAsText(target: Type, source: Type | undefined, isInexact: boolean): boolean {
  if (source === undefined) return false;
  if (isFloating(target) && NUMBERS.has(source.kind)) return isInexact;
  return TEXTS.has(source.kind) || (isPlain(source) && !isExactCast(source, target));
}

/** Kinds of columns with texts: a variant has values of several types. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'variant']);

const isPlain = ({ kind }: Type): boolean => NUMBERS.has(kind) || kind === 'boolean';
const NUMBERS: ReadonlySet<string> = new Set(['int', 'long', 'float', 'double', 'decimal']);

function read(field: Field, column: InputColumn, how: How): string {
  const { input, isChecked } = how;
  const { name, type } = field;
  const key = quoteName(column.key);
  if (type.kind === 'variant') return `(${key}::JSON)::VARIANT`;
  const { source } = column;
  const isJson = input.format === 'json';
  if (isJson) refuseUnknownFields(name, source, type);
  const from = isJson ? asRead(typeRead(field, column, how)) : source;
  const isParsed = column.isJsonText && !isPlain(from) && from.kind !== 'string';
  const value = converted(name, isParsed ? `(${key}::JSON)::${sqlType(from)}` : key, from, type, 0);
  return isChecked ? bounded(name, type, value) : value;
}

/** Text beyond the limit is refused before it makes a page unreadable. */
function bounded(name: string, type: Type, value: string): string {
  if (type.kind !== 'string' && type.kind !== 'binary') return value;
  const bytes = type.kind === 'string' ? `strlen(${value})` : `octet_length(${value})`;
  const limit = `more than ${LIMITS.importValueBytes} bytes, the most that an import takes`;
  const message = `column "${name}" has a value of ${limit}`;
  return `CASE WHEN ${bytes} > ${LIMITS.importValueBytes} THEN ${fault(message)} ELSE ${value} END`;
}

const fault = (message: string) => `error(${quoteText(OWN_FAULT + message)})`;

function refuseUnknownFields(path: string, source: Type, target: Type): void {
  if (source.kind === 'list' && target.kind === 'list') {
    refuseUnknownFields(path, source.element, target.element);
  } else if (source.kind === 'map' && target.kind === 'map') {
    refuseUnknownFields(path, source.value, target.value);
  } else if (source.kind === 'struct' && target.kind === 'struct') {
    for (const field of source.fields) {
      const known = target.fields.find(({ name }) => name === field.name);
      if (known === undefined) throw unknownField(path, field.name, target);
      refuseUnknownFields(`${path}.${field.name}`, field.type, known.type);
    }
  }
}

function unknownField(path: string, name: string, target: StructType): LakeError {
  const names = target.fields.map((field) => field.name).join(', ');
  const message = `column "${path}" has no field "${name}" in the table (fields: ${names})`;
  return new LakeError('column_not_found', message);
}

/** SQL for `value`, which has type `source`, as `target`. */
function converted(path: string, value: string, source: Type, target: Type, level: number): string {
  const item = `v${level}`;
  const inner = (name: string, of: string, from: Type, to: Type) =>
    converted(name, of, from, to, level + 1);
  if (source.kind === 'string' && isTimeType(target)) return strict(path, value, target);
  if (isChanged(source, target)) {
    const text = source.kind === 'string' ? value : `${value}::VARCHAR`;
    const what = target.kind === 'boolean' ? 'true or false' : typeName(target);
    const message = `${OWN_FAULT}column "${path}" expects ${what}, not "`;
    return strictText(text, target, sqlType(target), message);
  }
  if (losesNanos(source, target)) return floored(value);
  if (source.kind === 'string' && target.kind === 'list') {
    const sql = sqlType(target);
    return `CASE WHEN json_valid(${value}) THEN (${value}::JSON)::${sql} ELSE ${value}::${sql} END`;
  }
  if (!hasRules(source, target)) return `${value}::${sqlType(target)}`;
  if (source.kind === 'list' && target.kind === 'list') {
    const element = inner(path, item, source.element, target.element);
    return `list_transform(${value}, lambda ${item}: ${element})`;
  }
  if (source.kind === 'map' && target.kind === 'map') {
    return mapConverted(path, value, source, target, item, inner);
  }
  if (source.kind !== 'struct' || target.kind !== 'struct') return `${value}::${sqlType(target)}`;
  const fields = target.fields.map((field) => {
    const from = source.fields.find(({ name }) => name === field.name);
    const name = quoteName(field.name);
    return from === undefined
      ? `${name} := NULL::${sqlType(field.type)}`
      : `${name} := ${inner(`${path}.${field.name}`, `${value}.${name}`, from.type, field.type)}`;
  });
  return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${fields.join(', ')}) END`;
}

function mapConverted(
  path: string,
  value: string,
  source: MapType,
  target: MapType,
  item: string,
  inner: (name: string, of: string, from: Type, to: Type) => string,
): string {
  const entry = inner(path, `${item}."value"`, source.value, target.value);
  const key = `${item}."key"::${sqlType(target.key)}`;
  const pair = `struct_pack("key" := ${key}, "value" := ${entry})`;
  return `map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${pair}))`;
}

/** Whether a cast of DuckDB may change a plain value, or takes other texts than ours. */
const isChanged = (source: Type, target: Type): boolean =>
  isPlain(target) &&
  (source.kind === 'string' || (isPlain(source) && !isExactCast(source, target)));

const losesNanos = (source: Type, target: Type): boolean =>
  source.kind === 'timestamp_ns' && target.kind === 'timestamp';

/** The microsecond at or before an instant: a cast of DuckDB cuts towards 1970. */
function floored(value: string): string {
  const nanos = `epoch_ns(${value})`;
  return `make_timestamp((${nanos} - (((${nanos} % 1000) + 1000) % 1000)) // 1000)`;
}

/** Whether something inside is converted by rules of ours: texts, numbers, and nanoseconds. */
function hasRules(source: Type, target: Type): boolean {
  if (source.kind === 'string' && isTimeType(target)) return true;
  if (isChanged(source, target) || losesNanos(source, target)) return true;
  if (source.kind === 'list' && target.kind === 'list') {
    return hasRules(source.element, target.element);
  }
  if (source.kind === 'map' && target.kind === 'map') {
    return hasRules(source.value, target.value);
  }
  if (source.kind !== 'struct' || target.kind !== 'struct') return false;
  return target.fields.some((field) => {
    const from = source.fields.find(({ name }) => name === field.name);
    return from !== undefined && hasRules(from.type, field.type);
  });
}

const EXPECTED = Object.freeze({
  date: 'a date (YYYY-MM-DD)',
  time: 'a time (hh:mm:ss)',
  timestamp: 'a timestamp without an offset (YYYY-MM-DDThh:mm:ss)',
  timestamp_ns: 'a timestamp of 1677 to 2262 without an offset (YYYY-MM-DDThh:mm:ss)',
  timestamptz: 'a timestamp (YYYY-MM-DDThh:mm:ss with Z or an offset; UTC without)',
});

function strict(path: string, value: string, target: Type & { kind: keyof typeof EXPECTED }) {
  const message = `${OWN_FAULT}column "${path}" expects ${EXPECTED[target.kind]}, not "`;
  return `lhs_${target.kind}(lhs_plain(${value}), ${quoteText(message)})`;
}
