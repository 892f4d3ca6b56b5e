import { LakeError, type LakeErrorCode } from '../base/errors.ts';
import { bigintFromBytes } from '../schema/decimal.ts';
import { mappedField, type NameMapping } from '../schema/name-mapping.ts';
import {
  type Field,
  MapValue,
  type StructType,
  type Type,
  type Value,
  type VariantValue,
} from '../schema/type.ts';
import { uuidFromBytes } from '../schema/uuid.ts';
import type { AvroField, AvroType } from './avro-schema.ts';
import type { AvroCursor } from './cursor.ts';

/**
 * Compiles a pair of types (the file's, and the Iceberg type to read it as) into a function from
 * cursor to value. Records resolve by field id: columns that are absent from the file get their
 * initial default, or null; columns that are not requested are skipped; narrower file types are
 * widened (format/spec.md, "Column Projection", Appendix A).
 */
export type Read<T = Value> = (cursor: AvroCursor) => T;

/** What a file needs beside its types. */
export interface AvroReadContext {
  readonly file: string;
  readonly code: LakeErrorCode;
  /** Decodes a VARIANT; without it variant columns are refused. */
  readonly variant?: (metadata: Uint8Array, value: Uint8Array) => VariantValue;
  /** Ids by name, for files that were written without ids. */
  readonly nameMapping?: NameMapping | null;
}

function mismatch(avro: AvroType, type: Type, context: AvroReadContext): never {
  throw new LakeError(
    context.code,
    `avro file "${context.file}": a column of avro type ${avro.kind} cannot be read as ` +
      `${type.kind}`,
    { file: context.file },
  );
}

/** A reader of rows of `struct` from a record type. */
export function compileRows(
  avro: AvroType,
  struct: StructType,
  context: AvroReadContext,
): Read<Record<string, Value>> {
  if (avro.kind !== 'record') return mismatch(avro, struct, context);
  return compileRecord(avro.fields, struct.fields, context, context.nameMapping ?? null);
}

function fileId(field: AvroField, mapping: NameMapping | null): number | null {
  return (
    field.fieldId ?? (mapping === null ? null : (mappedField(mapping, field.name)?.fieldId ?? null))
  );
}

function nested(name: string, mapping: NameMapping | null): NameMapping | null {
  return mapping === null ? null : (mappedField(mapping, name)?.fields ?? []);
}

type Step = (cursor: AvroCursor, row: Record<string, Value>) => void;

function compileRecord(
  avroFields: readonly AvroField[],
  fields: readonly Field[],
  context: AvroReadContext,
  mapping: NameMapping | null,
): Read<Record<string, Value>> {
  const wanted = new Map(fields.map((field) => [field.id, field]));
  const seen = new Set<number>();
  const steps = avroFields.map((column): Step => {
    const id = fileId(column, mapping);
    const field = id === null || seen.has(id) ? undefined : wanted.get(id);
    if (field === undefined) return compileSkip(column.type);
    seen.add(field.id);
    return setter(
      field.name,
      compileValue(column.type, field.type, context, nested(column.name, mapping)),
    );
  });
  for (const field of fields.filter(({ id }) => !seen.has(id))) {
    const value = absentValue(field, context);
    steps.push(setter(field.name, () => value));
  }
  return (cursor) => {
    const row: Record<string, Value> = {};
    for (const step of steps) step(cursor, row);
    return row;
  };
}

function setter(name: string, read: Read): Step {
  if (name !== '__proto__') {
    return (cursor, row) => {
      row[name] = read(cursor);
    };
  }
  return (cursor, row) => {
    const value = read(cursor);
    Object.defineProperty(row, name, { value, enumerable: true, writable: true });
  };
}

function absentValue(field: Field, context: AvroReadContext): Value {
  if (field.initialDefault !== undefined) return field.initialDefault;
  if (!field.required) return null;
  throw new LakeError(
    context.code,
    `avro file "${context.file}" lacks the required field "${field.name}" (id ${field.id})`,
    { file: context.file },
  );
}

