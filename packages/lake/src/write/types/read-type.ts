import type { Type } from '../../schema/type.ts';
import { sqlType } from './sql-type.ts';
import { isTimeType } from './text-forms.ts';

/** The types inside of a type. */
export function innerTypes(type: Type): readonly Type[] {
  if (type.kind === 'struct') return type.fields.map((field) => field.type);
  if (type.kind === 'list') return [type.element];
  return type.kind === 'map' ? [type.key, type.value] : [];
}

/** The type with other leaves. */
export function mapLeaves(type: Type, leaf: (type: Type) => Type): Type {
  switch (type.kind) {
    case 'struct':
      return { ...type, fields: type.fields.map((f) => ({ ...f, type: mapLeaves(f.type, leaf) })) };
    case 'list':
      return { ...type, element: mapLeaves(type.element, leaf) };
    case 'map':
      return { ...type, value: mapLeaves(type.value, leaf) };
    default:
      return leaf(type);
  }
}

/** How a type is read from text: what DuckDB would convert by its own rules stays text. */
export const asRead = (type: Type): Type =>
  mapLeaves(type, (leaf) => (isTimeType(leaf) || leaf.kind === 'uuid' ? { kind: 'string' } : leaf));

/** The DuckDB type as which JSON is read. */
export function readType(type: Type): string {
  return type.kind === 'variant' ? 'JSON' : sqlType(asRead(type));
}
