/**
 * The loops of aggregations as WebAssembly over an arena (packages/engine/kernels/aggregate).
 * Documents go by chunks of at most 65,024, so that 16 bits hold a chunk's counts and its sum fits
 * the kernel's numbers.
 */
import { arenaCode, onceAnArena } from '../../storage/arena-code.ts';
import type { Arena, Region } from '../../storage/directory.ts';
import type { CodeSums, Codes } from './code-loops.ts';
import { DoubleLanes, LANE_BYTES } from './double-lanes.ts';
import { AGGREGATE_CODE } from './kernel-code.ts';
import type { BucketLine, DoubleSums, WideSums } from './loops.ts';

/** Words of 64 documents a chunk. */
const CHUNK_WORDS = 1016;
const CHUNK_DOCS = 64 * CHUNK_WORDS;
/** The most that 16 bits count. */
const MOST_COUNTED = 65_535;
/** Above so many codes there is one row of counts: four would not stay in the nearest cache. */
const FOUR_ROWS = 6144;
/** Above so many codes clearing tables would cost more than their being small saves. */
const SMALL_COUNTS = 32_768;
const SUM_BYTES = 64;
/** Rooms are at least so large. */
const LEAST_BYTES = 65_536;

type Code = (...values: (number | bigint)[]) => number;

const codeOf = arenaCode(AGGREGATE_CODE);

/**
 * Loops over all documents of a bitmap that have a value in a column of the arena (`present`; null:
 * the codes tell).
 */
