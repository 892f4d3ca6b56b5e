import { createHash } from 'node:crypto';
import { civilFromDays, daysFromCivil } from '../schema/civil-time.ts';
import { typeName } from '../schema/schema-json.ts';
import { type Field, MapValue, type StructValue, type Type, type Value } from '../schema/type.ts';

/**
 * The fixed actions of read restrictions (apache/iceberg, open-api/rest-catalog-open-api.yaml,
 * ReadRestrictions): each replaces the values of a column by values of the same type.
 */

/** Replaces a value. */
export type Mask = (value: Value) => Value;

/** The mask of an action for a column; a text says why the action cannot be applied to it. */
export function columnMask(action: string, { name, type, required }: Field): Mask | string {
  if (action === 'sha-256-query-local') {
    return `action "${action}" of column "${name}" gives other values in each query`;
  }
  if (action === 'replace-with-null') {
    return required ? `action "${action}" on the required column "${name}"` : () => null;
  }
  const mask = ACTIONS[action]?.(type) ?? null;
  if (mask !== null) return mask;
  return Object.hasOwn(ACTIONS, action)
    ? `action "${action}" on column "${name}" of type ${typeName(type)}`
    : `the unknown action "${action}" of column "${name}"`;
}

/** The mask of each action for a type; null: it is not for this type. */
const ACTIONS: Readonly<Record<string, (type: Type) => Mask | null>> = Object.freeze({
  'mask-alphanum': (type) => textMask(type, (points) => points.map(maskedPoint)),
  'show-first-4': (type) =>
    textMask(type, (points) => points.map((point, i) => (i < 4 ? point : maskedPoint(point)))),
  'show-last-4': (type) =>
    textMask(type, (points) =>
      points.map((point, i) => (i >= points.length - 4 ? point : maskedPoint(point))),
    ),
  'mask-to-fixed-value': (type) => {
    const fixed = fixedValue(type);
    return fixed === undefined ? null : () => fixed;
  },
  'truncate-to-year': (type) => dayMask(type, ([year]) => daysFromCivil(year, 1, 1)),
  'truncate-to-month': (type) => dayMask(type, ([year, month]) => daysFromCivil(year, month, 1)),
  'sha-256-global': sha256,
});

const unlessNull =
  <T extends Value>(mask: (value: T) => Value): Mask =>
  (value) =>
    value === null ? null : mask(value as T);

function textMask(type: Type, mask: (points: readonly string[]) => readonly string[]) {
  if (type.kind !== 'string') return null;
  return unlessNull((text: string) => mask([...text]).join(''));
}

/** A code point behind a mask: digits become `n`, six signs stay, all others become `x`. */
function maskedPoint(point: string): string {
  if (point >= '0' && point <= '9') return 'n';
  return '(),.-@'.includes(point) ? point : 'x';
}

/** Also for null: whether a value was null is hidden too. */
function fixedValue(type: Type): Value | undefined {
  switch (type.kind) {
    case 'boolean':
      return false;
    case 'int':
    case 'float':
    case 'double':
    case 'date':
      return 0;
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
    case 'decimal':
      return 0n;
    case 'string':
      return 'XXXXXXXX';
    case 'uuid':
      return '00000000-0000-0000-0000-000000000000';
    case 'binary':
      return new Uint8Array(0);
    case 'fixed':
      return new Uint8Array(type.length);
    case 'list':
      return [];
    case 'map':
      return new MapValue([]);
    case 'struct':
      return fixedStruct(type.fields);
    default:
      return undefined;
  }
}

function fixedStruct(fields: readonly Field[]): StructValue | undefined {
  const entries = fields.map(({ name, type }) => [name, fixedValue(type)] as const);
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries) as StructValue;
}

const TICKS_PER_DAY: Readonly<Partial<Record<Type['kind'], bigint>>> = Object.freeze({
  timestamp: 86_400_000_000n,
  timestamptz: 86_400_000_000n,
  timestamp_ns: 86_400_000_000_000n,
  timestamptz_ns: 86_400_000_000_000n,
});

function dayMask(type: Type, mask: (civil: readonly [number, number, number]) => number) {
  if (type.kind === 'date') return unlessNull((days: number) => mask(civilFromDays(days)));
  const perDay = TICKS_PER_DAY[type.kind];
  if (perDay === undefined) return null;
  return unlessNull((ticks: bigint) => {
    const inDay = ((ticks % perDay) + perDay) % perDay;
    return BigInt(mask(civilFromDays(Number((ticks - inDay) / perDay)))) * perDay;
  });
}

/** The digest in the column's type: as hexadecimal text, its first bytes as an integer, or bytes. */
function sha256(type: Type): Mask | null {
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  switch (type.kind) {
    case 'string':
      return unlessNull((text: string) => digest(Buffer.from(text)).toString('hex'));
    case 'int':
      return unlessNull((value: number) => {
        const bytes = Buffer.alloc(4);
        bytes.writeInt32LE(value);
        return digest(bytes).readInt32LE();
      });
    case 'long':
      return unlessNull((value: bigint) => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigInt64LE(value);
        return digest(bytes).readBigInt64LE();
      });
    case 'binary':
      return unlessNull((value: Uint8Array) => new Uint8Array(digest(value)));
    default:
      return null;
  }
}
