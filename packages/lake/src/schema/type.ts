import type { JsonValue } from '../base/json.ts';

/**
 * The Iceberg type model (format/spec.md, "Schemas and Data Types"; Appendix C for the JSON form).
 * Everything is a frozen plain object with a `kind`.
 */

/** The kinds of types without parameters. */
export const PRIMITIVE_KINDS = Object.freeze([
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'timestamp_ns',
  'timestamptz_ns',
  'string',
  'uuid',
  'binary',
  'unknown',
  'variant',
] as const);
/** The kind of a type without parameters. */
export type PrimitiveKind = (typeof PRIMITIVE_KINDS)[number];

/** A type without parameters. */
export interface PrimitiveType {
  readonly kind: PrimitiveKind;
}
/** A decimal of at most 38 digits. */
export interface DecimalType {
  readonly kind: 'decimal';
  readonly precision: number;
  readonly scale: number;
}
/** Byte strings of one length. */
export interface FixedType {
  readonly kind: 'fixed';
  readonly length: number;
}
/** Named fields, in order. */
export interface StructType {
  readonly kind: 'struct';
  readonly fields: readonly Field[];
}
/** A list; its element has a field id of its own. */
export interface ListType {
  readonly kind: 'list';
  readonly elementId: number;
  readonly elementRequired: boolean;
  readonly element: Type;
}
/** A map; keys and values have field ids of their own. */
export interface MapType {
  readonly kind: 'map';
  readonly keyId: number;
  readonly key: Type;
  readonly valueId: number;
  readonly valueRequired: boolean;
  readonly value: Type;
}
/**
 * A type that is not read, such as geometry or one of a later format: its columns have no values
 * here, and all others are read.
 */
export interface UnsupportedType {
  readonly kind: 'unsupported';
  /** The type as the metadata writes it: a name, or an object. */
  readonly json: JsonValue;
}
/** The type of a column, or of a part of one. */
export type Type =
  | PrimitiveType
  | DecimalType
  | FixedType
  | StructType
  | ListType
  | MapType
  | UnsupportedType;

/** Whether values of a type are read: it is supported, and so is every type inside. */
export function isReadable(type: Type): boolean {
  switch (type.kind) {
    case 'unsupported':
      return false;
    case 'struct':
      return type.fields.every((field) => isReadable(field.type));
    case 'list':
      return isReadable(type.element);
    case 'map':
      return isReadable(type.key) && isReadable(type.value);
    default:
      return true;
  }
}

/** The columns whose values are read. */
export const readableFields = ({ fields }: Schema): readonly Field[] =>
  fields.filter(({ type }) => isReadable(type));

/** A column, or a field of a struct. Defaults are already decoded into `Value`s of `type`. */
export interface Field {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: Type;
  readonly doc?: string;
  readonly initialDefault?: Value;
  readonly writeDefault?: Value;
}

/** The columns of a table under one schema id. */
export interface Schema {
  readonly schemaId: number;
  readonly fields: readonly Field[];
  readonly identifierFieldIds: readonly number[];
}

/**
 * One value in memory, by type: boolean -> boolean; int, float, double -> number; date -> number
 * (days since 1970); long, time (µs), timestamp* (µs, or ns for *_ns), decimal (unscaled) ->
 * bigint; string, uuid -> string; binary, fixed -> Uint8Array; struct -> StructValue by field
 * name; list -> array; map -> array of MapEntry; variant -> VariantValue; SQL NULL -> null.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Value[]
  | MapValue
  | StructValue
  | VariantValue;
/** A struct in memory, by field name. */
export interface StructValue {
  readonly [name: string]: Value;
}
/** A map keeps its entries in file order. */
export class MapValue {
  readonly entries: readonly (readonly [Value, Value])[];
  /** A map of these entries. */
  constructor(entries: readonly (readonly [Value, Value])[]) {
    this.entries = entries;
  }
}
/** A decoded VARIANT: a class of its own so that it is never confused with a struct or a list. */
export class VariantValue {
  readonly node: VariantNode;
  /** The variant of a node. */
  constructor(node: VariantNode) {
    this.node = node;
  }
}
/**
 * Variant nodes keep their physical type (parquet-format VariantEncoding.md, primitive type ids).
 */
export type VariantNode =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'int8' | 'int16' | 'int32'; readonly value: number }
  | { readonly kind: 'int64'; readonly value: bigint }
  | { readonly kind: 'float' | 'double'; readonly value: number }
  | { readonly kind: 'decimal'; readonly unscaled: bigint; readonly scale: number }
  | { readonly kind: 'date'; readonly value: number }
  | { readonly kind: 'time'; readonly value: bigint }
  | {
      readonly kind: 'timestamp' | 'timestamptz' | 'timestamp_ns' | 'timestamptz_ns';
      readonly value: bigint;
    }
  | { readonly kind: 'string' | 'uuid'; readonly value: string }
  | { readonly kind: 'binary'; readonly value: Uint8Array }
  | { readonly kind: 'array'; readonly elements: readonly VariantNode[] }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, VariantNode> };
