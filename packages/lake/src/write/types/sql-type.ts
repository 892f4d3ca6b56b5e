import { LakeError } from '../../base/errors.ts';
import { quoteName } from '../../scan/duckdb/quoting.ts';
import { duckType } from '../../scan/duckdb/sql-types.ts';
import type { Field, Schema, Type } from '../../schema/type.ts';

/** The DuckDB type that holds values of an Iceberg type. Throws unsupported if there is none. */
export function sqlType(type: Type): string {
  const name = type.kind === 'variant' ? 'VARIANT' : duckType(type);
  if (name !== null && type.kind !== 'fixed') return name;
  throw new LakeError('unsupported', `columns of type "${type.kind}" cannot be written yet`);
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
