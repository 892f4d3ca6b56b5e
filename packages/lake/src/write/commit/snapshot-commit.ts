import { randomBytes, randomUUID } from 'node:crypto';
import { encodeAvro } from '../../avro/write-container.ts';
import type { TableFiles } from '../../base/files/table-files.ts';
import type { JsonObject } from '../../base/json.ts';
import { type ManifestEntry, readManifest } from '../../metadata/manifest.ts';
import { type ManifestFile, readManifestList } from '../../metadata/manifest-list.ts';
import { manifestListSchema } from '../../metadata/manifest-schema.ts';
import type { SnapshotEntry } from '../../metadata/snapshot.ts';
import { snapshotOf, specById, type TableMetadata } from '../../metadata/table-metadata.ts';
import type { Schema, StructValue } from '../../schema/type.ts';
import type { NewDataFile } from '../files/data-files.ts';
import { carriedPositions } from '../follow/follow-position.ts';
import {
  addedData,
  addedDelete,
  carriedEntry,
  type ManifestContext,
  type NewDeleteFile,
  writeManifest,
} from './manifest-writer.ts';
import { withSchema, withSnapshot } from './next-metadata.ts';

/** What a snapshot does to the files of its parent. */
export interface SnapshotChange {
  readonly operation: 'append' | 'overwrite' | 'delete' | 'replace';
  readonly addedData: readonly NewDataFile[];
  readonly addedDeletes: readonly NewDeleteFile[];
  /** Entries of the parent that are gone. */
  readonly removes: (entry: ManifestEntry) => boolean;
  /** False: no entry can be removed, so no old manifest is read. */
  readonly mayRemove: boolean;
  /** The schema of the table from this snapshot on. Default: as it is. */
  readonly schema?: Schema;
  /** More properties of the summary. */
  readonly summary?: Readonly<Record<string, string>> | undefined;
}

/**
 * The result of `snapshotMetadata`: the next metadata and the files that must go if the commit
 * fails.
 */
export interface PreparedSnapshot {
  readonly metadata: JsonObject;
  readonly snapshotId: bigint;
  readonly written: readonly string[];
}

/**
 * Prepares a snapshot on a branch:
 * 1. manifests of the parent that lose an entry are rewritten (EXISTING and DELETED), the others
 * are kept as they are;
 * 2. added data files and delete files get a manifest each kind (and spec);
 * 3. the manifest list is written; in v3 new data manifests take row ids;
 * 4. the metadata JSON of the next version is made. Nothing is visible before that is committed.
 */
export async function snapshotMetadata(
  before: TableMetadata,
  files: TableFiles,
  change: SnapshotChange,
  branch: string,
): Promise<PreparedSnapshot> {
  const metadata = change.schema === undefined ? before : withSchema(before, change.schema);
  const parent = parentOf(metadata, branch);
  const sequence = metadata.formatVersion > 1 ? metadata.lastSequenceNumber + 1n : 0n;
  const context: ManifestContext = { metadata, files, snapshotId: newSnapshotId(), sequence };
  const old = parent === null ? [] : await readManifestList(parent, files);
  const carried = await carryOver(context, old, change);
  const rows = [...(await writeAdded(context, change)), ...carried.rows];
  const { numbered, firstRowId, addedRows } = assignRowIds(metadata, rows);
  const recorded = files.record(`metadata/snap-${context.snapshotId}-1-${randomUUID()}.avro`);
  const bytes = encodeAvro(manifestListSchema(metadata.formatVersion, false), numbered, {
    name: 'manifest_file',
    metadata: listHeader(context, parent),
  });
  await files.store.write(files.resolve(recorded), bytes);
  const next = withSnapshot(
    metadata,
    {
      id: context.snapshotId,
      parentId: parent?.id ?? null,
      sequenceNumber: sequence,
      timestampMs: Math.max(Date.now(), metadata.lastUpdatedMs),
      manifestList: recorded,
      schemaId: metadata.schema.schemaId,
      summary: summaryOf(change, parent, carried.removed),
      rows: firstRowId === null ? undefined : { first: firstRowId, added: addedRows },
    },
    branch,
  );
  const made = rows.filter((r) => !old.some((m) => m.path === r.manifest_path));
  const written = [recorded, ...made.map((r) => r.manifest_path as string)];
  return { metadata: next, snapshotId: context.snapshotId, written };
}

function parentOf(metadata: TableMetadata, branch: string): SnapshotEntry | null {
  const ref = metadata.refs.find((r) => r.name === branch);
  const id = ref?.snapshotId ?? (branch === 'main' ? metadata.currentSnapshotId : null);
  return id === null ? null : snapshotOf(metadata, id);
}

/** A random positive id of 63 bits, as other writers take. */
function newSnapshotId(): bigint {
  return (randomBytes(8).readBigUInt64LE() & 0x7fff_ffff_ffff_ffffn) | 1n;
}

interface CarriedOver {
  readonly rows: readonly StructValue[];
  readonly removed: readonly ManifestEntry[];
}

