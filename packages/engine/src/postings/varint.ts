/**
 * Numbers of 7 bits per byte, the low ones first; all bytes but the last have their high bit set.
 */

/** The number at a byte address. */
export function readVarint(u8: Uint8Array, at: number): number {
  let value = u8[at];
  if (value < 128) return value;
  value &= 127;
  for (let shift = 7, next = at + 1; shift < 35; shift += 7, next++) {
    value |= (u8[next] & 127) << shift;
    if (u8[next] < 128) break;
  }
  return value >>> 0;
}

/** Bytes that a number takes. */
export const varintBytes = (value: number): number =>
  value < 128 ? 1 : value < 16_384 ? 2 : value < 2_097_152 ? 3 : value < 268_435_456 ? 4 : 5;