function compileValue(
  avro: AvroType,
  type: Type,
  context: AvroReadContext,
  mapping: NameMapping | null,
): Read {
  if (avro.kind === 'union') {
    const branches = avro.branches.map((branch) =>
      branch.kind === 'null' ? () => null : compileValue(branch, type, context, mapping),
    );
    return (cursor) => branchOf(cursor, branches)(cursor);
  }
  if (avro.kind === 'null') return () => null;
  switch (type.kind) {
    case 'struct':
      if (avro.kind !== 'record') return mismatch(avro, type, context);
      return compileRecord(avro.fields, type.fields, context, mapping);
    case 'list': {
      if (avro.kind !== 'array') return mismatch(avro, type, context);
      return compileList(
        compileValue(avro.items, type.element, context, nested('element', mapping)),
      );
    }
    case 'map':
      return compileMap(avro, type, context, mapping);
    case 'variant':
      return compileVariant(avro, type, context);
    default:
      return compilePrimitive(avro, type) ?? mismatch(avro, type, context);
  }
}

function branchOf<T>(cursor: AvroCursor, branches: readonly T[]): T {
  const index = cursor.int();
  return branches[index] ?? cursor.fail(`a union has no branch ${index}`);
}

function compileList(read: Read): Read<readonly Value[]> {
  return (cursor) => {
    const items: Value[] = [];
    for (let count = cursor.blockCount(); count > 0; count = cursor.blockCount()) {
      for (let i = 0; i < count; i++) items.push(read(cursor));
    }
    return items;
  };
}

function compileMap(
  avro: AvroType,
  type: Type & { kind: 'map' },
  context: AvroReadContext,
  mapping: NameMapping | null,
): Read {
  const inKey = nested('key', mapping);
  const inValue = nested('value', mapping);
  if (avro.kind === 'map') {
    const value = compileValue(avro.values, type.value, context, inValue);
    return mapReader((cursor) => cursor.string(), value);
  }
  const pair = avro.kind === 'array' && avro.items.kind === 'record' ? avro.items.fields : [];
  if (pair.length !== 2) return mismatch(avro, type, context);
  return mapReader(
    compileValue(pair[0]!.type, type.key, context, inKey),
    compileValue(pair[1]!.type, type.value, context, inValue),
  );
}

function mapReader(key: Read, value: Read): Read {
  return (cursor) => {
    const entries: [Value, Value][] = [];
    for (let count = cursor.blockCount(); count > 0; count = cursor.blockCount()) {
      for (let i = 0; i < count; i++) entries.push([key(cursor), value(cursor)]);
    }
    return new MapValue(entries);
  };
}

function compileVariant(avro: AvroType, type: Type, context: AvroReadContext): Read {
  const { variant } = context;
  if (avro.kind !== 'record' || avro.fields.length !== 2) return mismatch(avro, type, context);
  if (variant === undefined) {
    throw new LakeError('unsupported', `avro file "${context.file}" holds variants`, {
      file: context.file,
    });
  }
  const names = avro.fields.map((field) => field.name);
  return (cursor) => {
    const parts = [cursor.bytes(), cursor.bytes()];
    return variant(parts[names.indexOf('metadata')]!, parts[names.indexOf('value')]!);
  };
}

function compilePrimitive(avro: AvroType, type: Type): Read | null {
  switch (avro.kind) {
    case 'boolean':
      return type.kind === 'boolean' ? (cursor) => cursor.boolean() : null;
    case 'int':
      return compileInt(avro.logical?.name, type);
    case 'long':
      return compileLong(avro.logical?.name, type);
    case 'float':
      return isFloating(type) ? (cursor) => cursor.float() : null;
    case 'double':
      return type.kind === 'double' ? (cursor) => cursor.double() : null;
    case 'string':
      return type.kind === 'string' || type.kind === 'uuid' ? (cursor) => cursor.string() : null;
    case 'bytes':
      if (type.kind === 'decimal') return (cursor) => bigintFromBytes(cursor.raw(cursor.int()));
      return type.kind === 'binary' || type.kind === 'fixed' ? (cursor) => cursor.bytes() : null;
    case 'fixed':
      return compileFixed(avro.size, type);
    case 'enum': {
      const { symbols } = avro;
      return type.kind === 'string' ? (cursor) => branchOf(cursor, symbols) : null;
    }
    default:
      return null;
  }
}

