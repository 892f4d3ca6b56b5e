import { LakeError } from '../../../packages/lake/src/base/errors.ts';
import { canPromote } from '../../../packages/lake/src/schema/promotion.ts';
import type { Field, Schema, Type } from '../../../packages/lake/src/schema/type.ts';

/** One change of a table's columns (top level). */
export type SchemaChange =
  | { readonly kind: 'add'; readonly name: string; readonly type: Type; readonly doc?: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'drop'; readonly name: string }
  | { readonly kind: 'widen'; readonly name: string; readonly type: Type };

/**
 * The schema after a change. New columns are optional and take the next id; ids are never used
 * again. Identifier columns cannot be dropped. Throws column_not_found or invalid_argument.
 */
export function changeSchema(schema: Schema, change: SchemaChange, lastColumnId: number): Schema {
  switch (change.kind) {
    case 'add':
      return addColumn(schema, change, lastColumnId);
    case 'rename':
      refuseTaken(schema, change.to);
      return replaceField(schema, change.from, (f) => ({ ...f, name: change.to }));
    case 'drop':
      return dropColumn(schema, change.name);
    case 'widen':
      return replaceField(schema, change.name, (f) => widened(f, change.type));
  }
}

function addColumn(
  schema: Schema,
  change: Extract<SchemaChange, { kind: 'add' }>,
  lastColumnId: number,
): Schema {
  refuseTaken(schema, change.name);
  let next = lastColumnId + 1;
  const id = next++;
  const type = renumber(change.type, () => next++);
  const field: Field = { id, name: change.name, required: false, type, doc: change.doc };
  return { ...schema, fields: [...schema.fields, field] };
}

/** Nested fields of a new column take fresh ids. */
function renumber(type: Type, nextId: () => number): Type {
  switch (type.kind) {
    case 'struct':
      return {
        kind: 'struct',
        fields: type.fields.map((f) => ({ ...f, id: nextId(), type: renumber(f.type, nextId) })),
      };
    case 'list':
      return { ...type, elementId: nextId(), element: renumber(type.element, nextId) };
    case 'map':
      return {
        ...type,
        keyId: nextId(),
        valueId: nextId(),
        key: renumber(type.key, nextId),
        value: renumber(type.value, nextId),
      };
    default:
      return type;
  }
}

function dropColumn(schema: Schema, name: string): Schema {
  const field = fieldNamed(schema, name);
  if (schema.identifierFieldIds.includes(field.id)) {
    throw new LakeError(
      'invalid_argument',
      `column "${name}" is part of the key and cannot be dropped`,
    );
  }
  return { ...schema, fields: schema.fields.filter((f) => f !== field) };
}

function widened(field: Field, type: Type): Field {
  if (canPromote(field.type, type)) return { ...field, type };
  throw new LakeError(
    'invalid_argument',
    `column "${field.name}" cannot become ${type.kind}: ${field.type.kind} does not widen to it`,
  );
}

function replaceField(schema: Schema, name: string, change: (field: Field) => Field): Schema {
  const field = fieldNamed(schema, name);
  return { ...schema, fields: schema.fields.map((f) => (f === field ? change(f) : f)) };
}

function fieldNamed(schema: Schema, name: string): Field {
  const field = schema.fields.find((f) => f.name === name);
  if (field !== undefined) return field;
  const names = schema.fields.map((f) => f.name).join(', ');
  throw new LakeError('column_not_found', `there is no column "${name}" (columns: ${names})`);
}

function refuseTaken(schema: Schema, name: string): void {
  if (schema.fields.some((f) => f.name.toLowerCase() === name.toLowerCase())) {
    throw new LakeError('invalid_argument', `there is a column "${name}" already`);
  }
}
