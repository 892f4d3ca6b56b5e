import { LhsError } from '@lakehouse-search/contract';

/**
 * Throws model_unavailable where a model gave numbers that are none (weights in 16 bits may
 * overflow): nothing can be near to such a vector, and none may get into a cache or an index.
 */
export function requireFinite(vectors: Float32Array, model: string): void {
  let zeros = 0;
  for (let i = 0; i < vectors.length; i++) zeros += vectors[i] * 0;
  if (zeros === 0) return;
  const value = vectors.find((component) => !Number.isFinite(component));
  throw new LhsError('model_unavailable', `the model "${model}" gives ${value} in a vector`, {
    hint: 'take other weights, then check the model',
    next: [{ step: 'check_model', model }],
  });
}
