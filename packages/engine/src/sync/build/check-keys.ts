/**
 * Whether the rows of a snapshot differ in their keys: read before a build, from the key columns
 * alone, so that a wrong key is found in seconds.
 *
 * 1. The 64-bit hashes of the keys of up to 8 million rows at a time are compared.
 * 2. If some are equal, the rows are read again, for two rows of one of these hashes whose keys
 *    are equal.
 *
 * Equal keys of different groups of 8 million rows are left to the build, which compares all.
 */
import type { SourceTable } from '@lakehouse-search/lake';
import { bytesView } from '../../base/bytes/two-lane-hash.ts';
import { encodeKeys } from '../../documents/encode-keys.ts';
import { placeOfRow } from '../../documents/row-fault.ts';
import { type SharedKey, sharedKeyFault } from '../../documents/shared-key.ts';
import { coordinatesOf, formatKey } from '../../schema/keys/key.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { hashKey } from '../../schema/sharding/key-buckets.ts';
import { readAhead } from '../../source/source-errors.ts';
import { KeyHashes } from './key-hashes.ts';

/** Rows whose hashes are compared: at most 128 MiB. */
const GROUP_ROWS = 2 ** 23;
/** Hashes of several rows for which two equal keys are searched. */
const MAX_EQUAL = 64;

/** Which keys are compared. */
export interface KeyCheck {
  readonly table: SourceTable;
  readonly mapping: Mapping;
  /** null: the empty table. */
  readonly snapshotId: bigint | null;
  /** Only the first rows. Default: all. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Throws source_invalid if a key column is NULL in a row, or if two rows share a key. */
export async function refuseSharedKeys(check: KeyCheck): Promise<void> {
  const shared = await findSharedKey(check);
  if (shared !== null) throw sharedKeyFault(check.mapping.definition, shared);
}

/** Two rows of one key, if there are some. Throws source_invalid if a key column is NULL. */
export async function findSharedKey(check: KeyCheck): Promise<SharedKey | null> {
  const seen = new KeyHashes();
  const equal = new Map<string, readonly [key: Uint8Array, row: string] | null>();
  let of = 0;
  let rows = 0;
  for await (const { rows: count, low, high } of keysOf(check)) {
    if (seen.size >= GROUP_ROWS) seen.clear();
    for (let row = 0; row < count; row++) {
      if (seen.add(low[row], high[row])) continue;
      rows++;
      if (equal.size < MAX_EQUAL) equal.set(`${low[row]} ${high[row]}`, null);
    }
    of += count;
  }
  if (rows === 0) return null;
  const found = await findEqualKeys(check, equal);
  return found && { ...found, extra: { rows, of } };
}

/** The first two rows of one key, among those of some hashes. */
async function findEqualKeys(
  check: KeyCheck,
  first: Map<string, readonly [key: Uint8Array, row: string] | null>,
): Promise<Pick<SharedKey, 'key' | 'rows'> | null> {
  for await (const { rows, low, high, keyOf, placeOf } of keysOf(check)) {
    for (let row = 0; row < rows; row++) {
      const hash = `${low[row]} ${high[row]}`;
      const before = first.get(hash);
      if (before === undefined) continue;
      const own = keyOf(row);
      if (before === null) first.set(hash, [own.slice(), placeOf(row)]);
      else if (Buffer.compare(before[0], own) === 0) {
        const key = formatKey(coordinatesOf(check.mapping.key, own));
        return { key, rows: [before[1], placeOf(row)] };
      }
    }
  }
  return null;
}

/** The keys of a batch and their hashes. */
interface HashedKeys {
  readonly rows: number;
  readonly low: Int32Array;
  readonly high: Int32Array;
  readonly keyOf: (row: number) => Uint8Array;
  readonly placeOf: (row: number) => string;
}

async function* keysOf(check: KeyCheck): AsyncGenerator<HashedKeys> {
  const { table, mapping, snapshotId, limit = Infinity, signal } = check;
  if (snapshotId === null) return;
  const own = { ...mapping, columns: mapping.columns.slice(0, mapping.keyColumns), fields: [] };
  const columns = own.columns.map(({ name }) => name);
  const scan = table.scan({ snapshotId, columns, schema: table.schema, signal });
  let left = limit;
  for await (const batch of readAhead(scan, signal)) {
    const rows = Math.min(batch.rows, left);
    const { bytes, offsets } = encodeKeys(own, batch);
    const [low, high] = [new Int32Array(rows), new Int32Array(rows)];
    const view = bytesView(bytes);
    const hash = new Int32Array(2);
    for (let row = 0; row < rows; row++) {
      hashKey(view, offsets[row], offsets[row + 1], hash, 0);
      low[row] = hash[0];
      high[row] = hash[1];
    }
    const keyOf = (row: number) => bytes.subarray(offsets[row], offsets[row + 1]);
    yield { rows, low, high, keyOf, placeOf: (row) => placeOfRow(batch, row) };
    left -= rows;
    if (left <= 0) return;
  }
}
