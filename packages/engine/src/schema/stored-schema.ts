import { LhsError } from '@lakehouse-search/contract';
import type { Field, ListType, MapType, Schema, Type } from '@lakehouse-search/lake';
import { PRIMITIVE_KINDS } from '@lakehouse-search/lake/internal';

/**
 * The schema that a checkpoint keeps (Iceberg's JSON form, Appendix C), as far as a mapping needs
 * it: column ids, names and types, without defaults. So an index opens without its table. Throws
 * corrupt_index.
 */
export function readStoredSchema(json: unknown): Schema {
  const root = json as {
    fields?: unknown;
    'schema-id'?: unknown;
    'identifier-field-ids'?: unknown;
  };
  const fields = root?.fields;
  if (!Array.isArray(fields)) throw unreadable('it has no fields');
  const identifiers = root['identifier-field-ids'];
  return {
    schemaId: Number(root['schema-id'] ?? 0),
    fields: fields.map(readField),
    identifierFieldIds: Array.isArray(identifiers) ? identifiers.map(Number) : [],
  };
}

function readField(json: unknown): Field {
  const { id, name, required, type } = json as Record<string, unknown>;
  if (typeof id !== 'number' || typeof name !== 'string') throw unreadable('a field has no name');
  return { id, name, required: required === true, type: readType(type) };
}

function readType(json: unknown): Type {
  if (typeof json === 'string') return readPrimitive(json);
  const { type, ...rest } = (json ?? {}) as Record<string, unknown>;
  if (type === 'struct' && Array.isArray(rest.fields)) {
    return { kind: 'struct', fields: rest.fields.map(readField) };
  }
  if (type === 'list') return readList(rest);
  if (type === 'map') return readMap(rest);
  throw unreadable(`type ${JSON.stringify(json)} is not known`);
}

function readPrimitive(name: string): Type {
  const kind = PRIMITIVE_KINDS.find((primitive) => primitive === name);
  if (kind !== undefined) return { kind };
  const decimal = /^decimal\((\d+), ?(\d+)\)$/.exec(name);
  if (decimal) return { kind: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
  const fixed = /^fixed\[(\d+)\]$/.exec(name);
  if (fixed) return { kind: 'fixed', length: Number(fixed[1]) };
  throw unreadable(`type "${name}" is not known`);
}

function readList(list: Record<string, unknown>): ListType {
  return {
    kind: 'list',
    elementId: Number(list['element-id']),
    elementRequired: list['element-required'] === true,
    element: readType(list.element),
  };
}

function readMap(map: Record<string, unknown>): MapType {
  return {
    kind: 'map',
    keyId: Number(map['key-id']),
    key: readType(map.key),
    valueId: Number(map['value-id']),
    valueRequired: map['value-required'] === true,
    value: readType(map.value),
  };
}

function unreadable(why: string): LhsError {
  return new LhsError(
    'corrupt_index',
    `the schema in the index's checkpoint is unreadable: ${why}`,
    {
      hint: 'build the index again from its table',
      next: [{ step: 'reindex' }],
    },
  );
}
