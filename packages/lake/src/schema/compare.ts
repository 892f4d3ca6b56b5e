import { MapValue, type StructValue, type Value, VariantValue } from './type.ts';

/**
 * Order of two values of one type, negative, zero or positive: null first; numbers by value with
 * -0 = 0 and NaN last; strings and bytes by unsigned byte of their UTF-8; false before true; lists
 * element by element. Structs, maps and variants have no order in Iceberg; here they compare
 * member by member so that equality is defined.
 */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  switch (typeof a) {
    case 'number':
      return compareNumbers(a, b as number);
    case 'bigint':
      return a < (b as bigint) ? -1 : a > (b as bigint) ? 1 : 0;
    case 'boolean':
      return Number(a) - Number(b);
    case 'string':
      return compareText(a, b as string);
    default:
      return compareObjects(a, b);
  }
}

/** Whether two values of one type are equal; null equals null, NaN equals NaN, -0 equals 0. */
export function equalValues(a: Value, b: Value): boolean {
  return a === b || compareValues(a, b) === 0;
}

function compareNumbers(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Code point order, which is the order of UTF-8 bytes (and not that of UTF-16 units). */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [high, low] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff];
    return high === low ? x - y : high ? 1 : -1;
  }
  return a.length - b.length;
}

function compareObjects(a: Exclude<Value, null>, b: Exclude<Value, null>): number {
  if (a instanceof Uint8Array) return Buffer.compare(a, b as Uint8Array);
  if (Array.isArray(a)) return compareLists(a, b as readonly Value[]);
  if (a instanceof MapValue) return compareLists(a.entries.flat(), (b as MapValue).entries.flat());
  if (a instanceof VariantValue) return compareText(fingerprint(a), fingerprint(b as VariantValue));
  const [x, y] = [a as StructValue, b as StructValue];
  const names = [...new Set([...Object.keys(x), ...Object.keys(y)])];
  return compareLists(
    names.map((name) => x[name] ?? null),
    names.map((name) => y[name] ?? null),
  );
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function fingerprint(variant: VariantValue): string {
  return JSON.stringify(variant.node, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value === 'number' && !Number.isFinite(value)) return `f${value}`;
    if (value instanceof Map) {
      return [...value].sort((p, q) => compareText(String(p[0]), String(q[0])));
    }
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  });
}
