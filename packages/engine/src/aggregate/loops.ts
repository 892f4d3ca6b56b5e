import { onceAnArena, plainLoops } from '../storage/arena-code.ts';
import type { Arena } from '../storage/directory.ts';
import { CompiledLoops } from './compiled-loops.ts';
import type { DoubleSum } from './exact-sum.ts';
import { PLAIN_LOOPS } from './plain-loops.ts';

/** Codes of a column with one value a document: ordinals + 1, or multiples over a base. */
export type Codes = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** What the codes of some documents come to; the bounds mean nothing where there is none. */
export interface CodeSums {
  readonly count: number;
  readonly sum: bigint;
  readonly min: number;
  readonly max: number;
}

/** The same of 64-bit values. */
export interface WideSums {
  readonly count: number;
  readonly sum: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

/** The same of doubles; the bounds as ordered integers (base/ordered-double.ts). */
export interface DoubleSums {
  readonly count: number;
  readonly sum: DoubleSum;
  readonly min: bigint;
  readonly max: bigint;
}

/**
 * Buckets next to one another on a line of codes, or of 64-bit values less `first`: x lies in the
 * bucket cells[x >> shift] or in the next one, if x is above lasts[bucket]. `lasts`: the last x of
 * each bucket; the very last bucket has no end.
 */
export interface BucketLine {
  readonly first: bigint;
  readonly shift: number;
  readonly cells: Int32Array;
  readonly lasts: Uint32Array | BigUint64Array;
}

/**
 * Loops over all documents of a bitmap that have a value in a column (`present`; null: the codes
 * tell). Whoever does them, the answers are the same, exactly.
 */
export interface AggregateLoops {
  /** Documents by code, codes 0 .. size - 1. */
  countCodes(codes: Codes, bits: Int32Array, present: Int32Array | null, size: number): Int32Array;
  /** Documents by bucket. */
  countBuckets(
    values: Uint32Array | BigInt64Array,
    bits: Int32Array,
    present: Int32Array,
    line: BucketLine,
  ): Int32Array;
  sumCodes(codes: Codes, bits: Int32Array, present: Int32Array): CodeSums;
  sumWide(values: BigInt64Array, bits: Int32Array, present: Int32Array): WideSums;
  /** Of doubles as ordered integers, summed in eight lanes (exact-sum.ts). */
  sumDoubles(values: BigInt64Array, bits: Int32Array, present: Int32Array): DoubleSums;
}

const compiledOf = onceAnArena((arena): AggregateLoops => new CompiledLoops(arena));

/**
 * The loops for columns of an arena: WebAssembly, or plain ones where LHS_WASM=0 (or `plain`) asks
 * for them.
 */
export function loopsOf(arena: Arena, plain = plainLoops()): AggregateLoops {
  return plain ? PLAIN_LOOPS : compiledOf(arena);
}
