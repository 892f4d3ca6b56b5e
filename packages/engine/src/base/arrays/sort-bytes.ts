/**
 * Sorting of byte strings by number: most significant digits first, three bytes a pass. A pass
 * packs (three bytes, place) into one double and lets Float64Array.sort do the work; groups that
 * stay equal go on three bytes later, past whatever all of them share.
 */
import { compareBytes } from '../bytes/byte-order.ts';
import { runSteps, type Steps } from '../steps.ts';

/** A byte that has ended counts 0, byte b counts b + 1. */
const BASE = 257;
const PLACES = 2 ** 26;
const SMALL = 24;
/** So many strings are sorted by three bytes in one step, or as many as one group has. */
const STEP = 65_536;

/**
 * Sorts `ids` in place by the strings bytes[offsets[id] .. offsets[id + 1]), as unsigned bytes;
 * equal strings keep their order. At most 2^26 ids.
 */
export function sortByteStrings(ids: Int32Array, bytes: Uint8Array, offsets: Int32Array): void {
  runSteps(sortingByteStrings(ids, bytes, offsets));
}

/** As `sortByteStrings`, in steps. */
export function* sortingByteStrings(
  ids: Int32Array,
  bytes: Uint8Array,
  offsets: Int32Array,
): Steps<void> {
  const packed = new Float64Array(ids.length);
  const copy = new Int32Array(ids.length);
  const groups: number[] = [0, ids.length, 0];
  let sorted = 0;
  while (groups.length > 0) {
    const depth = groups.pop()!;
    const to = groups.pop()!;
    const from = groups.pop()!;
    sorted += to - from;
    if (sorted >= STEP) {
      yield 0;
      sorted = 0;
    }
    if (to - from <= SMALL) {
      insertionSort(ids, from, to, depth, bytes, offsets);
      continue;
    }
    const at = depth + sharedPrefix(ids, from, to, depth, bytes, offsets);
    sortGroup(ids, from, to, at, bytes, offsets, packed, copy);
    pushTies(groups, packed, from, to, at);
  }
}

function insertionSort(
  ids: Int32Array,
  from: number,
  to: number,
  depth: number,
  bytes: Uint8Array,
  offsets: Int32Array,
): void {
  for (let i = from + 1; i < to; i++) {
    const id = ids[i];
    let j = i;
    for (; j > from; j--) {
      const other = ids[j - 1];
      const order = compareBytes(
        bytes,
        offsets[other] + depth,
        offsets[other + 1],
        bytes,
        offsets[id] + depth,
        offsets[id + 1],
      );
      if (order <= 0) break;
      ids[j] = other;
    }
    ids[j] = id;
  }
}

/** Bytes from `depth` on that all strings of the group share. */
function sharedPrefix(
  ids: Int32Array,
  from: number,
  to: number,
  depth: number,
  bytes: Uint8Array,
  offsets: Int32Array,
): number {
  const first = offsets[ids[from]] + depth;
  let shared = offsets[ids[from] + 1] - first;
  for (let i = from + 1; i < to && shared > 0; i++) {
    const start = offsets[ids[i]] + depth;
    const length = Math.min(shared, offsets[ids[i] + 1] - start);
    let k = 0;
    while (k < length && bytes[first + k] === bytes[start + k]) k++;
    shared = k;
  }
  return shared;
}

function sortGroup(
  ids: Int32Array,
  from: number,
  to: number,
  depth: number,
  bytes: Uint8Array,
  offsets: Int32Array,
  packed: Float64Array,
  copy: Int32Array,
): void {
  for (let i = from; i < to; i++) {
    const id = ids[i];
    const end = offsets[id + 1];
    let at = offsets[id] + depth;
    let digits = 0;
    for (let k = 0; k < 3; k++, at++) digits = digits * BASE + (at < end ? bytes[at] + 1 : 0);
    packed[i] = digits * PLACES + (i - from);
    copy[i] = id;
  }
  packed.subarray(from, to).sort();
  for (let i = from; i < to; i++) ids[i] = copy[from + (packed[i] % PLACES)];
}

/** Groups with equal digits that have not ended go on behind them. */
function pushTies(
  groups: number[],
  packed: Float64Array,
  from: number,
  to: number,
  depth: number,
): void {
  let start = from;
  let digits = Math.floor(packed[from] / PLACES);
  for (let i = from + 1; i <= to; i++) {
    const next = i < to ? Math.floor(packed[i] / PLACES) : -1;
    if (next === digits) continue;
    if (i - start > 1 && digits % BASE !== 0) groups.push(start, i, depth + 3);
    start = i;
    digits = next;
  }
}
