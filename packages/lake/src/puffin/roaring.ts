/**
 * Roaring bitmaps of 64-bit positions in the portable form (Iceberg format/puffin-spec.md,
 * "deletion-vector-v1"; RoaringFormatSpec, "Extension for 64-bit implementations"), all
 * little-endian:
 *
 *   bitmap64  := u64 count, count x (u32 high-key, bitmap32)          high keys ascending
 *   bitmap32  := header, [offsets], containers
 *   header    := u32 12346, u32 n                                      no run containers
 *              | u16 12347, u16 n - 1, ceil(n / 8) bytes of run flags
 *              then n x (u16 key, u16 cardinality - 1)                 keys ascending
 *   offsets   := n x u32, there when the cookie is 12346 or n >= 4     (skipped when read)
 *   container := run flag:         u16 runs, runs x (u16 start, u16 length - 1)
 *              | cardinality <= 4096: cardinality x u16, ascending
 *              | else              1024 x u64 of bits
 *
 * Row ordinals of a file fit in 31 bits here (limit rowsPerFile). Larger positions delete nothing:
 * they are checked and counted only.
 */
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';

const COOKIE_NO_RUNS = 12_346;
const COOKIE_RUNS = 12_347;
const ARRAY_MAX = 4096;
const BITMAP_BYTES = 8192;
const OFFSETS_FROM_CONTAINERS = 4;

/** The positions of a bitmap. */
export interface RoaringPositions {
  /** The positions below 2^31, ascending. */
  readonly positions: Int32Array;
  /** Number of all positions, those of 2^31 and more included. */
  readonly cardinality: number;
}

/**
 * The positions of a serialized 64-bit bitmap. Throws `delete_file_invalid` if the bytes are not a
 * bitmap (`file` is named in the error) and `limit_exceeded` above LIMITS.deletedPositionsPerFile.
 */
export function decodeRoaring64(bytes: Uint8Array, file = 'bitmap'): RoaringPositions {
  const input = new Input(bytes, file);
  const count = input.u64();
  let positions: Int32Array = new Int32Array(0);
  let cardinality = 0;
  for (let i = 0n, previous = -1; i < count; i++) {
    const key = input.u32();
    if (key <= previous) throw input.fail('high keys are not ascending');
    previous = key;
    const low = decodeRoaring32(input, key === 0 ? LOW_KEYS : 0, cardinality);
    if (key === 0) positions = low.positions;
    cardinality = low.cardinality;
  }
  if (input.left !== 0) throw input.fail(`${input.left} bytes after the bitmap's end`);
  return { positions, cardinality };
}

/** Containers with keys below this hold positions below 2^31. */
const LOW_KEYS = 0x8000;

/**
 * The 64-bit portable form of ascending, unique, non-negative positions; the smallest container
 * form is taken.
 */
export function encodeRoaring64(positions: Int32Array): Uint8Array {
  if (positions.length === 0) return new Uint8Array(8);
  const body = encodeRoaring32(positions);
  const out = new Uint8Array(12 + body.length);
  out[0] = 1;
  out.set(body, 12);
  return out;
}

interface Container {
  readonly key: number;
  readonly cardinality: number;
  readonly runs: boolean;
}

/** Positions of the containers with keys below `lowKeys`; the others are checked and counted. */
function decodeRoaring32(input: Input, lowKeys: number, before: number): RoaringPositions {
  const containers = readHeader(input);
  const count = (sum: number, container: Container) => sum + container.cardinality;
  const cardinality = containers.reduce(count, before);
  if (cardinality > LIMITS.deletedPositionsPerFile) throw tooMany(input, cardinality);
  const positions = new Int32Array(containers.filter(({ key }) => key < lowKeys).reduce(count, 0));
  let at = 0;
  for (const container of containers) {
    const isLow = container.key < lowKeys;
    const out = isLow ? positions : new Int32Array(container.cardinality);
    const start = isLow ? at : 0;
    const end = start + container.cardinality;
    const filled = readContainer(input, container, out, start, end);
    if (filled !== end) {
      throw input.fail(
        `container ${container.key} holds ${filled - start} positions, its header says ` +
          `${container.cardinality}`,
      );
    }
    if (isLow) at = end;
  }
  return { positions, cardinality };
}