function isFloating(type: Type): boolean {
  return type.kind === 'float' || type.kind === 'double';
}

function compileInt(logical: string | undefined, type: Type): Read | null {
  switch (type.kind) {
    case 'int':
    case 'date':
      return (cursor) => {
        const value = cursor.int();
        return (value | 0) === value ? value : cursor.fail(`an int is ${value}`);
      };
    case 'long':
      return (cursor) => cursor.long();
    case 'time':
      return logical === 'time-millis' ? (cursor) => cursor.long() * 1000n : null;
    case 'timestamp':
      return (cursor) => cursor.long() * 86_400_000_000n;
    case 'timestamp_ns':
      return (cursor) => cursor.long() * 86_400_000_000_000n;
    default:
      return null;
  }
}

function compileLong(logical: string | undefined, type: Type): Read | null {
  const millis = logical?.endsWith('-millis') === true;
  switch (type.kind) {
    case 'int':
      return (cursor) => {
        const value = cursor.int();
        return (value | 0) === value ? value : cursor.fail(`an int is ${value}`);
      };
    case 'long':
      return (cursor) => cursor.long();
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return millis ? (cursor) => cursor.long() * 1000n : (cursor) => cursor.long();
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return logical === 'timestamp-micros'
        ? (cursor) => cursor.long() * 1000n
        : (cursor) => cursor.long();
    default:
      return null;
  }
}

function compileFixed(size: number, type: Type): Read | null {
  switch (type.kind) {
    case 'uuid':
      return size === 16 ? (cursor) => uuidFromBytes(cursor.raw(16)) : null;
    case 'decimal':
      return (cursor) => bigintFromBytes(cursor.raw(size));
    case 'fixed':
      return size === type.length ? (cursor) => new Uint8Array(cursor.raw(size)) : null;
    case 'binary':
      return (cursor) => new Uint8Array(cursor.raw(size));
    default:
      return null;
  }
}

/** A function that steps over a value of this type. */
function compileSkip(avro: AvroType): (cursor: AvroCursor) => void {
  switch (avro.kind) {
    case 'null':
      return () => {};
    case 'boolean':
      return (cursor) => void cursor.take(1);
    case 'int':
    case 'long':
      return (cursor) => cursor.skipLong();
    case 'enum':
      return (cursor) => void cursor.int();
    case 'float':
      return (cursor) => void cursor.take(4);
    case 'double':
      return (cursor) => void cursor.take(8);
    case 'bytes':
    case 'string':
      return (cursor) => void cursor.take(cursor.int());
    case 'fixed': {
      const { size } = avro;
      return (cursor) => void cursor.take(size);
    }
    case 'record':
      return skipAll(avro.fields.map((field) => compileSkip(field.type)));
    case 'union': {
      const branches = avro.branches.map(compileSkip);
      return (cursor) => branchOf(cursor, branches)(cursor);
    }
    case 'array':
      return skipBlocks([compileSkip(avro.items)]);
    case 'map':
      return skipBlocks([(cursor) => void cursor.take(cursor.int()), compileSkip(avro.values)]);
  }
}

function skipAll(skips: readonly ((cursor: AvroCursor) => void)[]): (cursor: AvroCursor) => void {
  return (cursor) => {
    for (const skip of skips) skip(cursor);
  };
}

function skipBlocks(
  skips: readonly ((cursor: AvroCursor) => void)[],
): (cursor: AvroCursor) => void {
  const skip = skipAll(skips);
  return (cursor) => {
    for (let count = cursor.blockCount(); count > 0; count = cursor.blockCount()) {
      for (let i = 0; i < count; i++) skip(cursor);
    }
  };
}
