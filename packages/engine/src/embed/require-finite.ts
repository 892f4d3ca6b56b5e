import { LhsError } from '../base/errors.ts';

/**
 * Throws model_unavailable where a model gave numbers that are none (weights in 16 bits may
 * overflow): nothing can be near to such a vector, and none may get into a cache or an index.
 */
export function requireFinite(vectors: Float32Array, model: string): void {
  for (const value of vectors) {
    if (Number.isFinite(value)) continue;
    throw new LhsError('model_unavailable', `the model "${model}" gives ${value} in a vector`, {
      hint: `take other weights, then: lhs model check ${model}`,
    });
  }
}
