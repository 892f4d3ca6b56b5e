/** Rewrites indexes as format 1 had them, for tests of what is read, mixed and upgraded. */
import { openTable, type TableConfig } from '@lakehouse-search/lake';
import { radixOrder } from '../../packages/engine/src/base/arrays/radix-order.ts';
import { hashBytes } from '../../packages/engine/src/base/bytes/hash-bytes.ts';
import { ByteListWriter } from '../../packages/engine/src/columnar/byte-list.ts';
import { RowHashes } from '../../packages/engine/src/documents/row-hash.ts';
import { readCommit } from '../../packages/engine/src/index/commits/commit.ts';
import { openSnapshot } from '../../packages/engine/src/index/index-snapshot.ts';
import { readStoredSchema } from '../../packages/engine/src/schema/stored-schema.ts';
import { type SegmentEntry, writeComponent } from '../../packages/engine/src/segment/entry.ts';
import type { SegmentReader } from '../../packages/engine/src/segment/segment-reader.ts';
import type { Directory } from '../../packages/engine/src/storage/directory.ts';
import { packSections } from '../../packages/engine/src/storage/sections.ts';
import { writeOldCommit } from './old-commit.ts';

/** The row hash that format 1 gives a document. */
export type FormatOneHash = (path: string, position: number, hash: bigint) => bigint;

/** Replaces the keys and hashes of the chosen segments of a commit by a `core` (all by default). */
export function toFormatOne(
  directory: Directory,
  hashOf: FormatOneHash = (_path, _position, hash) => hash,
  chosen: (segment: number) => boolean = () => true,
): void {
  const snapshot = openSnapshot(directory);
  const { commit, files, segments } = snapshot;
  const rewritten = segments.map((reader, i): SegmentEntry => {
    if (!chosen(i)) return reader.entry;
    const { id, docs, deletedDocs, shard } = reader.entry;
    const parts = coreOf(reader, (doc) => {
      const { path } = files.at(reader.locators.file(doc));
      return hashOf(path, reader.locators.position(doc), reader.hash(doc));
    });
    const core = writeComponent(directory, id, { kind: 'core' }, parts);
    const components = [
      ...reader.entry.components.filter(({ kind }) => kind !== 'keys' && kind !== 'hashes'),
      core,
    ];
    return { id, docs, deletedDocs, components, ...(shard === undefined ? {} : { shard }) };
  });
  snapshot.release();
  const all = rewritten.every(({ hashed }) => hashed === undefined);
  const whole = columnsOf(directory);
  const covered = rewritten.map((entry): SegmentEntry => {
    if (all || entry.hashed !== undefined) return entry;
    return { ...entry, hashed: [{ docs: entry.docs, whole, columns: [] }] };
  });
  writeOldCommit(
    directory,
    { ...commit, number: commit.number + 1, segments: covered },
    all ? 1 : 2,
  );
}

/** As `toFormatOne`, with the row hashes that format 1 gives the rows of the index's table. */
export async function tableToFormatOne(
  directory: Directory,
  config: TableConfig,
  chosen?: (segment: number) => boolean,
): Promise<void> {
  const { checkpoint } = readCommit(directory)!;
  const schema = readStoredSchema(checkpoint!.schema);
  const table = await openTable(config);
  const hashes = new Map<string, bigint>();
  const snapshotId = checkpoint!.snapshot_id === null ? null : BigInt(checkpoint!.snapshot_id);
  const columns = schema.fields.map(({ name }) => name);
  if (snapshotId !== null) {
    for await (const batch of table.scan({ snapshotId, columns, schema })) {
      const vectors = schema.fields.map(({ id }, i) => ({ fieldId: id, vector: batch.columns[i] }));
      const whole = schema.fields.map(({ id }) => id);
      const own = new RowHashes(vectors, batch.rows).of({ whole, columns: [] })!;
      own.forEach((hash, row) => {
        hashes.set(`${batch.file} ${batch.positions[row]}`, hash);
      });
    }
  }
  await table.close();
  toFormatOne(directory, (path, position) => hashes.get(`${path} ${position}`) ?? 0n, chosen);
}

/** Field ids of the columns that an index uses, ascending. */
function columnsOf(directory: Directory): readonly number[] {
  const { checkpoint } = readCommit(directory)!;
  const { fields = [] } = (checkpoint?.schema ?? {}) as { fields?: readonly { id: number }[] };
  return fields.map(({ id }) => id).sort((a, b) => a - b);
}

/** The payload of a `core` (docs/format.md, format 1). */
function coreOf(reader: SegmentReader, hashOf: (doc: number) => bigint): Uint8Array[] {
  const { docs, keys } = reader;
  const list = new ByteListWriter();
  const hashes = new Uint32Array(docs);
  keys.forEach((bytes, length, doc) => {
    list.add(bytes, 0, length);
    hashes[doc] = hashBytes(bytes, 0, length);
  });
  const { values, order } = radixOrder(hashes);
  const rows = BigUint64Array.from({ length: docs }, (_, doc) => hashOf(doc));
  return packSections([
    Int32Array.of(docs, 0, 0, 0),
    ...list.finish(),
    Int32Array.from({ length: docs }, (_, doc) => keys.rank(doc)),
    values,
    order,
    rows,
  ]);
}
