import { headDims } from './format.ts';

/**
 * A query as the first pass takes it: 16-bit codes, as many as fit without a sum that leaves 32
 * bits, and how far they are from the query.
 */
export interface CodedQuery {
  /** The query itself. */
  readonly values: Float32Array;
  /** Its length. */
  readonly norm: number;
  /** Value c is about step x codes[c]. */
  readonly codes: Int16Array;
  readonly step: number;
  /** Sum of the codes, and of those of the head (format.ts). */
  readonly sum: number;
  readonly headSum: number;
  /** Length of the query from its tail's first component on. */
  readonly tail: number;
  /** Length of what the codes leave of the query, rounding of what is summed in f64 included. */
  readonly rest: number;
  /** Length of step x codes. */
  readonly coded: number;
}

const MOST_CODE = 32_767;
/** Highest magnitude of a byte of the plane. */
const MOST_BYTE = 128;
/** Far above what summing up to 4,096 products in f64 can be wrong by, a part of their lengths. */
export const ROUNDING = 1e-11;

/** Codes a query; every value has to be finite. */
export function codeQuery(values: Float32Array): CodedQuery {
  const dims = values.length;
  const most = Math.min(MOST_CODE, Math.floor((2 ** 31 - 1) / (MOST_BYTE * dims)));
  let largest = 0;
  for (let c = 0; c < dims; c++) largest = Math.max(largest, Math.abs(values[c]));
  const step = largest / most;
  const codes = new Int16Array(dims);
  const inverse = step === 0 ? 0 : 1 / step;
  let squares = 0;
  let sum = 0;
  let left = 0;
  let coded = 0;
  let headSum = 0;
  let tail = 0;
  const head = headDims(dims);
  for (let c = 0; c < dims; c++) {
    const value = values[c];
    const code = Math.round(value * inverse);
    codes[c] = code;
    squares += value * value;
    sum += code;
    left += (value - step * code) * (value - step * code);
    coded += code * code;
    if (c < head) headSum += code;
    else tail += value * value;
  }
  const norm = Math.sqrt(squares);
  const rest = Math.sqrt(left) * (1 + ROUNDING) + ROUNDING * norm;
  return {
    values,
    norm,
    codes,
    step,
    sum,
    headSum,
    tail: Math.sqrt(tail) * (1 + ROUNDING),
    rest,
    coded: step * Math.sqrt(coded) * (1 + ROUNDING),
  };
}