function tooMany(input: Input, total: number): LakeError {
  return new LakeError(
    'limit_exceeded',
    `deletion vector holds ${total} positions, at most ` +
      `${LIMITS.deletedPositionsPerFile} are read; compact the table`,
    { file: input.file },
  );
}

function readHeader(input: Input): readonly Container[] {
  const cookie = input.u32();
  const withRuns = (cookie & 0xffff) === COOKIE_RUNS;
  if (!withRuns && cookie !== COOKIE_NO_RUNS) {
    throw input.fail(`unknown roaring cookie ${cookie}, expected 12346 or 12347`);
  }
  const count = withRuns ? (cookie >>> 16) + 1 : input.u32();
  if (count > 65_536) throw input.fail(`${count} containers, at most 65536 are possible`);
  const runFlags = withRuns ? input.take((count + 7) >>> 3) : null;
  const containers: Container[] = [];
  for (let i = 0; i < count; i++) {
    const key = input.u16();
    const cardinality = input.u16() + 1;
    if (i > 0 && key <= containers[i - 1].key) throw input.fail('container keys are not ascending');
    const runs = runFlags !== null && (runFlags[i >>> 3] & (1 << (i & 7))) !== 0;
    containers.push({ key, cardinality, runs });
  }
  if (!withRuns || count >= OFFSETS_FROM_CONTAINERS) input.take(count * 4);
  return containers;
}

/**
 * Fills `out` from `at`, never past `end`; returns where it stopped, or more than `end` when there
 * were too many.
 */
function readContainer(
  input: Input,
  container: Container,
  out: Int32Array,
  at: number,
  end: number,
): number {
  const base = container.key << 16;
  if (container.runs) return readRuns(input, base, out, at, end);
  if (container.cardinality <= ARRAY_MAX) return readArray(input, base, out, at, end);
  return readBitmap(input, base, out, at, end);
}

function readRuns(input: Input, base: number, out: Int32Array, at: number, end: number): number {
  const runs = input.u16();
  let previous = -1;
  for (let i = 0; i < runs; i++) {
    const start = input.u16();
    const last = start + input.u16();
    if (start <= previous || last > 0xffff) throw input.fail('runs overlap or leave the container');
    previous = last;
    if (at + last - start + 1 > end) return end + 1;
    for (let low = start; low <= last; low++) out[at++] = base | low;
  }
  return at;
}

function readArray(input: Input, base: number, out: Int32Array, at: number, end: number): number {
  let previous = -1;
  while (at < end) {
    const low = input.u16();
    if (low <= previous) throw input.fail('array container is not ascending');
    previous = low;
    out[at++] = base | low;
  }
  return at;
}

function readBitmap(input: Input, base: number, out: Int32Array, at: number, end: number): number {
  const bits = input.take(BITMAP_BYTES);
  for (let byte = 0; byte < BITMAP_BYTES; byte++) {
    for (let rest = bits[byte]; rest !== 0; rest &= rest - 1) {
      if (at === end) return end + 1;
      out[at++] = base | (byte << 3) | (31 - Math.clz32(rest & -rest));
    }
  }
  return at;
}

interface Slice {
  readonly key: number;
  readonly from: number;
  readonly to: number;
  readonly runs: number;
  readonly form: 'runs' | 'array' | 'bitmap';
  readonly bytes: number;
}

