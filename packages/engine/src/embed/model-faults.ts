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

/** What is wrong with a model, and where. */
export interface ModelFault {
  /** The file or folder. */
  readonly path: string;
  /** What was found there, and what was expected. */
  readonly found: string;
  /** What to do next. */
  readonly hint: string;
  readonly cause?: unknown;
}

/** The error `model_unavailable` for one fault: names the file and the way out. */
export function modelUnavailable({ path, found, hint, cause }: ModelFault): LhsError {
  return new LhsError('model_unavailable', `the model file "${path}" ${found}`, {
    hint,
    details: { path },
    cause,
  });
}

/** The way out of a file that is not what its model says. */
export const COPY_AGAIN = 'put the whole model folder there again';
