/**
 * Compares the rows of a snapshot with the documents of an index, in one scan:
 *
 * 1. Rows that cannot be indexed have no document where the definition skips them, and are
 *    counted. Each other row, read under the index's own schema, becomes its encoded key and row
 *    hash, as a build makes them. Where the document that claims the row's place has both, it is
 *    seen: nearly always.
 * 2. All other rows are unmatched. When the table was read to its end they are settled by key
 *    (settle.ts): rows that share a key, then what document the row has: none (missing), one
 *    with another hash or location (stale).
 * 3. Live documents that no row was found for are extra.
 *
 * The vectors of visited documents are checked (vectors.ts).
 *
 * Both sides' content digests are summed up on the way (commits/content-digest.ts). Memory: a bit a
 * document, four bytes a row of one data file, and the unmatched rows.
 */

import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { Batch } from '@lakehouse-search/lake';
import { bytesView } from '../base/bytes/two-lane-hash.ts';
import { LIMITS } from '../base/limits.ts';
import { goodRows } from '../documents/bad-rows.ts';
import { encodeKeys } from '../documents/encode-keys.ts';
import { ownRows } from '../documents/own-rows.ts';
import { rowHashes } from '../documents/rows-to-block.ts';
import { DigestBuckets, rowLanes } from '../index/commits/content-digest.ts';
import type { Mapping } from '../schema/mapping.ts';
import { hashKey } from '../schema/sharding/key-buckets.ts';
import { readAhead } from '../source/source-errors.ts';
import { createFileTable, type FileTable } from '../sync/batch/file-table.ts';
import { type Settled, settleRows } from './settle.ts';
import type { ComparedSides } from './sides.ts';
import { UnmatchedRows } from './unmatched-rows.ts';
import { VectorPresence } from './vectors.ts';

/** What differs, and the content digests of both sides. */
export interface Comparison extends Settled {
  /** Rows that were read and can be indexed. */
  readonly rows: number;
  /** Rows that were read and have no document by rule (`on_bad_row: skip`). */
  readonly skipped: number;
  readonly unmatched: UnmatchedRows;
  /** Documents without a row. */
  readonly extra: number;
  readonly digests: { readonly index: DigestBuckets; readonly table: DigestBuckets };
  /** Absent for a sample. */
  readonly vectors?: VectorPresence;
}

/**
 * Compares all rows. Throws source_invalid (a row that no build would take, two rows with one key),
 * limit_exceeded, interrupted, corrupt_index.
 */
export async function compareRows(sides: ComparedSides, work: CallContext): Promise<Comparison> {
  const { docs } = sides;
  const unmatched = new UnmatchedRows(docs.hashSets.length);
  const table = new DigestBuckets();
  const vectors = new VectorPresence(sides);
  const matcher = new RowMatcher(sides, unmatched, table, vectors);
  await readRows(sides, work, matcher, table);
  const rows = table.count;
  const index = new DigestBuckets();
  index.addAll(table);
  for (let row = 0; row < unmatched.count; row++) index.remove(...unmatched.lanes(row));
  const settled = settleRows(sides, unmatched, { index, table });
  let extra = 0;
  const hash = new Int32Array(2);
  docs.forEachUnseen((doc) => {
    const key = docs.key(doc);
    hashKey(bytesView(key), 0, key.length, hash, 0);
    index.add(hash[0], hash[1], ...docs.hash(doc));
    extra++;
  });
  const { skipped } = matcher;
  return { ...settled, rows, skipped, unmatched, extra, digests: { index, table }, vectors };
}

async function readRows(
  sides: ComparedSides,
  { signal, progress }: CallContext,
  matcher: RowMatcher,
  digest: DigestBuckets,
): Promise<void> {
  const { table, schema, set } = sides;
  if (set.snapshotId === null) return;
  const columns = schema.fields.map((column) => column.name);
  const total = set.files.reduce((sum, { data }) => sum + data.recordCount, 0);
  const scan = table.scan({ snapshotId: set.snapshotId, columns, schema, signal });
  const snapshot = String(set.snapshotId);
  for await (const batch of readAhead(scan, signal)) {
    matcher.match(batch);
    const docs_done = digest.count;
    progress?.({
      phase: 'comparing',
      docs_done,
      docs_total: Math.max(total, docs_done),
      snapshot,
    });
  }
}

