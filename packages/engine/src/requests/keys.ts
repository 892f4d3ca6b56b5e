/** Requests for rows by key. */
import type { KeysRequest } from '../backend.ts';
import { LIMITS } from '../base/limits.ts';
import { type Fields, list, requestOf } from './checks.ts';
import { coordinates, INDEX_FIELDS, names } from './wire.ts';

const KEYS_FIELDS: Fields<KeysRequest> = {
  ...INDEX_FIELDS,
  keys: list(coordinates, LIMITS.keysPerGet),
  columns: names,
};

/** Checks a request for rows by key. Throws invalid_argument or limit_exceeded. */
export const checkKeysRequest = requestOf<KeysRequest>(KEYS_FIELDS, 'keys');
