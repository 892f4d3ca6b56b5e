import { LhsError } from '@lakehouse-search/contract';

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
