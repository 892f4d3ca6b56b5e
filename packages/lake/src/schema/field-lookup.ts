import type { Field, Schema, Type } from './type.ts';

/**
 * A field with the path of names that leads to it from the top of its schema (list elements, keys,
 * values included).
 */
export interface FieldPath {
  readonly field: Field;
  readonly path: readonly string[];
}

/**
 * Every field of a schema by id; elements, keys and values of lists and maps count as fields of
 * their own.
 */
export function fieldsById(schema: Schema): ReadonlyMap<number, FieldPath> {
  const found = new Map<number, FieldPath>();
  const visit = (field: Field, path: readonly string[]): void => {
    const here = [...path, field.name];
    found.set(field.id, { field, path: here });
    for (const child of childFields(field.type)) visit(child, here);
  };
  for (const field of schema.fields) visit(field, []);
  return found;
}

/**
 * The fields directly inside a type: a struct's own, `element` of a list, `key` and `value` of a
 * map.
 */
export function childFields(type: Type): readonly Field[] {
  switch (type.kind) {
    case 'struct':
      return type.fields;
    case 'list':
      return [
        { id: type.elementId, name: 'element', required: type.elementRequired, type: type.element },
      ];
    case 'map':
      return [
        { id: type.keyId, name: 'key', required: true, type: type.key },
        { id: type.valueId, name: 'value', required: type.valueRequired, type: type.value },
      ];
    default:
      return [];
  }
}

/** The highest field id in a schema; 0 if it has no field. */
export function highestFieldId(schema: Schema): number {
  return Math.max(0, ...fieldsById(schema).keys());
}
