import type { AvroType } from '../avro/avro-schema.ts';
import { type AvroFile, avroRows, openAvro } from '../avro/container.ts';
import { icebergTypeOf } from '../avro/iceberg-type.ts';
import { LakeError } from '../base/errors.ts';
import type { TableFiles } from '../base/files/table-files.ts';
import { LIMITS } from '../base/limits.ts';
import { type PartitionSpec, partitionTypes } from '../schema/partition-spec.ts';
import type { Field, StructType, StructValue, Type } from '../schema/type.ts';
import type { DataFile, DeleteFile } from './file-set.ts';
import { dataFileOf, deleteFileOf } from './manifest-file.ts';
import type { ManifestFile } from './manifest-list.ts';
import { manifestEntrySchema } from './manifest-schema.ts';
import { specById, type TableMetadata } from './table-metadata.ts';

/** One row of a manifest, after inheritance of ids and sequence numbers. */
export type ManifestEntry = {
  readonly status: 'existing' | 'added' | 'deleted';
  readonly snapshotId: bigint;
  readonly dataSequence: bigint;
  readonly fileSequence: bigint;
  /** The `data_file` struct of the manifest, unchanged; complete only if read with `details`. */
  readonly raw: StructValue;
} & (
  | { readonly content: 'data'; readonly file: DataFile }
  | { readonly content: 'deletes'; readonly file: DeleteFile }
);

const STATUS = ['existing', 'added', 'deleted'] as const;

/**
 * The entries of a manifest, in order, deleted ones included. Steps (format/spec.md, "Manifest
 * Inheritance"):
 * 1. null snapshot ids, and null sequence numbers of added entries, come from the manifest list;
 * 2. data files without first_row_id are numbered on from the manifest's, deleted entries left
 *    out;
 * 3. partition tuples are read with the types that the spec gives them now, wider ones after
 *    promotions.
 * Throws manifest_invalid (missing, damaged, breaking a rule), unsupported (encrypted),
 * path_refused.
 */
export async function readManifest(
  manifest: ManifestFile,
  metadata: TableMetadata,
  files: TableFiles,
  options: { readonly details?: boolean } = {},
): Promise<readonly ManifestEntry[]> {
  const bytes = await files.read(manifest.path, 'manifest_invalid', LIMITS.manifestBytes);
  const avro = openAvro(bytes, files.resolve(manifest.path), 'manifest_invalid');
  const spec = specOf(manifest, avro, metadata);
  const partition = partitionStruct(spec, avro, metadata);
  const details = options.details === true;
  const struct = manifestEntrySchema(partition, 3, { reading: true, details });
  const entries: ManifestEntry[] = [];
  let nextRowId = manifest.content === 'data' ? manifest.firstRowId : null;
  for (const row of avroRows(avro, struct, { code: 'manifest_invalid' })) {
    const entry = entryOf(row, manifest, spec, nextRowId);
    if (nextRowId !== null && takesRowIds(row, entry)) nextRowId += BigInt(entry.file.recordCount);
    entries.push(entry);
  }
  return entries;
}

function takesRowIds(row: StructValue, entry: ManifestEntry): boolean {
  return entry.status !== 'deleted' && (row.data_file as StructValue).first_row_id === null;
}

function specOf(manifest: ManifestFile, avro: AvroFile, metadata: TableMetadata): PartitionSpec {
  const id = manifest.specId ?? Number(avro.metadata.get('partition-spec-id') ?? '0');
  return specById(metadata, id);
}

function unwrap(type: AvroType): AvroType {
  if (type.kind !== 'union') return type;
  return type.branches.find((branch) => branch.kind !== 'null') ?? type;
}

function memberOf(type: AvroType, fieldId: number): AvroType | null {
  const record = unwrap(type);
  if (record.kind !== 'record') return null;
  const found = record.fields.find((field) => field.fieldId === fieldId);
  return found === undefined ? null : unwrap(found.type);
}

/** The partition tuple as a struct with fields "0", "1", … in the spec's order. */
function partitionStruct(spec: PartitionSpec, avro: AvroFile, metadata: TableMetadata): StructType {
  const file = memberOf(avro.schema, 2);
  const tuple = file === null ? null : memberOf(file, 102);
  const newestFirst = [metadata.schema, ...[...metadata.schemas].reverse()];
  const types = partitionTypes(spec, newestFirst);
  const fields = spec.fields.map((field, i): Field => {
    const stored = tuple === null ? null : memberOf(tuple, field.fieldId);
    const type = types[i] ?? (stored === null ? null : icebergTypeOf(stored));
    return { id: field.fieldId, name: String(i), required: false, type: dateOrInt(type, stored) };
  });
  return { kind: 'struct', fields };
}

/** A `day` value is a date in some files and a plain int in others; both are days. */
function dateOrInt(type: Type | null, stored: AvroType | null): Type {
  if (type === null) return { kind: 'unknown' };
  return type.kind === 'date' && stored?.kind === 'int' ? { kind: 'int' } : type;
}

function bad(manifest: ManifestFile, what: string): LakeError {
  return new LakeError('manifest_invalid', `manifest "${manifest.path}": ${what}`, {
    file: manifest.path,
  });
}

function entryOf(
  row: StructValue,
  manifest: ManifestFile,
  spec: PartitionSpec,
  nextRowId: bigint | null,
): ManifestEntry {
  const raw = row.data_file as StructValue;
  const status = STATUS[row.status as number];
  if (status === undefined) throw bad(manifest, `an entry has the status ${String(row.status)}`);
  const snapshotId = (row.snapshot_id as bigint | null) ?? manifest.addedSnapshotId;
  const inherits = status === 'added' || manifest.sequence === 0n;
  const inherited = inherits ? manifest.sequence : null;
  const dataSequence = (row.sequence_number as bigint | null) ?? inherited;
  if (dataSequence === null) {
    throw bad(manifest, `file "${String(raw.file_path)}" is ${status} without a sequence number`);
  }
  const fileSequence = (row.file_sequence_number as bigint | null) ?? inherited ?? dataSequence;
  const context = { manifest: manifest.path, spec, dataSequence, fileSequence, snapshotId };
  const isData = ((raw.content as number | null) ?? 0) === 0;
  if (isData !== (manifest.content === 'data')) {
    throw bad(
      manifest,
      `file "${String(raw.file_path)}" does not belong in a manifest of its kind`,
    );
  }
  const common = { status, snapshotId, dataSequence, fileSequence, raw };
  return isData
    ? { ...common, content: 'data', file: dataFileOf(raw, context, nextRowId) }
    : { ...common, content: 'deletes', file: deleteFileOf(raw, context) };
}
