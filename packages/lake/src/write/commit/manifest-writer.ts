import { randomUUID } from 'node:crypto';
import { encodeAvro } from '../../avro/write-container.ts';
import type { TableFiles } from '../../base/files/table-files.ts';
import { formatJson } from '../../base/json.ts';
import type { ManifestEntry } from '../../metadata/manifest.ts';
import { manifestEntrySchema } from '../../metadata/manifest-schema.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import { compareValues } from '../../schema/compare.ts';
import {
  type PartitionSpec,
  partitionFieldsToJson,
  partitionTypes,
} from '../../schema/partition-spec.ts';
import { schemaToJson } from '../../schema/schema-json.ts';
import { encodeSingleValue } from '../../schema/single-value.ts';
import {
  MapValue,
  type StructType,
  type StructValue,
  type Type,
  type Value,
} from '../../schema/type.ts';
import type { NewDataFile } from '../files/data-files.ts';

/**
 * A file that a delete commits: positions of rows (v2), a deletion vector (v3), or values that are
 * gone.
 */
export type NewDeleteFile = {
  readonly recorded: string;
  readonly real: string;
  readonly specId: number;
  readonly partition: readonly Value[];
  readonly recordCount: number;
  readonly fileSize: number;
} & (
  | { readonly kind: 'position'; readonly referencedDataFile: string | null }
  | { readonly kind: 'equality'; readonly equalityIds: readonly number[] }
  | {
      readonly kind: 'vector';
      readonly referencedDataFile: string;
      readonly contentOffset: number;
      readonly contentSize: number;
    }
);

/** One row of a manifest on its way out; null ids and sequence numbers are inherited by readers. */
export interface EntryRow {
  readonly status: 0 | 1 | 2;
  readonly snapshotId: bigint | null;
  readonly dataSequence: bigint | null;
  readonly fileSequence: bigint | null;
  /** The `data_file` struct, its partition tuple by index. */
  readonly file: StructValue;
}

/** What a manifest is written for. */
export interface ManifestContext {
  readonly metadata: TableMetadata;
  readonly files: TableFiles;
  readonly snapshotId: bigint;
  /** Sequence number of the snapshot that is being made. */
  readonly sequence: bigint;
}

const EXISTING = 0;
const ADDED = 1;
const DELETED = 2;

/** The entry of a data file that the snapshot adds. */
export function addedData(file: NewDataFile, snapshotId: bigint): EntryRow {
  return {
    status: ADDED,
    snapshotId,
    dataSequence: null,
    fileSequence: null,
    file: {
      ...NO_DETAILS,
      content: 0,
      file_path: file.recorded,
      file_format: file.format === 'avro' ? 'AVRO' : 'PARQUET',
      partition: tuple(file.partition),
      record_count: BigInt(file.recordCount),
      file_size_in_bytes: BigInt(file.fileSize),
      value_counts: mapValue(file.valueCounts),
      null_value_counts: mapValue(file.nullCounts),
      lower_bounds: mapValue(file.lowerBounds),
      upper_bounds: mapValue(file.upperBounds),
    },
  };
}

/** The entry of a delete file that the snapshot adds. */
export function addedDelete(file: NewDeleteFile, snapshotId: bigint): EntryRow {
  const vector = file.kind === 'vector';
  return {
    status: ADDED,
    snapshotId,
    dataSequence: null,
    fileSequence: null,
    file: {
      ...NO_DETAILS,
      content: file.kind === 'equality' ? 2 : 1,
      equality_ids: file.kind === 'equality' ? file.equalityIds : null,
      file_path: file.recorded,
      file_format: vector ? 'PUFFIN' : 'PARQUET',
      partition: tuple(file.partition),
      record_count: BigInt(file.recordCount),
      file_size_in_bytes: BigInt(file.fileSize),
      referenced_data_file: file.kind === 'equality' ? null : file.referencedDataFile,
      content_offset: vector ? BigInt(file.contentOffset) : null,
      content_size_in_bytes: vector ? BigInt(file.contentSize) : null,
    },
  };
}

/**
 * An entry of an older manifest, carried over (`existing`) or marked as gone (`deleted`) by this
 * snapshot.
 */
export function carriedEntry(entry: ManifestEntry, gone: boolean, snapshotId: bigint): EntryRow {
  const firstRowId = entry.content === 'data' ? entry.file.firstRowId : null;
  return {
    status: gone ? DELETED : EXISTING,
    snapshotId: gone ? snapshotId : entry.snapshotId,
    dataSequence: entry.dataSequence,
    fileSequence: entry.fileSequence,
    file: { ...NO_DETAILS, ...entry.raw, first_row_id: firstRowId },
  };
}

const NO_DETAILS: StructValue = {
  block_size_in_bytes: 67_108_864n,
  value_counts: null,
  null_value_counts: null,
  nan_value_counts: null,
  lower_bounds: null,
  upper_bounds: null,
  key_metadata: null,
  equality_ids: null,
  first_row_id: null,
  referenced_data_file: null,
  content_offset: null,
  content_size_in_bytes: null,
  column_sizes: null,
  split_offsets: null,
  sort_order_id: null,
};

