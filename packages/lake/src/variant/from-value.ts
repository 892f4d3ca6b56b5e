import {
  type MapValue,
  type StructValue,
  type Type,
  type Value,
  type VariantNode,
  VariantValue,
} from '../schema/type.ts';

/**
 * The value of a column as a VARIANT would hold it: structs and maps are objects, lists are arrays,
 * all others leaves of their own kind. Members that are null are left out, as a struct cannot tell
 * null from absent; null for null. The keys of a map are written as text.
 */
export function nodeOfValue(type: Type, value: Value): VariantNode | null {
  if (value === null || value === undefined) return null;
  switch (type.kind) {
    case 'struct': {
      const struct = value as StructValue;
      return objectOf(
        type.fields.map((f) => [f.name, nodeOfValue(f.type, struct[f.name] ?? null)]),
      );
    }
    case 'map':
      return objectOf(
        (value as MapValue).entries.map(([key, own]) => [
          String(key),
          nodeOfValue(type.value, own),
        ]),
      );
    case 'list': {
      const elements = (value as readonly Value[]).map((own) => nodeOfValue(type.element, own));
      return { kind: 'array', elements: elements.filter((node) => node !== null) };
    }
    case 'variant':
      return value instanceof VariantValue ? value.node : null;
    default:
      return leafOf(type, value);
  }
}

function objectOf(members: readonly (readonly [string, VariantNode | null])[]): VariantNode {
  const present = members.filter((member): member is [string, VariantNode] => member[1] !== null);
  return { kind: 'object', fields: new Map(present) };
}

/** A leaf of the kind of its column. */
function leafOf(type: Type, value: Value): VariantNode | null {
  switch (type.kind) {
    case 'int':
      return { kind: 'int32', value: value as number };
    case 'long':
      return { kind: 'int64', value: value as bigint };
    case 'decimal':
      return { kind: 'decimal', unscaled: value as bigint, scale: type.scale };
    case 'binary':
    case 'fixed':
      return { kind: 'binary', value: value as Uint8Array };
    case 'unknown':
      return null;
    default:
      return { kind: type.kind, value } as VariantNode;
  }
}
