/**
 * Loops that turn codes into bits of matching documents, one zone of 1,024 documents at a time: by
 * kernels where bits and codes lie in one arena. Each element type has a loop of its own: a loop
 * over several kinds of typed arrays is several times slower.
 */
import { simdFor } from '../bitmap/bit-kernels.ts';
import type { Arena } from '../storage/directory.ts';

const ZONE_WORDS = 32;
type Codes = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** bits |= present. */
export function fillPresent(present: Int32Array, bits: Int32Array): void {
  for (let word = 0; word < present.length; word++) bits[word] |= present[word];
}

/** bits |= present, for one zone: all of its values match. */
export function fillZone(present: Int32Array, zone: number, bits: Int32Array): void {
  const end = Math.min((zone + 1) * ZONE_WORDS, present.length);
  for (let word = zone * ZONE_WORDS; word < end; word++) bits[word] |= present[word];
}

/** What a column's codes lie in. */
export interface CodeSource<T> {
  readonly arena: Arena;
  readonly codes: T;
  /** Where the documents' codes begin (several values a document); null: document d has slot d. */
  readonly starts: Int32Array | null;
  /** null where the codes themselves tell that a value is missing. */
  readonly present: Int32Array | null;
  readonly docs: number;
}

/** Sets the bits of the zone's documents with a code in [lo, hi]. */
export function fillCodes(
  source: CodeSource<Codes>,
  zone: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
  const { codes, starts, present, docs } = source;
  const first = zone * ZONE_WORDS * 32;
  const to = Math.min(first + ZONE_WORDS * 32, docs);
  if (starts !== null) {
    fillMulti(codes, starts, first, to, lo, hi, bits);
    return;
  }
  const from = first + 32 * fillVectors(source, first, (to - first) >> 5, lo, hi, bits);
  if (from === to) return;
  if (codes instanceof Uint8Array) fill8(codes, present, from, to, lo, hi, bits);
  else if (codes instanceof Uint16Array) fill16(codes, present, from, to, lo, hi, bits);
  else fill32(codes, present, from, to, lo, hi, bits);
}

/** Does so for whole words where kernels can; returns for how many. */
function fillVectors(
  { arena, codes, present }: CodeSource<Codes>,
  first: number,
  words: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): number {
  const simd = simdFor(arena, bits);
  if (simd === null || words === 0) return 0;
  const width = codes.BYTES_PER_ELEMENT as 1 | 2 | 4;
  const at = first >> 3;
  const presentAt = present === null ? 0 : present.byteOffset + at;
  const codesAt = codes.byteOffset + first * width;
  simd.between[width](codesAt, presentAt, bits.byteOffset + at, words, lo, hi - lo);
  return words;
}

function fillMulti(
  codes: Codes,
  starts: Int32Array,
  from: number,
  to: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
  for (let doc = from; doc < to; doc++) {
    for (let slot = starts[doc]; slot < starts[doc + 1]; slot++) {
      if (codes[slot] < lo || codes[slot] > hi) continue;
      bits[doc >> 5] |= 1 << (doc & 31);
      break;
    }
  }
}

/** Sets the bits of the documents [from, to) with a code in [lo, hi]; `from` begins a word. */
type Fill<C> = (
  codes: C,
  present: Int32Array | null,
  from: number,
  to: number,
  lo: number,
  hi: number,
  bits: Int32Array,
) => void;

const fill8: Fill<Uint8Array> = (codes, present, from, to, lo, hi, bits) => {
  for (let first = from; first < to; first += 32) {
    const end = Math.min(first + 32, to);
    let word = 0;
    // Outside of [lo, hi] one of the differences is negative: its sign bit, without a branch.
    for (let doc = first; doc < end; doc++) {
      const code = codes[doc];
      word |= ((((code - lo) | (hi - code)) >> 31) + 1) << (doc & 31);
    }
    bits[first >> 5] |= present === null ? word : word & present[first >> 5];
  }
};

const fill16: Fill<Uint16Array> = (codes, present, from, to, lo, hi, bits) => {
  for (let first = from; first < to; first += 32) {
    const end = Math.min(first + 32, to);
    let word = 0;
    for (let doc = first; doc < end; doc++) {
      const code = codes[doc];
      word |= ((((code - lo) | (hi - code)) >> 31) + 1) << (doc & 31);
    }
    bits[first >> 5] |= present === null ? word : word & present[first >> 5];
  }
};

const fill32: Fill<Uint32Array | Int32Array> = (codes, present, from, to, lo, hi, bits) => {
  const span = hi - lo;
  for (let first = from; first < to; first += 32) {
    const end = Math.min(first + 32, to);
    let word = 0;
    for (let doc = first; doc < end; doc++) {
      word |= ((codes[doc] - lo) >>> 0 <= span ? 1 : 0) << (doc & 31);
    }
    bits[first >> 5] |= present === null ? word : word & present[first >> 5];
  }
};

/** As `fillCodes`, for 8-byte signed values, whose presence stands in `present`. */
export function fillWide(
  source: CodeSource<BigInt64Array> & { readonly present: Int32Array },
  zone: number,
  lo: bigint,
  hi: bigint,
  bits: Int32Array,
): void {
  const { arena, codes: values, starts, present, docs } = source;
  let from = zone * ZONE_WORDS * 32;
  const to = Math.min(from + ZONE_WORDS * 32, docs);
  const simd = simdFor(arena, bits);
  if (simd !== null && starts === null && to - from >= 32) {
    const at = from >> 3;
    const [valuesAt, presentAt] = [values.byteOffset + 8 * from, present.byteOffset + at];
    const words = (to - from) >> 5;
    simd.betweenWide(valuesAt, presentAt, bits.byteOffset + at, words, lo, hi);
    from += 32 * words;
  }
  for (let doc = from; doc < to; doc++) {
    const first = starts === null ? doc : starts[doc];
    const end =
      starts === null ? first + ((present[doc >> 5] >>> (doc & 31)) & 1) : starts[doc + 1];
    for (let slot = first; slot < end; slot++) {
      if (values[slot] < lo || values[slot] > hi) continue;
      bits[doc >> 5] |= 1 << (doc & 31);
      break;
    }
  }
}
