import { LhsError } from '@lakehouse-search/contract';

/** What a header may hold: nothing that ends it. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/** Throws invalid_argument for an `authorization` that no header may hold. */
export function requireHeaderValue(authorization: string): void {
  if (HEADER_VALUE.test(authorization)) return;
  const message = 'the token has characters that no header may hold';
  throw new LhsError('invalid_argument', message);
}
