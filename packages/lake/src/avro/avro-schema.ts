import type { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';

/**
 * An Avro type with its names resolved (Avro 1.11 specification, "Schema Declaration"), and
 * Iceberg's ids on it.
 */
export type AvroType =
  | {
      readonly kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string';
      readonly logical: AvroLogicalType | null;
    }
  | { readonly kind: 'fixed'; readonly size: number; readonly logical: AvroLogicalType | null }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'record'; readonly fields: readonly AvroField[]; readonly variant: boolean }
  | {
      readonly kind: 'array';
      readonly items: AvroType;
      readonly elementId: number | null;
      /**
       * `logicalType: map`: records of key and value, Iceberg's maps with keys other than strings.
       */
      readonly map: boolean;
    }
  | {
      readonly kind: 'map';
      readonly values: AvroType;
      readonly keyId: number | null;
      readonly valueId: number | null;
    }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] };

/**
 * What a logical type adds to a plain one; `adjustToUtc` is Iceberg's mark of a zoned timestamp.
 */
export interface AvroLogicalType {
  readonly name: string;
  readonly precision: number | null;
  readonly scale: number;
  readonly adjustToUtc: boolean | null;
}

/** A field of a record. */
export interface AvroField {
  /** The name in the table: `iceberg-field-name` if the Avro name had to be changed. */
  readonly name: string;
  readonly fieldId: number | null;
  readonly type: AvroType;
}

const PRIMITIVES: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'bytes',
  'string',
]);

interface Scope {
  readonly named: Map<string, AvroType | null>;
  /** Number of types that a named type represents. */
  readonly sizes: Map<AvroType, number>;
  depth: number;
  /** Types so far, with every name written out. */
  types: number;
}

/** The type that an Avro schema describes. Throws the node's code; recursive types are refused. */
export function parseAvroSchema(node: JsonNode): AvroType {
  return parse(node, { named: new Map(), sizes: new Map(), depth: 0, types: 0 });
}

function parse(node: JsonNode, scope: Scope): AvroType {
  count(node, scope, 1);
  if (typeof node.value === 'string') return named(node, node.value, scope);
  if (++scope.depth > LIMITS.avroSchemaDepth) node.fail('the avro schema is nested too deeply');
  const type = Array.isArray(node.value)
    ? { kind: 'union' as const, branches: node.items().map((branch) => parse(branch, scope)) }
    : complex(node, scope);
  scope.depth--;
  return type;
}

function named(node: JsonNode, name: string, scope: Scope): AvroType {
  if (PRIMITIVES.has(name)) return { kind: name as 'null', logical: null };
  const found = scope.named.get(name);
  if (found === null) node.fail(`avro type "${name}" contains itself`, 'unsupported');
  if (found === undefined) return node.fail(`avro type "${name}" is not defined`);
  count(node, scope, scope.sizes.get(found) ?? 0);
  return found;
}

function count(node: JsonNode, scope: Scope, types: number): void {
  scope.types += types;
  if (scope.types <= LIMITS.avroSchemaTypes) return;
  node.fail(`the avro schema stands for more than ${LIMITS.avroSchemaTypes} types`);
}

function complex(node: JsonNode, scope: Scope): AvroType {
  const inner = node.get('type');
  if (typeof inner.value !== 'string') return parse(inner, scope);
  const kind = inner.string();
  switch (kind) {
    case 'record':
    case 'error':
      return record(node, scope);
    case 'enum':
      return define(node, scope, {
        kind,
        symbols: node
          .get('symbols')
          .items()
          .map((s) => s.string()),
      });
    case 'fixed': {
      const size = node.get('size').int();
      if (size < 0) node.fail(`a fixed type has the size ${size}`);
      return define(node, scope, { kind, size, logical: logicalOf(node) });
    }
    case 'array': {
      const elementId = idOf(node, 'element-id');
      const map = node.get('logicalType').value === 'map';
      return { kind, items: parse(node.get('items'), scope), elementId, map };
    }
    case 'map':
      return {
        kind,
        values: parse(node.get('values'), scope),
        keyId: idOf(node, 'key-id'),
        valueId: idOf(node, 'value-id'),
      };
    default:
      if (!PRIMITIVES.has(kind)) return named(inner, kind, scope);
      return { kind: kind as 'null', logical: logicalOf(node) };
  }
}

function idOf(node: JsonNode, key: string): number | null {
  return node.get(key).optional((n) => n.int());
}

function define(node: JsonNode, scope: Scope, type: AvroType | null): AvroType {
  const name = node.get('name').optional((n) => n.string());
  const space = node.get('namespace').optional((n) => n.string());
  if (name !== null) {
    scope.named.set(name, type);
    if (space !== null) scope.named.set(`${space}.${name}`, type);
  }
  return type as AvroType;
}

function record(node: JsonNode, scope: Scope): AvroType {
  define(node, scope, null);
  const before = scope.types;
  const fields = node
    .get('fields')
    .items()
    .map((field) => ({
      name:
        field.get('iceberg-field-name').optional((n) => n.string()) ?? field.get('name').string(),
      fieldId: idOf(field, 'field-id'),
      type: parse(field.get('type'), scope),
    }));
  const variant = node.get('logicalType').value === 'variant';
  const type = define(node, scope, { kind: 'record', fields, variant });
  scope.sizes.set(type, scope.types - before);
  return type;
}

function logicalOf(node: JsonNode): AvroLogicalType | null {
  const name = node.get('logicalType');
  if (typeof name.value !== 'string') return null;
  return {
    name: name.value,
    precision: node.get('precision').optional((n) => n.int()),
    scale: node.get('scale').optional((n) => n.int()) ?? 0,
    adjustToUtc: node.get('adjust-to-utc').optional((n) => n.boolean()),
  };
}
