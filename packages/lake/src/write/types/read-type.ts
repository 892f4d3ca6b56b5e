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
export const mapLeaves = (type: Type, leaf: (type: Type) => Type): Type =>
  mapPairs(type, undefined, leaf);

/** The type with other leaves, each made of a leaf and of its counterpart in another type. */
export function mapPairs(
  type: Type,
  other: Type | undefined,
  leaf: (type: Type, other: Type | undefined) => Type,
): Type {
  const inner = (of: Type, counterpart: Type | undefined) => mapPairs(of, counterpart, leaf);
  switch (type.kind) {
    case 'struct': {
      const fields = other?.kind === 'struct' ? other.fields : [];
      const inOther = (name: string) => fields.find((field) => field.name === name)?.type;
      return {
        ...type,
        fields: type.fields.map((f) => ({ ...f, type: inner(f.type, inOther(f.name)) })),
      };
    }
    case 'list':
      return {
        ...type,
        element: inner(type.element, other?.kind === 'list' ? other.element : undefined),
      };
    case 'map':
      return { ...type, value: inner(type.value, other?.kind === 'map' ? other.value : undefined) };
    default:
      return leaf(type, other);
  }
}

/** How a type is read from text: what DuckDB would convert by its own rules stays text. */
export const asRead = (type: Type): Type =>
  mapLeaves(type, (leaf) => (isTimeType(leaf) || leaf.kind === 'uuid' ? { kind: 'string' } : leaf));

/** The DuckDB type as which JSON is read. */
export function readType(type: Type): string {
  return type.kind === 'variant' ? 'JSON' : sqlType(asRead(type));
}
