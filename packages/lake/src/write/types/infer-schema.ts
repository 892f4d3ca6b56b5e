import { LakeError } from '../../base/errors.ts';
import type { Field, Schema, Type } from '../../schema/type.ts';

/**
 * An Iceberg schema for named types; ids from `firstId` in column order, nested ones after. Format
 * 2 has texts for variants and microseconds for nanoseconds. `key` columns become required
 * identifier fields. Throws column_not_found, and unsupported for zoned nanoseconds in format 3:
 * DuckDB has no type for them.
 */
export function inferSchema(
  columns: readonly { readonly name: string; readonly type: Type }[],
  key: readonly string[],
  formatVersion: 2 | 3,
  firstId = 1,
): Schema {
  let next = firstId + columns.length;
  const fields = columns.map(({ name, type }, i): Field => {
    const numbered = numberedType(type, formatVersion, name, () => next++);
    return { id: firstId + i, name, required: key.includes(name), type: numbered };
  });
  const identifierFieldIds = key.map((name) => {
    const field = fields.find((f) => f.name === name);
    if (field !== undefined) return field.id;
    const known = fields.map((f) => f.name);
    const message = `key column "${name}" is not in the input (${known.join(', ')})`;
    throw new LakeError('column_not_found', message, { details: { option: 'name', name, known } });
  });
  return { schemaId: 0, fields, identifierFieldIds };
}

/** Why a column of zoned timestamps is refused. */
export const ZONED_NANOS =
  'has zoned timestamps with nanoseconds, which cannot be imported exactly; ' +
  'write them with microseconds';

function numberedType(type: Type, version: 2 | 3, column: string, nextId: () => number): Type {
  const inner = (of: Type) => numberedType(of, version, column, nextId);
  switch (type.kind) {
    case 'variant':
      return version === 3 ? type : { kind: 'string' };
    case 'timestamp_ns':
      return version === 3 ? type : { kind: 'timestamp' };
    case 'timestamptz_ns':
      if (version === 3) throw new LakeError('unsupported', `column "${column}" ${ZONED_NANOS}`);
      return { kind: 'timestamptz' };
    case 'struct':
      return {
        ...type,
        fields: type.fields.map((f) => ({ ...f, id: nextId(), type: inner(f.type) })),
      };
    case 'list':
      return { ...type, elementId: nextId(), element: inner(type.element) };
    case 'map':
      return {
        ...type,
        keyId: nextId(),
        key: inner(type.key),
        valueId: nextId(),
        value: inner(type.value),
      };
    default:
      return type;
  }
}