async function carryOver(
  context: ManifestContext,
  manifests: readonly ManifestFile[],
  change: SnapshotChange,
): Promise<CarriedOver> {
  const rows: StructValue[] = [];
  const removed: ManifestEntry[] = [];
  for (const manifest of manifests) {
    const saysEmpty = manifest.addedFiles === 0 && manifest.existingFiles === 0;
    const entries = saysEmpty || change.mayRemove ? await liveEntries(context, manifest) : [];
    if (saysEmpty && entries.length === 0) continue;
    const gone = new Set(entries.filter(change.removes));
    if (gone.size === 0) {
      rows.push(listRowOf(manifest));
      continue;
    }
    removed.push(...gone);
    const spec = specById(context.metadata, entries[0].file.specId);
    const kept = entries.map((e) => carriedEntry(e, gone.has(e), context.snapshotId));
    rows.push(await writeManifest(context, manifest.content, spec, kept));
  }
  return { rows, removed };
}

async function liveEntries(context: ManifestContext, manifest: ManifestFile) {
  const { metadata, files } = context;
  const entries = await readManifest(manifest, metadata, files, { details: true });
  return entries.filter((e) => e.status !== 'deleted');
}

/** The row of an old manifest for the new list; what v1 lists leave out is filled in. */
function listRowOf(manifest: ManifestFile): StructValue {
  return {
    ...manifest.raw,
    manifest_path: manifest.path,
    manifest_length: BigInt(manifest.length),
    partition_spec_id: manifest.specId ?? 0,
    content: manifest.content === 'data' ? 0 : 1,
    sequence_number: manifest.sequence,
    min_sequence_number: manifest.minSequence,
    added_snapshot_id: manifest.addedSnapshotId,
    first_row_id: manifest.firstRowId,
  };
}

async function writeAdded(
  context: ManifestContext,
  change: SnapshotChange,
): Promise<StructValue[]> {
  const { metadata, snapshotId } = context;
  const rows: StructValue[] = [];
  if (change.addedData.length > 0) {
    const entries = change.addedData.map((f) => addedData(f, snapshotId));
    rows.push(await writeManifest(context, 'data', metadata.defaultSpec, entries));
  }
  for (const specId of new Set(change.addedDeletes.map((f) => f.specId))) {
    const entries = change.addedDeletes
      .filter((f) => f.specId === specId)
      .map((f) => addedDelete(f, snapshotId));
    rows.push(await writeManifest(context, 'deletes', specById(metadata, specId), entries));
  }
  return rows;
}

/**
 * Row lineage (v3): data manifests without a first row id are numbered on from the table's next row
 * id.
 */
function assignRowIds(metadata: TableMetadata, rows: readonly StructValue[]) {
  if (metadata.nextRowId === null) return { numbered: rows, firstRowId: null, addedRows: 0n };
  let next = metadata.nextRowId;
  const numbered = rows.map((row) => {
    if (row.content !== 0 || row.first_row_id !== null) return row;
    const first = next;
    next += (row.added_rows_count as bigint) + (row.existing_rows_count as bigint);
    return { ...row, first_row_id: first };
  });
  return { numbered, firstRowId: metadata.nextRowId, addedRows: next - metadata.nextRowId };
}

function listHeader(context: ManifestContext, parent: SnapshotEntry | null) {
  const { metadata, snapshotId, sequence } = context;
  return {
    'snapshot-id': String(snapshotId),
    'parent-snapshot-id': parent === null ? 'null' : String(parent.id),
    ...(metadata.formatVersion > 1 ? { 'sequence-number': String(sequence) } : {}),
    'format-version': String(metadata.formatVersion),
  };
}

/** A total that the parent's summary allows: one without a count allows none. */
function totalAfter(parent: SnapshotEntry | null, key: string, change: bigint) {
  const before = parent === null ? '0' : (parent.summary[key] ?? '');
  if (!/^\d{1,19}$/.test(before)) return {};
  const total = BigInt(before) + change;
  return total < 0n ? {} : { [key]: String(total) };
}

function summaryOf(
  change: SnapshotChange,
  parent: SnapshotEntry | null,
  removed: readonly ManifestEntry[],
): Readonly<Record<string, string>> {
  const sum = (counts: readonly number[]) => BigInt(counts.reduce((a, b) => a + b, 0));
  const removedData = removed.filter((e) => e.content === 'data');
  const removedDeletes = removed.filter((e) => e.content === 'deletes');
  const added = sum(change.addedData.map((f) => f.recordCount));
  const gone = sum(removedData.map((e) => e.file.recordCount));
  const addedPositions = sum(change.addedDeletes.map((f) => f.recordCount));
  const gonePositions = sum(removedDeletes.map((e) => e.file.recordCount));
  const files = BigInt(change.addedData.length - removedData.length);
  const deletes = BigInt(change.addedDeletes.length - removedDeletes.length);
  const facts: Record<string, bigint> = {
    'added-data-files': BigInt(change.addedData.length),
    'deleted-data-files': BigInt(removedData.length),
    'added-records': added,
    'deleted-records': gone,
    'added-delete-files': BigInt(change.addedDeletes.length),
    'removed-delete-files': BigInt(removedDeletes.length),
    'added-position-deletes': addedPositions,
    'removed-position-deletes': gonePositions,
  };
  const shown = Object.entries(facts).filter(([, n]) => n > 0n);
  return {
    operation: change.operation,
    ...Object.fromEntries(shown.map(([k, n]) => [k, String(n)])),
    ...totalAfter(parent, 'total-records', added - gone),
    ...totalAfter(parent, 'total-data-files', files),
    ...totalAfter(parent, 'total-delete-files', deletes),
    ...totalAfter(parent, 'total-position-deletes', addedPositions - gonePositions),
    ...totalAfter(parent, 'total-equality-deletes', 0n),
    ...carriedPositions(parent),
    ...change.summary,
    'engine-name': 'lhs',
  };
}
