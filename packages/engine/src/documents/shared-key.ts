import { LhsError } from '@lakehouse-search/contract';
import { withCommas } from '@lakehouse-search/contract/internal';
import type { Definition } from '../schema/definition.ts';

/** Two rows of one key, and how many rows of how many have the key of another one. */
export interface SharedKey {
  /** As people write keys. */
  readonly key: string;
  /** The locations of two rows. */
  readonly rows: readonly [string, string];
  /** Rows beyond the first of each key; absent: they were not counted. */
  readonly extra?: { readonly rows: number; readonly of: number };
}

/** More rows than this share are dropped only by those who know: no hint suggests it. */
export const DROPPED_SHARE = 0.01;

/** source_invalid for rows that share a key, with what mends it. */
export function sharedKeyFault({ index }: Definition, { key, rows, extra }: SharedKey): LhsError {
  const [first, second] = rows;
  const more = extra === undefined || extra.rows < 2 ? '' : `; ${sharedRows(extra)}`;
  const isRare = extra !== undefined && extra.rows <= DROPPED_SHARE * extra.of;
  const message = `key ${key} stands in two rows: ${first} and ${second}${more}`;
  return new LhsError('source_invalid', message, {
    hint: `name columns in "key" that tell the rows apart, or write key: row${isRare ? LAST : ''}`,
    next: [{ step: 'validate_definition' }, { step: 'alter_index', index }],
    details: { key, places: rows, ...(extra && { shared_rows: extra.rows, rows: extra.of }) },
  });
}

const LAST = '; or mend the table, or set on_duplicate_key: last, which drops the others';

/** `9,950 of 10,000 rows have the key of another row`. */
export function sharedRows({ rows, of }: { readonly rows: number; readonly of: number }): string {
  return `${withCommas(rows)} of ${withCommas(of)} rows have the key of an earlier row`;
}
