/** Checks of what several requests have in common. */

import type { Coordinates, KeyPart } from '../coordinates.ts';
import type { IndexRequest } from '../index-request.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import {
  type Check,
  type Fields,
  isPlain,
  list,
  record,
  requestOf,
  text,
  textUpTo,
  wrong,
} from './values.ts';

/** Bytes of a name of any kind; indexes, aliases and fields have fewer. */
const NAME_BYTES = 1024;
/** Bytes of a path of a file or folder. */
const PATH_BYTES = 32 * 1024;

/** The name of an index, an alias or a field. It may be one that does not exist. */
export const name: Check = textUpTo(NAME_BYTES);
/** The name that an index or an alias gets. */
export const newName: Check = (value, field) => {
  text(value, field);
  if (/^[a-z0-9][a-z0-9_-]{0,127}$/.test(value as string)) return;
  const expected = 'a name of a-z, 0-9, "_" and "-", up to 128 characters, from a letter or digit';
  throw wrong(field, value, expected);
};
/** Names of fields or columns. */
export const names: Check = list(name, REQUEST_LIMITS.definitionFields);
/** A path or URI. */
export const path: Check = textUpTo(PATH_BYTES);

/** An absolute path of a folder. */
export const folder: Check = (value, field) => {
  path(value, field);
  if (/^(\/|\\\\|[A-Za-z]:[\\/])/.test(value as string)) return;
  throw wrong(field, value, 'an absolute path');
};

/** A snapshot's id, as requests write it. */
export const snapshotId: Check = (value, field) => {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) {
    throw wrong(field, value, 'a snapshot id as a string of digits');
  }
};

/** A query tree; its nodes are checked when it is read. */
export const tree: Check = (value, field) => {
  if (!isPlain(value)) throw wrong(field, value, 'a query tree (an object)');
};

/** A filter: a query string, or a tree. */
export const filter: Check = (value: unknown, field: string) => {
  if (typeof value !== 'string') tree(value, field);
};

const KEY_PART: Fields<KeyPart> = { name, value: text };
const keyParts: Check = list(record(KEY_PART, ['name', 'value']), REQUEST_LIMITS.keyColumns);
const COORDINATES: Fields<Coordinates> = { partition: keyParts, identifier: keyParts };
/** The key of a row. */
export const coordinates: Check = record(COORDINATES, ['identifier']);

/** Checks a request for a list of everything, which has no fields. Throws invalid_argument. */
export function checkListRequest(request: unknown): void {
  if (request !== undefined) record({})(request, '');
}

/** The fields of a request that names an index and nothing else. */
export const INDEX_FIELDS = { index: name };

/** Checks a request that names an index and nothing else. Throws invalid_argument. */
export const checkIndexRequest = requestOf<IndexRequest>(INDEX_FIELDS);
