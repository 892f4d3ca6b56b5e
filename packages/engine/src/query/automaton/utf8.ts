/** Code points lo..hi, both included. */
export type CodePointRange = readonly [lo: number, hi: number];
/** Byte ranges, one for each byte of a sequence. */
export type ByteSequence = readonly (readonly [lo: number, hi: number])[];

export const EVERY_POINT: readonly CodePointRange[] = [[0, 0x10ffff]];

/**
 * Every code point of two bytes and more, with lead bytes that valid UTF-8 has no other use for.
 */
export const EVERY_TAIL: readonly ByteSequence[] = [
  [
    [0xc0, 0xdf],
    [0x80, 0xbf],
  ],
  [
    [0xe0, 0xef],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
  [
    [0xf0, 0xf7],
    [0x80, 0xbf],
    [0x80, 0xbf],
    [0x80, 0xbf],
  ],
];

/**
 * The UTF-8 byte sequences of the code points lo..hi, surrogates left out (Russ Cox, "Regular
 * Expression Matching in the Wild").
 */
export function utf8Sequences(lo: number, hi: number): ByteSequence[] {
  const out: ByteSequence[] = [];
  const work: [number, number][] = [[lo, hi]];
  for (let range = work.pop(); range !== undefined; range = work.pop()) {
    const parts = split(range[0], range[1]);
    if (parts.length === 1) out.push(pair(parts[0][0], parts[0][1]));
    else work.push(...parts.reverse());
  }
  return out;
}

/** One range that is a product of byte ranges, or two or none to go on with. */
function split(lo: number, hi: number): [number, number][] {
  if (lo > hi) return [];
  if (lo <= 0xdfff && hi >= 0xd800) {
    const parts: [number, number][] = [];
    if (lo < 0xd800) parts.push([lo, 0xd7ff]);
    if (hi > 0xdfff) parts.push([0xe000, hi]);
    return parts.length === 1 ? split(parts[0][0], parts[0][1]) : parts;
  }
  for (const most of [0x7f, 0x7ff, 0xffff]) {
    if (lo <= most && hi > most)
      return [
        [lo, most],
        [most + 1, hi],
      ];
  }
  if (hi <= 0x7f) return [[lo, hi]];
  for (let i = 1; i <= 3; i++) {
    const mask = (1 << (6 * i)) - 1;
    if ((lo & ~mask) === (hi & ~mask)) continue;
    if ((lo & mask) !== 0)
      return [
        [lo, lo | mask],
        [(lo | mask) + 1, hi],
      ];
    if ((hi & mask) !== mask)
      return [
        [lo, (hi & ~mask) - 1],
        [hi & ~mask, hi],
      ];
  }
  return [[lo, hi]];
}

function pair(lo: number, hi: number): ByteSequence {
  const low = encode(lo);
  const high = encode(hi);
  return low.map((byte, i) => [byte, high[i]] as const);
}

function encode(point: number): number[] {
  if (point <= 0x7f) return [point];
  if (point <= 0x7ff) return [0xc0 | (point >> 6), 0x80 | (point & 63)];
  const tail = [0x80 | ((point >> 6) & 63), 0x80 | (point & 63)];
  if (point <= 0xffff) return [0xe0 | (point >> 12), ...tail];
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), ...tail];
}
