import { LhsError } from '@lakehouse-search/contract';

/** The JSON text of a request. Throws limit_exceeded if it is nested deeper than can be written. */
export function requestText(request: unknown): string {
  try {
    return JSON.stringify(request);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new LhsError('limit_exceeded', 'the request is nested too deep', { cause });
  }
}