function mapValue(map: ReadonlyMap<number, Value>): MapValue {
  return new MapValue([...map].sort(([a], [b]) => a - b));
}

function tuple(values: readonly Value[]): StructValue {
  return Object.fromEntries(values.map((value, i) => [String(i), value]));
}

/** Writes a manifest and returns its row for the manifest list (`first_row_id` still null). */
export async function writeManifest(
  context: ManifestContext,
  content: 'data' | 'deletes',
  spec: PartitionSpec,
  rows: readonly EntryRow[],
): Promise<StructValue> {
  const { metadata, files } = context;
  const recorded = files.record(`metadata/${randomUUID()}-m0.avro`);
  const types = specTypes(spec, metadata);
  const struct = manifestEntrySchema(partitionStruct(spec, types), metadata.formatVersion, {
    reading: false,
    details: true,
  });
  const values = rows.map((row) => entryValue(row, spec));
  const bytes = encodeAvro(struct, values, {
    name: 'manifest_entry',
    metadata: manifestHeader(metadata, content, spec),
  });
  await files.store.write(files.resolve(recorded), bytes);
  return listRow(context, content, spec, types, rows, recorded, bytes.length);
}

function entryValue(row: EntryRow, spec: PartitionSpec): StructValue {
  const partition = row.file.partition as StructValue;
  const named = spec.fields.map(
    (f, i) => [avroName(f.name), partition[String(i)] ?? null] as const,
  );
  return {
    status: row.status,
    snapshot_id: row.snapshotId,
    sequence_number: row.dataSequence,
    file_sequence_number: row.fileSequence,
    data_file: { ...row.file, partition: Object.fromEntries(named) },
  };
}

function specTypes(spec: PartitionSpec, metadata: TableMetadata): readonly Type[] {
  const types = partitionTypes(spec, [metadata.schema, ...[...metadata.schemas].reverse()]);
  return types.map((type) => type ?? { kind: 'string' });
}

function partitionStruct(spec: PartitionSpec, types: readonly Type[]): StructType {
  const fields = spec.fields.map((f, i) => ({
    id: f.fieldId,
    name: avroName(f.name),
    required: false,
    type: types[i],
  }));
  return { kind: 'struct', fields };
}

/**
 * Avro names are `[A-Za-z_][A-Za-z0-9_]*`; other characters become `_xHEX`, a leading figure gets
 * `_` before it.
 */
function avroName(name: string): string {
  const safe = name.replace(
    /[^A-Za-z0-9_]/gu,
    (c) => `_x${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
  );
  return /^\d/.test(safe) ? `_${safe}` : safe;
}

function manifestHeader(
  metadata: TableMetadata,
  content: 'data' | 'deletes',
  spec: PartitionSpec,
): Readonly<Record<string, string>> {
  return {
    schema: formatJson(schemaToJson(metadata.schema)),
    'schema-id': String(metadata.schema.schemaId),
    'partition-spec': formatJson(partitionFieldsToJson(spec)),
    'partition-spec-id': String(spec.specId),
    'format-version': String(metadata.formatVersion),
    ...(metadata.formatVersion > 1 ? { content } : {}),
  };
}

function listRow(
  context: ManifestContext,
  content: 'data' | 'deletes',
  spec: PartitionSpec,
  types: readonly Type[],
  rows: readonly EntryRow[],
  path: string,
  length: number,
): StructValue {
  const of = (status: number) => rows.filter((r) => r.status === status);
  const files = (status: number) => of(status).length;
  const records = (status: number) =>
    of(status).reduce((n, r) => n + (r.file.record_count as bigint), 0n);
  const live = rows
    .filter((r) => r.status !== DELETED)
    .map((r) => r.dataSequence ?? context.sequence);
  const [minSequence = context.sequence] = live.sort(compareValues);
  return {
    manifest_path: path,
    manifest_length: BigInt(length),
    partition_spec_id: spec.specId,
    content: content === 'data' ? 0 : 1,
    sequence_number: context.sequence,
    min_sequence_number: minSequence,
    added_snapshot_id: context.snapshotId,
    added_files_count: files(ADDED),
    existing_files_count: files(EXISTING),
    deleted_files_count: files(DELETED),
    added_rows_count: records(ADDED),
    existing_rows_count: records(EXISTING),
    deleted_rows_count: records(DELETED),
    partitions: spec.fields.map((_, i) => summary(types[i], rows, String(i))),
    key_metadata: null,
    first_row_id: null,
  };
}

/** Bounds of one partition field over the live entries of a manifest. */
function summary(type: Type, rows: readonly EntryRow[], name: string): StructValue {
  const live = rows.filter((r) => r.status !== DELETED);
  const all = live.map((r) => (r.file.partition as StructValue)[name] ?? null);
  const values = all.filter((v) => v !== null && !Number.isNaN(v)).sort(compareValues);
  const bytes = (value: Value | undefined) =>
    value === undefined ? null : (encodeSingleValue(type, value) ?? null);
  return {
    contains_null: all.includes(null),
    contains_nan: all.some((v) => Number.isNaN(v)),
    lower_bound: bytes(values[0]),
    upper_bound: bytes(values.at(-1)),
  };
}
