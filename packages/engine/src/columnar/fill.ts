/**
 * Loops that turn codes into bits of matching documents, one zone of 1,024 documents at a time.
 * Each element type has a loop of its own: a loop over several kinds of typed arrays is several
 * times slower.
 */

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

/**
 * Sets the bits of the zone's documents with a code in [lo, hi]. `starts`: where the documents'
 * codes begin (several values a document), or null when document d has slot d. `present`: null
 * where the codes themselves tell that a value is missing.
 */
export function fillCodes(
  codes: Codes,
  starts: Int32Array | null,
  present: Int32Array | null,
  zone: number,
  docs: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
  const from = zone * ZONE_WORDS * 32;
  const to = Math.min(from + ZONE_WORDS * 32, docs);
  if (starts !== null) fillMulti(codes, starts, from, to, lo, hi, bits);
  else if (codes instanceof Uint8Array) fill8(codes, present, from, to, lo, hi, bits);
  else if (codes instanceof Uint16Array) fill16(codes, present, from, to, lo, hi, bits);
  else fill32(codes, present, from, to, lo, hi, bits);
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

function fill8(
  codes: Uint8Array,
  present: Int32Array | null,
  from: number,
  to: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
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
}

function fill16(
  codes: Uint16Array,
  present: Int32Array | null,
  from: number,
  to: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
  for (let first = from; first < to; first += 32) {
    const end = Math.min(first + 32, to);
    let word = 0;
    for (let doc = first; doc < end; doc++) {
      const code = codes[doc];
      word |= ((((code - lo) | (hi - code)) >> 31) + 1) << (doc & 31);
    }
    bits[first >> 5] |= present === null ? word : word & present[first >> 5];
  }
}

function fill32(
  codes: Uint32Array | Int32Array,
  present: Int32Array | null,
  from: number,
  to: number,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
  const span = hi - lo;
  for (let first = from; first < to; first += 32) {
    const end = Math.min(first + 32, to);
    let word = 0;
    for (let doc = first; doc < end; doc++) {
      word |= ((codes[doc] - lo) >>> 0 <= span ? 1 : 0) << (doc & 31);
    }
    bits[first >> 5] |= present === null ? word : word & present[first >> 5];
  }
}

/** As `fillCodes`, for 8-byte signed values. */
export function fillWide(
  values: BigInt64Array,
  starts: Int32Array | null,
  present: Int32Array,
  zone: number,
  docs: number,
  lo: bigint,
  hi: bigint,
  bits: Int32Array,
): void {
  const from = zone * ZONE_WORDS * 32;
  const to = Math.min(from + ZONE_WORDS * 32, docs);
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
