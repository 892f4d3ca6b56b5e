/** Requests that erase, and receipts. */
import { coordinates, folder, INDEX_FIELDS, path } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  list,
  object,
  requestOf,
  textUpTo,
} from '../checks/values.ts';
import { LhsError } from '../errors.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { ErasureCheckRequest, ErasureRunRequest, VerifyReceiptRequest } from './request.ts';

/** Bytes of a public key in PEM. */
const PEM_BYTES = 4096;

const target: Check = (value, field) => {
  path(value, field);
  if (!/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(value as string)) folder(value, field);
};

const CHECK_FIELDS: Fields<ErasureCheckRequest> = {
  ...INDEX_FIELDS,
  keys: list(coordinates, REQUEST_LIMITS.erasedKeys),
  texts: list(textUpTo(REQUEST_LIMITS.erasedTextBytes), REQUEST_LIMITS.erasedKeys),
  deep: flag,
  backups: list(target, REQUEST_LIMITS.erasureTargets),
};
const readCheck = requestOf<ErasureCheckRequest>(CHECK_FIELDS, 'keys');

/** Checks a request for an erasure check. Throws invalid_argument or limit_exceeded. */
export const checkErasureCheckRequest = (value: unknown): ErasureCheckRequest =>
  requireKeys(readCheck(value));

const RUN_FIELDS: Fields<ErasureRunRequest> = {
  ...CHECK_FIELDS,
  close_pits: flag,
  replace_backups: flag,
};
const readRun = requestOf<ErasureRunRequest>(RUN_FIELDS, 'keys');

/** Checks a request to erase. Throws invalid_argument or limit_exceeded. */
export const checkErasureRunRequest = (value: unknown): ErasureRunRequest =>
  requireKeys(readRun(value));

const VERIFY_FIELDS: Fields<VerifyReceiptRequest> = {
  receipt: object,
  public_key: textUpTo(PEM_BYTES),
  keys: list(coordinates, REQUEST_LIMITS.erasedKeys),
};
/** Checks a request to verify a receipt; the receipt itself may be anything. */
export const checkVerifyReceiptRequest = requestOf<VerifyReceiptRequest>(VERIFY_FIELDS, 'receipt');

function requireKeys<T extends ErasureCheckRequest>(request: T): T {
  if (request.keys.length > 0) return request;
  throw new LhsError('invalid_argument', '"keys" is empty: expected at least one key');
}