/** Finds the documents of rows, batch by batch; the rows of a file come together. */
export class RowMatcher {
  readonly #sides: ComparedSides;
  readonly #unmatched: UnmatchedRows;
  readonly #digest: DigestBuckets;
  readonly #setNumbers: ReadonlyMap<string, number>;
  readonly #files: FileTable;
  #file: string | null = null;
  /** Number of the file among the snapshot's. */
  #number = -1;
  #at: Int32Array = new Int32Array(0);

  readonly #vectors: VectorPresence | null;
  /** Rows that have no document by rule. */
  skipped = 0;

  constructor(
    sides: ComparedSides,
    unmatched: UnmatchedRows,
    digest: DigestBuckets,
    vectors: VectorPresence | null = null,
  ) {
    this.#vectors = vectors;
    this.#sides = sides;
    this.#unmatched = unmatched;
    this.#digest = digest;
    this.#setNumbers = new Map(sides.set.files.map(({ data }, i) => [data.path, i]));
    this.#files = createFileTable(sides.files);
  }

  /** Takes the rows of a batch. Throws source_invalid, limit_exceeded. */
  match(read: Batch): void {
    const { mapping, docs } = this.#sides;
    if (read.file !== this.#file) this.#open(read.file);
    const good = goodRows(mapping, read, () => {
      this.skipped++;
    });
    const batch = ownRows(mapping, good);
    const { offsets, bytes } = encodeKeys(mapping, batch);
    const hashes = rowHashes(this.#sides.schema.fields, batch);
    const all = docs.hashSets.map((set) => rowLanes(hashes.of(set) ?? hashes.own));
    const view = bytesView(bytes);
    const hash = new Int32Array(2);
    const seen = new Int32Array(batch.rows).fill(-1);
    for (let row = 0; row < batch.rows; row++) {
      const [from, to] = [offsets[row], offsets[row + 1]];
      hashKey(view, from, to, hash, 0);
      const position = batch.positions[row];
      const doc = position < this.#at.length ? this.#at[position] : -1;
      let lanes = all[doc < 0 ? 0 : docs.hashSet(doc)];
      if (doc >= 0 && docs.equals(doc, bytes, from, to, lanes[2 * row], lanes[2 * row + 1])) {
        docs.see(doc);
        seen[row] = doc;
      } else {
        lanes = all[0];
        this.#unmatched.add(bytes, from, to, { file: this.#number, position }, hash, all, row);
      }
      this.#digest.add(hash[0], hash[1], lanes[2 * row], lanes[2 * row + 1]);
    }
    this.#vectors?.look(batch, seen);
    if (this.#unmatched.bytes > LIMITS.heldRowBytes)
      throw tooManyUnmatched(mapping, this.#unmatched);
  }

  #open(file: string): void {
    const { set, docs } = this.#sides;
    this.#file = file;
    this.#number = this.#setNumbers.get(file) ?? -1;
    const known = this.#files.known(file);
    const records = set.files[this.#number]?.data.recordCount ?? 0;
    this.#at = known === null ? new Int32Array(0) : docs.inFile(known, records);
  }
}

function tooManyUnmatched({ definition }: Mapping, unmatched: UnmatchedRows): LhsError {
  const fault = 'rows differ from the index: no use in naming them one by one';
  return new LhsError('limit_exceeded', `more than ${unmatched.count} ${fault}`, {
    hint: 'a sync or a reindex makes the index equal to the table',
    next: [
      { step: 'sync', index: definition.index },
      { step: 'reindex', index: definition.index },
    ],
  });
}
