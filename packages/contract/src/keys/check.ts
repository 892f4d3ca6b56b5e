/** Requests for rows by key. */
import { coordinates, INDEX_FIELDS, name, names } from '../checks/shared.ts';
import { type Fields, list, requestOf } from '../checks/values.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { KeysRequest } from './request.ts';

const KEYS_FIELDS: Fields<KeysRequest> = {
  ...INDEX_FIELDS,
  keys: list(coordinates, REQUEST_LIMITS.keysPerGet),
  columns: names,
  as_of: name,
};

/** Checks a request for rows by key. Throws invalid_argument or limit_exceeded. */
export const checkKeysRequest = requestOf<KeysRequest>(KEYS_FIELDS, 'keys');
