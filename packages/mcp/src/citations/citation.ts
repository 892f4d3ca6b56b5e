import { createHash } from 'node:crypto';
import { type Json, type JsonObject, LhsError } from '@lakehouse-search/contract';

/**
 * Evidence that a row said something: where the row is, which columns are cited, and a hash of
 * their values.
 */
export interface Citation {
  readonly index: string;
  /** The table's snapshot at which the row was read. */
  readonly snapshot: string;
  /** The key's text (base/key-text.ts). */
  readonly key: string;
  /** Cited columns of the table, sorted. */
  readonly columns: readonly string[];
  /** Of the values of the columns: 128 bits in hexadecimal, or the first 64 of them or more. */
  readonly hash: string;
}

const HASH_CHARS = 32;
/** Digits that a citation has at least. */
export const SHORT_HASH = 16;

/** Cites columns of a row that was read from the table. */
export function citationOf(
  place: Pick<Citation, 'index' | 'snapshot' | 'key'>,
  row: JsonObject,
  columns: readonly string[],
): Citation {
  const cited = [...new Set(columns)].sort();
  return { ...place, columns: cited, hash: hashOf(row, cited) };
}

/**
 * A hash over the values of columns: the start of the SHA-256 of their JSON with sorted names. A
 * column that the row lacks differs from one that is null.
 */
export function hashOf(row: JsonObject, columns: readonly string[]): string {
  const values = columns.map((name) => (Object.hasOwn(row, name) ? [name, row[name]] : [name]));
  const text = JSON.stringify(canonical(values));
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
}

function canonical(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(canonical);
  const entries = Object.entries(value).map(([name, part]): [string, Json] => [
    name,
    canonical(part),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `lhs://index@snapshot/key?columns=a,b#hash`. */
export function citationUri({ index, snapshot, key, columns, hash }: Citation): string {
  const names = columns.map(encodeURIComponent).join(',');
  return `lhs://${encodeURIComponent(index)}@${snapshot}/${key}?columns=${names}#${hash}`;
}

const FORM = /^lhs:\/\/([^@/?#]+)@(\d{1,20})\/([^?#]+)\?columns=([^?#]*)#([0-9a-f]{16,32})$/;

/** The citation of a URI. Throws invalid_argument. */
export function parseCitation(uri: string): Citation {
  const found = FORM.exec(uri);
  if (found === null) throw citationFault(uri);
  const [, index, snapshot, key, columns, hash] = found;
  try {
    return {
      index: decodeURIComponent(index),
      snapshot,
      key,
      columns: columns === '' ? [] : columns.split(',').map(decodeURIComponent),
      hash,
    };
  } catch (cause) {
    throw citationFault(uri, cause);
  }
}

function citationFault(uri: string, cause?: unknown): LhsError {
  const message = `"${uri.slice(0, 200)}" is not a citation`;
  const hint = 'a citation is written lhs://index@snapshot/key?columns=a,b#hash: copy it whole';
  return new LhsError('invalid_argument', message, { hint, cause });
}
