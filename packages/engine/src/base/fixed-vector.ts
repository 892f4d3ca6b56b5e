/**
 * Vectors in 16-bit fixed point: component c = scale × codes[c], codes in -32,767 .. 32,767, scale
 * = largest magnitude / 32,767. Every vector becomes this once, when it enters an index or a cache;
 * what is exact later is exact over these. An error is at most half a scale a component.
 */

import { CodeKernels, codeKernels } from './code-kernels.ts';

/** Row-major vectors in fixed point. */
export interface FixedVectors {
  readonly scales: Float32Array;
  readonly codes: Int16Array;
}

const MOST = 32_767;

/**
 * `count` vectors of `dims` floats each. A zero vector has scale 0. Every value has to be finite:
 * the caller checks.
 */
export function fixVectors(values: Float32Array, dims: number): FixedVectors {
  const count = values.length / dims;
  const scales = new Float32Array(count);
  const codes = new Int16Array(values.length);
  const portion = CodeKernels.portion(dims);
  if (portion > 0) {
    for (let j = 0; j < count; j += portion) {
      codeKernels().fix(values, j, Math.min(portion, count - j), dims, { scales, codes });
    }
    return { scales, codes };
  }
  for (let j = 0; j < count; j++) scales[j] = fixVector(values, j * dims, dims, codes);
  return { scales, codes };
}

function fixVector(values: Float32Array, from: number, dims: number, codes: Int16Array): number {
  let largest = 0;
  for (let at = from; at < from + dims; at++) {
    const size = Math.abs(values[at]);
    if (size > largest) largest = size;
  }
  const scale = Math.fround(largest / MOST);
  if (scale === 0) return 0;
  for (let at = from; at < from + dims; at++) {
    const code = Math.floor(values[at] / scale + 0.5) | 0;
    codes[at] = code > MOST ? MOST : code < -MOST ? -MOST : code;
  }
  return scale;
}
