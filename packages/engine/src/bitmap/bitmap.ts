/**
 * Bitmaps over the documents of a segment: document d is bit d & 31 of word d >> 5; whole ranges of
 * 256 documents; bits at and beyond the number of documents are 0.
 */

/** Words of a bitmap over `docs` documents. */
export const wordsOf = (docs: number): number => 8 * Math.ceil(docs / 256);

/** Number of set bits of a word. */
export function popcount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Number of set bits. */
export function countBits(bits: Int32Array): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) if (bits[i] !== 0) count += popcount(bits[i]);
  return count;
}

/** Sets the bits of documents 0 .. docs - 1 and clears the rest. */
export function fillAll(bits: Int32Array, docs: number): void {
  const whole = docs >> 5;
  bits.fill(-1, 0, whole);
  bits.fill(0, whole);
  if ((docs & 31) !== 0) bits[whole] = (1 << (docs & 31)) - 1;
}

/** into &= bits. */
export function and(into: Int32Array, bits: Int32Array): void {
  for (let i = 0; i < into.length; i++) into[i] &= bits[i];
}

/** into |= bits. */
export function or(into: Int32Array, bits: Int32Array): void {
  for (let i = 0; i < into.length; i++) into[i] |= bits[i];
}

/** into &= ~bits. */
export function andNot(into: Int32Array, bits: Int32Array): void {
  for (let i = 0; i < into.length; i++) into[i] &= ~bits[i];
}

/** True when the document's bit is set. */
export function hasBit(bits: Int32Array, doc: number): boolean {
  return (bits[doc >> 5] & (1 << (doc & 31))) !== 0;
}

/** Sets the document's bit. */
export function setBit(bits: Int32Array, doc: number): void {
  bits[doc >> 5] |= 1 << (doc & 31);
}

/** Calls `visit` with every document whose bit is set, in order. */
export function forEachBit(bits: Int32Array, visit: (doc: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i]; word !== 0; word &= word - 1) {
      visit((i << 5) + 31 - Math.clz32(word & -word));
    }
  }
}

/** True when some document of [256 range, 256 range + 256) has its bit set. */
export function anyInRange(bits: Int32Array, range: number): boolean {
  const at = range << 3;
  return (
    (bits[at] | bits[at + 1] | bits[at + 2] | bits[at + 3]) !== 0 ||
    (bits[at + 4] | bits[at + 5] | bits[at + 6] | bits[at + 7]) !== 0
  );
}
