/** Sums of codes by zones of 1,024 documents; a loop for each element type. */
import type { NumericColumn } from '../columnar/numeric-column.ts';

type Told = (count: number, sum: number, min: number, max: number) => void;

const ZONE_WORDS = 32;

/** Tells count, sum and bounds of matching codes, at most 1,024 at once. One value a document. */
export function sumCodes(
  column: NumericColumn,
  codes: Uint8Array | Uint16Array | Uint32Array,
  matches: Int32Array,
  tell: Told,
): void {
  const { present, zones } = column;
  for (let zone = 0; zone < zones; zone++) {
    const from = zone * ZONE_WORDS;
    const to = Math.min(from + ZONE_WORDS, matches.length);
    if (to - from === ZONE_WORDS && allSet(matches, present, from)) {
      const { lo, hi } = column.zoneCodes(zone)!;
      tell(1024, zoneSum(codes, from << 5), lo, hi);
    } else {
      partly(codes, matches, present, from, to, tell);
    }
  }
}

function allSet(matches: Int32Array, present: Int32Array, from: number): boolean {
  let all = -1;
  for (let i = from; i < from + ZONE_WORDS; i++) all &= matches[i] & present[i];
  return all === -1;
}

function zoneSum(codes: Uint8Array | Uint16Array | Uint32Array, from: number): number {
  if (codes instanceof Uint8Array) return sum8(codes, from);
  return codes instanceof Uint16Array ? sum16(codes, from) : sum32(codes, from);
}

// 1,024 codes of 16 bits stay below 2^26: sums of small integers.
function sum8(codes: Uint8Array, from: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = from; i < from + 1024; i += 4) {
    a = (a + codes[i]) | 0;
    b = (b + codes[i + 1]) | 0;
    c = (c + codes[i + 2]) | 0;
    d = (d + codes[i + 3]) | 0;
  }
  return a + b + c + d;
}

function sum16(codes: Uint16Array, from: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = from; i < from + 1024; i += 4) {
    a = (a + codes[i]) | 0;
    b = (b + codes[i + 1]) | 0;
    c = (c + codes[i + 2]) | 0;
    d = (d + codes[i + 3]) | 0;
  }
  return a + b + c + d;
}

function sum32(codes: Uint32Array, from: number): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = from; i < from + 1024; i += 4) {
    a += codes[i];
    b += codes[i + 1];
    c += codes[i + 2];
    d += codes[i + 3];
  }
  return a + b + c + d;
}

function partly(
  codes: Uint8Array | Uint16Array | Uint32Array,
  matches: Int32Array,
  present: Int32Array,
  from: number,
  to: number,
  tell: Told,
): void {
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, -1];
  for (let i = from; i < to; i++) {
    for (let word = matches[i] & present[i]; word !== 0; word &= word - 1) {
      const code = codes[(i << 5) + 31 - Math.clz32(word & -word)];
      count++;
      sum += code;
      if (code < min) min = code;
      if (code > max) max = code;
    }
  }
  if (count > 0) tell(count, sum, min, max);
}