class CompiledLoops {
  readonly #arena: Arena;
  readonly #code: Readonly<Record<string, Code>>;
  readonly #bits: Room;
  readonly #table: Room;
  readonly #line: Room;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#code = codeOf(arena) as Record<string, Code>;
    this.#bits = new Room(arena);
    this.#table = new Room(arena);
    this.#line = new Room(arena);
  }

  /** Documents by code, codes 0 .. size - 1. */
  countCodes(codes: Codes, bits: Int32Array, present: Int32Array | null, size: number): Int32Array {
    const width = codes.BYTES_PER_ELEMENT;
    if (size <= SMALL_COUNTS) {
      const count = this.#code[`count${width}`];
      return this.#small(size, codes, bits, present, count, []);
    }
    const table = this.#table.take(4 * size);
    const counts = new Int32Array(this.#arena.memory.buffer, table, size).fill(0);
    const [bitsAt, presentAt] = this.#documents(bits, present);
    const count = this.#code[`countMany${width}`];
    count(codes.byteOffset, bitsAt, presentAt, 0, bits.length >> 1, table);
    return counts.slice();
  }

  /** Documents by bucket. */
  countBuckets(
    values: Uint32Array | BigInt64Array,
    bits: Int32Array,
    present: Int32Array,
    { first, shift, cells, lasts }: BucketLine,
  ): Int32Array {
    const lastsAt = this.#line.take(lasts.byteLength + cells.byteLength);
    const cellsAt = lastsAt + lasts.byteLength;
    const { u8 } = this.#arena;
    u8.set(new Uint8Array(lasts.buffer, lasts.byteOffset, lasts.byteLength), lastsAt);
    u8.set(new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength), cellsAt);
    const wide = values instanceof BigInt64Array;
    const more = wide ? [first, BigInt(shift)] : [shift];
    const count = this.#code[wide ? 'bucket8' : 'bucket4'];
    return this.#small(lasts.length, values, bits, present, count, [cellsAt, lastsAt, ...more]);
  }

  sumCodes(codes: Codes, bits: Int32Array, present: Int32Array): CodeSums {
    const { view } = this.#arena;
    let [count, sum, min, max] = [0, 0n, Number.POSITIVE_INFINITY, -1];
    this.#chunks(`sum${codes.BYTES_PER_ELEMENT}`, codes, bits, present, (found, at) => {
      count += found;
      sum += view.getBigUint64(at, true);
      min = Math.min(min, view.getUint32(at + 8, true));
      max = Math.max(max, view.getUint32(at + 12, true));
    });
    return { count, sum, min, max };
  }

  sumWide(values: BigInt64Array, bits: Int32Array, present: Int32Array): WideSums {
    const { view } = this.#arena;
    let [count, low, high, min, max] = [0, 0n, 0n, 2n ** 63n - 1n, -(2n ** 63n)];
    this.#chunks('sum8', values, bits, present, (found, at) => {
      count += found;
      low += view.getBigInt64(at, true);
      high += view.getBigInt64(at + 8, true);
      const [least, most] = [view.getBigInt64(at + 16, true), view.getBigInt64(at + 24, true)];
      if (least < min) min = least;
      if (most > max) max = most;
    });
    return { count, sum: (high << 32n) + low, min, max };
  }

  /** Of doubles as ordered integers, summed in eight lanes (exact-sum.ts). */
  sumDoubles(values: BigInt64Array, bits: Int32Array, present: Int32Array): DoubleSums {
    const [bitsAt, presentAt] = this.#documents(bits, present);
    const at = this.#table.take(LANE_BYTES);
    const lanes = new DoubleLanes(this.#arena.memory.buffer, at);
    // The kernel reads whole words: the last documents are added here.
    const whole = values.length >> 6;
    const { sumDoubles } = this.#code;
    const count = sumDoubles(values.byteOffset, bitsAt, presentAt, 0, whole, at);
    return lanes.finish(count + lanes.add(values, bits, present, 2 * whole));
  }

  /** Counts by chunks in tables of 16 bits, added up before they can overflow. */
  #small(
    size: number,
    codes: ArrayBufferView,
    bits: Int32Array,
    present: Int32Array | null,
    count: Code,
    more: readonly (number | bigint)[],
  ): Int32Array {
    const bytes = (2 * size + 15) & -16;
    const row = size <= FOUR_ROWS ? bytes : 0;
    const rows = row === 0 ? bytes : 4 * bytes;
    const table = this.#table.take(rows + 2 * bytes);
    const totals = table + rows;
    this.#arena.u8.fill(0, table, totals + 2 * bytes);
    const [bitsAt, presentAt] = this.#documents(bits, present);
    const words = bits.length >> 1;
    let pending = 0;
    for (let from = 0; from < words; from += CHUNK_WORDS) {
      if (pending > MOST_COUNTED - CHUNK_DOCS) {
        this.#code.total(table, row, bytes, totals);
        pending = 0;
      }
      const to = Math.min(from + CHUNK_WORDS, words);
      pending += count(codes.byteOffset, bitsAt, presentAt, from, to, table, row, ...more);
    }
    this.#code.total(table, row, bytes, totals);
    return new Int32Array(this.#arena.memory.buffer, totals, size).slice();
  }

  #chunks(
    name: string,
    codes: Codes | BigInt64Array,
    bits: Int32Array,
    present: Int32Array,
    tell: (count: number, at: number) => void,
  ): void {
    const sum = this.#code[name];
    const [bitsAt, presentAt] = this.#documents(bits, present);
    const at = this.#table.take(SUM_BYTES);
    const words = bits.length >> 1;
    const whole = codes.length >> 6;
    for (let from = 0; from < words; from += CHUNK_WORDS) {
      const to = Math.min(from + CHUNK_WORDS, words);
      const found = sum(codes.byteOffset, bitsAt, presentAt, from, to, whole, at);
      if (found > 0) tell(found, at);
    }
  }

  /** Addresses of the documents' bits (copied from elsewhere), and of those with a value. */
  #documents(bits: Int32Array, present: Int32Array | null): [number, number] {
    let at = bits.byteOffset;
    if (bits.buffer !== this.#arena.memory.buffer) {
      at = this.#bits.take(bits.byteLength);
      this.#arena.i32.set(bits, at >> 2);
    }
    return [at, present?.byteOffset ?? at];
  }
}

/** A piece of an arena that is used again and again and grows to the largest use. */
class Room {
  readonly #arena: Arena;
  #region: Region | null = null;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** The address of so many bytes, with anything in them. */
  take(bytes: number): number {
    if (this.#region === null || this.#region.length < bytes) {
      this.#region?.release();
      // Where the arena is full nothing may be left that looks like room.
      this.#region = null;
      const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, LEAST_BYTES)));
      this.#region = this.#arena.allocate(size);
    }
    return this.#region.offset;
  }
}

/** The loops for columns of an arena. */
export const loopsOf = onceAnArena((arena) => new CompiledLoops(arena));
