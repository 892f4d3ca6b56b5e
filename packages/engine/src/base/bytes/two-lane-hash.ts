/**
 * 64-bit hashes in two lanes of 32 bits (low, then high word), as row hashes and content digests
 * use them; part of the disk format. A lane starts at a seed, mixes in words of 32 bits, and is
 * finished. `mixLow` and `finishLane` are the round and the finalizer of MurmurHash3_x86_32 (Austin
 * Appleby, public domain); `mixHigh` multiplies by its second pair of constants. Good at telling
 * accidents apart; no defence against chosen values.
 */

/** One word into the low lane. */
export function mixLow(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

/** One word into the high lane. */
export function mixHigh(hash: number, word: number): number {
  let k = Math.imul(word, 0x239b961b);
  k = Math.imul((k << 16) | (k >>> 16), 0xab0e9789);
  const h = hash ^ k;
  return (Math.imul((h << 17) | (h >>> 15), 5) + 0x561ccd1b) | 0;
}

/** The last step of either lane. */
export function finishLane(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Bytes as `mixBytes` reads them. */
export const bytesView = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Mixes the words of bytes[from .. to), little-endian, the last one padded with zeros, into both
 * lanes: `lanes[at]` is the low one, `lanes[at + 1]` the high one.
 */
export function mixBytes(
  lanes: Int32Array,
  at: number,
  bytes: DataView,
  from: number,
  to: number,
): void {
  let low = lanes[at];
  let high = lanes[at + 1];
  const whole = to - ((to - from) & 3);
  for (let i = from; i < whole; i += 4) {
    const word = bytes.getInt32(i, true);
    low = mixLow(low, word);
    high = mixHigh(high, word);
  }
  if (whole < to) {
    let word = 0;
    for (let i = to - 1; i >= whole; i--) word = (word << 8) | bytes.getUint8(i);
    low = mixLow(low, word);
    high = mixHigh(high, word);
  }
  lanes[at] = low;
  lanes[at + 1] = high;
}
