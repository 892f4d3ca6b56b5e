/**
 * Loops that turn codes into bits of matching documents, some zones of 1,024 documents at a time:
 * by the kernels of the arena that the codes lie in, wherever the bits are.
 */
import { bitKernelsOf } from '../bitmap/bit-kernels.ts';
import { hasBit, setBit } from '../bitmap/bitmap.ts';
import { onceAnArena } from '../storage/arena-code.ts';
import type { Arena } from '../storage/directory.ts';

const ZONE_WORDS = 32;
type Codes = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** bits |= present. */
export function fillPresent(present: Int32Array, bits: Int32Array): void {
  for (let word = 0; word < present.length; word++) bits[word] |= present[word];
}

/** Neighbouring zones: from .. end - 1. */
export interface Zones {
  readonly from: number;
  readonly end: number;
}

/** bits |= present, for zones all of whose values match. */
export function fillZones(present: Int32Array, zones: Zones, bits: Int32Array): void {
  const end = Math.min(zones.end * ZONE_WORDS, present.length);
  for (let word = zones.from * ZONE_WORDS; word < end; word++) bits[word] |= present[word];
}

/** What is known of a zone by its bounds. */
export type ZoneTruth = 'none' | 'some' | 'all';

/** Calls `visit` with the longest runs of zones that are not `none`. */
export function eachRun(
  zones: number,
  truthOf: (zone: number) => ZoneTruth,
  visit: (run: Zones, truth: ZoneTruth) => void,
): void {
  for (let from = 0; from < zones; ) {
    const truth = truthOf(from);
    let end = from + 1;
    while (end < zones && truthOf(end) === truth) end++;
    if (truth !== 'none') visit({ from, end }, truth);
    from = end;
  }
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

/** Sets the bits of the zones' documents with a code in [lo, hi]. */
export function fillCodes(
  source: CodeSource<Codes>,
  zones: Zones,
  lo: number,
  hi: number,
  bits: Int32Array,
): void {
  const { arena, codes, starts, present, docs } = source;
  const first = zones.from * ZONE_WORDS;
  const to = Math.min(zones.end * ZONE_WORDS * 32, docs);
  const width = codes.BYTES_PER_ELEMENT as 1 | 2 | 4;
  const between = bitKernelsOf(arena).simd.between[width];
  const words = starts === null ? (to >> 5) - first : 0;
  eachRoom(arena, bits, first, words, (into, word, count) => {
    const presentAt = present === null ? 0 : present.byteOffset + 4 * word;
    between(codes.byteOffset + 32 * width * word, presentAt, into, count, lo, hi - lo);
  });
  testSlots(
    source,
    32 * (first + words),
    to,
    (slot) => codes[slot] >= lo && codes[slot] <= hi,
    bits,
  );
}

/** As `fillCodes`, for 8-byte signed values. */
export function fillWide(
  source: CodeSource<BigInt64Array> & { readonly present: Int32Array },
  zones: Zones,
  lo: bigint,
  hi: bigint,
  bits: Int32Array,
): void {
  const { arena, codes: values, starts, present, docs } = source;
  const first = zones.from * ZONE_WORDS;
  const to = Math.min(zones.end * ZONE_WORDS * 32, docs);
  const { betweenWide } = bitKernelsOf(arena).simd;
  const words = starts === null ? (to >> 5) - first : 0;
  eachRoom(arena, bits, first, words, (into, word, count) => {
    const presentAt = present.byteOffset + 4 * word;
    betweenWide(values.byteOffset + 256 * word, presentAt, into, count, lo, hi);
  });
  const fits = (slot: number) => values[slot] >= lo && values[slot] <= hi;
  testSlots(source, 32 * (first + words), to, fits, bits);
}

/** Words that a kernel sets at a time where the bits lie outside of its arena. */
const ROOM_WORDS = 1024;
const roomOf = onceAnArena((arena) => {
  const { offset } = arena.allocate(4 * ROOM_WORDS);
  return new Int32Array(arena.memory.buffer, offset, ROOM_WORDS);
});

/**
 * Calls `run` with the address where a kernel sets the bits of words from `word` on: that of
 * `bits`, or of a room in the arena, whose bits are added.
 */
function eachRoom(
  arena: Arena,
  bits: Int32Array,
  from: number,
  words: number,
  run: (into: number, word: number, count: number) => void,
): void {
  if (words <= 0) return;
  if (bits.buffer === arena.memory.buffer) {
    run(bits.byteOffset + 4 * from, from, words);
    return;
  }
  const room = roomOf(arena);
  for (let word = from; word < from + words; word += ROOM_WORDS) {
    const count = Math.min(ROOM_WORDS, from + words - word);
    room.fill(0, 0, count);
    run(room.byteOffset, word, count);
    for (let i = 0; i < count; i++) bits[word + i] |= room[i];
  }
}

/** Sets the bits of documents [from, to) with a slot that fits. */
function testSlots(
  { starts, present }: Pick<CodeSource<unknown>, 'starts' | 'present'>,
  from: number,
  to: number,
  fits: (slot: number) => boolean,
  bits: Int32Array,
): void {
  for (let doc = from; doc < to; doc++) {
    if (present !== null && !hasBit(present, doc)) continue;
    const end = starts === null ? doc + 1 : starts[doc + 1];
    let slot = starts === null ? doc : starts[doc];
    while (slot < end && !fits(slot)) slot++;
    if (slot < end) setBit(bits, doc);
  }
}
