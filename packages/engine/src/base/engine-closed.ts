import { LhsError } from '@lakehouse-search/contract';

/** The error of a call of an engine that is closed, or that was closed while the call ran. */
export function engineClosed(cause?: unknown): LhsError {
  return new LhsError('closed', 'the engine is closed', {
    hint: 'open the data folder again (openLocal)',
    cause,
  });
}
