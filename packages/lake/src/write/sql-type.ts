import { LakeError } from '../base/errors.ts';
import { quoteName } from '../scan/duckdb/instance.ts';
import type { Field, Schema, Type } from '../schema/type.ts';

/** The DuckDB type that holds values of an Iceberg type. */
export function sqlType(type: Type): string {
  switch (type.kind) {
    case 'struct':
      return `STRUCT(${type.fields.map((f) => `${quoteName(f.name)} ${sqlType(f.type)}`).join(', ')})`;
    case 'list':
      return `${sqlType(type.element)}[]`;
    case 'map':
      return `MAP(${sqlType(type.key)}, ${sqlType(type.value)})`;
    case 'decimal':
      return `DECIMAL(${type.precision}, ${type.scale})`;
    case 'fixed':
      throw unwritable('fixed');
    default:
      return primitive(type.kind);
  }
}

const PRIMITIVES: Readonly<Record<string, string>> = {
  boolean: 'BOOLEAN',
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  timestamp_ns: 'TIMESTAMP_NS',
  string: 'VARCHAR',
  uuid: 'UUID',
  binary: 'BLOB',
  variant: 'VARIANT',
};

function primitive(kind: string): string {
  const name = PRIMITIVES[kind];
  if (name === undefined) throw unwritable(kind);
  return name;
}

function unwritable(kind: string): LakeError {
  return new LakeError('unsupported', `columns of type "${kind}" cannot be written yet`);
}

/**
 * The FIELD_IDS option of DuckDB's COPY: every column and nested field with its Iceberg id;
 * variants have none inside.
 */
export function fieldIdsOption(schema: Schema): string {
  return `{${schema.fields.map(fieldIds).join(', ')}}`;
}

function fieldIds(field: Field): string {
  return `${quoteName(field.name)}: ${idTree(field.id, field.type)}`;
}

function idTree(id: number, type: Type): string {
  const inner = children(type);
  return inner.length === 0 ? String(id) : `{__duckdb_field_id: ${id}, ${inner.join(', ')}}`;
}

function children(type: Type): string[] {
  switch (type.kind) {
    case 'struct':
      return type.fields.map(fieldIds);
    case 'list':
      return [`element: ${idTree(type.elementId, type.element)}`];
    case 'map':
      return [`key: ${idTree(type.keyId, type.key)}`, `value: ${idTree(type.valueId, type.value)}`];
    default:
      return [];
  }
}
