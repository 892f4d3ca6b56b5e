/** Unscaled decimals between bigint, text and two's-complement big-endian bytes. */

/** `unscaled` with `scale` digits after the point, all of them: 1990n, 2 -> "19.90". */
export function formatDecimal(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/**
 * The unscaled value of plain decimal text at `scale`, or null if it is not one or would lose
 * digits.
 */
export function parseDecimal(text: string, scale: number): bigint | null {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!match || (match[2] === '' && (match[3] ?? '') === '')) return null;
  const fraction = match[3] ?? '';
  const shift = scale - fraction.length + Number(match[4] ?? '0');
  if (Math.abs(shift) > 10_000) return null;
  const digits = BigInt(match[2] + fraction || '0');
  const unscaled = shift >= 0 ? digits * 10n ** BigInt(shift) : divideExact(digits, -shift);
  if (unscaled === null) return null;
  return match[1] === '-' ? -unscaled : unscaled;
}

function divideExact(digits: bigint, places: number): bigint | null {
  const divisor = 10n ** BigInt(places);
  return digits % divisor === 0n ? digits / divisor : null;
}

/** A two's-complement big-endian integer of any length; no bytes is 0. */
export function bigintFromBytes(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n;
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(bytes.length * 8, value);
}

/** The shortest two's-complement big-endian form of `value`. */
export function bigintToBytes(value: bigint): Uint8Array {
  let length = 1;
  while (BigInt.asIntN(length * 8, value) !== value) length++;
  return bigintToFixedBytes(value, length);
}

/**
 * `value` in exactly `length` two's-complement big-endian bytes. Throws RangeError if it does
 * not fit.
 */
export function bigintToFixedBytes(value: bigint, length: number): Uint8Array {
  if (BigInt.asIntN(length * 8, value) !== value) {
    throw new RangeError(`${value} does not fit in ${length} bytes`);
  }
  const bytes = new Uint8Array(length);
  let rest = BigInt.asUintN(length * 8, value);
  for (let i = length - 1; i >= 0; i--) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

/**
 * How many bytes a decimal of `precision` digits needs at most (format/spec.md, Parquet and Avro
 * tables).
 */
export function decimalBytes(precision: number): number {
  const largest = 10n ** BigInt(precision) - 1n;
  let length = 1;
  while (BigInt.asIntN(length * 8, largest) !== largest) length++;
  return length;
}
