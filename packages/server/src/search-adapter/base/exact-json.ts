import type { Json, JsonReviver } from '@lakehouse-search/contract';
import { bodyValue } from '../../rest/read-body.ts';

/** Numbers that a double may round have as many digits. */
const LONG_DIGITS = /\d{16}/;
const WHOLE = /^-?\d+$/;

/**
 * The value of a JSON text. Whole numbers that a double does not hold exactly become texts of
 * their digits, which queries, `search_after` and bounds read as numbers. Throws as `bodyValue`.
 */
export const exactJson = (text: string, what: string): Json | Promise<Json> =>
  bodyValue(text, what, LONG_DIGITS.test(text) ? exactNumber : undefined);

const exactNumber: JsonReviver = (_name, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return WHOLE.test(source) ? source : value;
};
