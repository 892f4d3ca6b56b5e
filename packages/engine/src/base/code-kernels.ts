/**
 * Kernels over codes of vectors (packages/engine/kernels/base) in a small memory of this thread:
 * callers copy a portion of vectors in and the results out. Results are those of the plain loops,
 * bit by bit.
 */
import { BASE_CODE } from './kernel-code.ts';

const BYTES = 1 << 19;
/** Bytes of a portion that a component takes: a float and a code, or a code and its planes. */
const PER_COMPONENT = 6;
/** Bytes that a vector takes beside its components. */
const PER_VECTOR = 32;

interface Kernels {
  fix(values: number, count: number, dims: number, scales: number, codes: number): void;
  split(
    codes: number,
    count: number,
    dims: number,
    head: number,
    heads: number,
    tails: number,
    lows: number,
    sums: number,
  ): void;
}

/** Rows of planes of some vectors, and three sums of squares of each: views until the next call. */
export interface SplitCodes {
  readonly heads: Int8Array;
  readonly tails: Int8Array;
  readonly lows: Int8Array;
  /** Of all codes, of their low bytes, of the codes behind the head. */
  readonly sums: Float64Array;
}

/** The kernels with their memory. */
export class CodeKernels {
  readonly #memory = new WebAssembly.Memory({ initial: BYTES / 65_536 });
  readonly #kernels: Kernels;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(BASE_CODE, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.#memory } });
    this.#kernels = exports as unknown as Kernels;
  }

  /** Vectors of a portion; 0 if vectors of `dims` components, `head` of them first, do not fit. */
  static portion(dims: number, head = dims): number {
    if (dims % 16 !== 0 || head % 16 !== 0 || dims === 0) return 0;
    return Math.floor(BYTES / (PER_COMPONENT * dims + PER_VECTOR));
  }

  /** As `fixVectors`, for values[from .. from + count × dims) of at most a portion. */
  fix(
    values: Float32Array,
    first: number,
    count: number,
    dims: number,
    into: { readonly scales: Float32Array; readonly codes: Int16Array },
  ): void {
    const { buffer } = this.#memory;
    const size = count * dims;
    const scales = 4 * size;
    const codes = scales + 16 * count;
    const from = first * dims;
    new Float32Array(buffer, 0, size).set(values.subarray(from, from + size));
    this.#kernels.fix(0, count, dims, scales, codes);
    into.scales.set(new Float32Array(buffer, scales, count), first);
    into.codes.set(new Int16Array(buffer, codes, size), from);
  }

  /** The planes of codes[from .. from + count × dims), at most a portion. */
  split(codes: Int16Array, from: number, count: number, dims: number, head: number): SplitCodes {
    const { buffer } = this.#memory;
    const size = count * dims;
    const heads = 2 * size;
    const tails = heads + count * head;
    const lows = heads + size;
    const sums = lows + size;
    new Int16Array(buffer, 0, size).set(codes.subarray(from, from + size));
    this.#kernels.split(0, count, dims, head, heads, tails, lows, sums);
    return {
      heads: new Int8Array(buffer, heads, count * head),
      tails: new Int8Array(buffer, tails, count * (dims - head)),
      lows: new Int8Array(buffer, lows, size),
      sums: new Float64Array(buffer, sums, 3 * count),
    };
  }
}

let own: CodeKernels | undefined;

/** The kernels of this thread. */
export function codeKernels(): CodeKernels {
  own ??= new CodeKernels();
  return own;
}