function encodeRoaring32(positions: Int32Array): Uint8Array {
  const slices = sliceByKey(positions);
  const withRuns = slices.some((slice) => slice.form === 'runs');
  const offsets = !withRuns || slices.length >= OFFSETS_FROM_CONTAINERS;
  const flagBytes = withRuns ? (slices.length + 7) >>> 3 : 0;
  const headBytes = (withRuns ? 4 : 8) + flagBytes + slices.length * (offsets ? 8 : 4);
  const out = new Uint8Array(slices.reduce((sum, slice) => sum + slice.bytes, headBytes));
  const view = new DataView(out.buffer);
  let at = 4;
  if (withRuns) {
    view.setUint32(0, COOKIE_RUNS | ((slices.length - 1) << 16), true);
    slices.forEach((slice, i) => {
      if (slice.form === 'runs') out[4 + (i >>> 3)] |= 1 << (i & 7);
    });
    at += flagBytes;
  } else {
    view.setUint32(0, COOKIE_NO_RUNS, true);
    view.setUint32(4, slices.length, true);
    at = 8;
  }
  for (const slice of slices) {
    view.setUint16(at, slice.key, true);
    view.setUint16(at + 2, slice.to - slice.from - 1, true);
    at += 4;
  }
  let body = headBytes;
  for (const slice of slices) {
    if (offsets) {
      view.setUint32(at, body, true);
      at += 4;
    }
    writeContainer(view, body, positions, slice);
    body += slice.bytes;
  }
  return out;
}

function sliceByKey(positions: Int32Array): readonly Slice[] {
  const slices: Slice[] = [];
  for (let from = 0; from < positions.length; ) {
    const key = positions[from] >>> 16;
    let to = from + 1;
    let runs = 1;
    for (; to < positions.length && positions[to] >>> 16 === key; to++) {
      if (positions[to] !== positions[to - 1] + 1) runs++;
    }
    slices.push(chooseForm(key, from, to, runs));
    from = to;
  }
  return slices;
}

function chooseForm(key: number, from: number, to: number, runs: number): Slice {
  const cardinality = to - from;
  const runBytes = 2 + runs * 4;
  const plainBytes = cardinality <= ARRAY_MAX ? cardinality * 2 : BITMAP_BYTES;
  if (runBytes < plainBytes) return { key, from, to, runs, form: 'runs', bytes: runBytes };
  const form = cardinality <= ARRAY_MAX ? 'array' : 'bitmap';
  return { key, from, to, runs, form, bytes: plainBytes };
}

function writeContainer(view: DataView, at: number, positions: Int32Array, slice: Slice): void {
  if (slice.form === 'runs') {
    writeRuns(view, at, positions, slice);
    return;
  }
  for (let i = slice.from; i < slice.to; i++) {
    const low = positions[i] & 0xffff;
    if (slice.form === 'array') view.setUint16(at + (i - slice.from) * 2, low, true);
    else view.setUint8(at + (low >>> 3), view.getUint8(at + (low >>> 3)) | (1 << (low & 7)));
  }
}

function writeRuns(view: DataView, at: number, positions: Int32Array, slice: Slice): void {
  view.setUint16(at, slice.runs, true);
  let next = at + 2;
  for (let from = slice.from; from < slice.to; ) {
    let to = from + 1;
    while (to < slice.to && positions[to] === positions[to - 1] + 1) to++;
    view.setUint16(next, positions[from] & 0xffff, true);
    view.setUint16(next + 2, to - from - 1, true);
    next += 4;
    from = to;
  }
}

/** A cursor that refuses to read past the end. */
class Input {
  readonly file: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array, file: string) {
    this.file = file;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  fail(what: string): LakeError {
    return new LakeError(
      'delete_file_invalid',
      `deletion vector is not a roaring bitmap: ${what}; restore the file from a copy`,
      { file: this.file },
    );
  }

  take(length: number): Uint8Array {
    const from = this.#advance(length);
    return this.#bytes.subarray(from, from + length);
  }
  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }
  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }
  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  #advance(length: number): number {
    if (length > this.left) throw this.fail(`it ends at byte ${this.#bytes.length}, more expected`);
    const from = this.#at;
    this.#at += length;
    return from;
  }
}
