import { LakeError } from '../base/errors.ts';
import type { PartitionSpec } from '../schema/partition-spec.ts';
import type { MapValue, StructValue, Value } from '../schema/type.ts';
import type { DataFile, DeleteFile } from './file-set.ts';
import { encrypted } from './manifest-list.ts';

/**
 * From the `data_file` struct of a manifest entry to a DataFile or DeleteFile (format/spec.md,
 * "Manifests").
 */

/** Values of the entry and its manifest besides the struct. */
export interface FileContext {
  readonly manifest: string;
  readonly spec: PartitionSpec;
  readonly dataSequence: bigint;
  readonly fileSequence: bigint;
  readonly snapshotId: bigint;
}

/** Field id of `file_path` in position delete files: its bounds say which data files are meant. */
const DELETE_FILE_PATH_ID = 2_147_483_546;

function bad(context: FileContext, path: string, what: string): LakeError {
  return new LakeError(
    'manifest_invalid',
    `manifest "${context.manifest}": file "${path}" has ${what}`,
    { file: context.manifest, details: { path } },
  );
}

function count(value: Value | undefined, what: string, context: FileContext, path: string): number {
  const number = Number(value as bigint);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw bad(context, path, `the ${what} ${String(value)}`);
}

function mapOf<T extends Value>(value: Value | undefined): ReadonlyMap<number, T> {
  if (value === null || value === undefined) return EMPTY as ReadonlyMap<number, T>;
  return new Map((value as MapValue).entries as readonly (readonly [number, T])[]);
}

const EMPTY: ReadonlyMap<number, never> = new Map<number, never>();

function common(raw: StructValue, context: FileContext) {
  const path = raw.file_path as string;
  if (raw.key_metadata !== null && raw.key_metadata !== undefined) throw encrypted(path, 'file');
  const tuple = raw.partition as StructValue;
  return {
    path,
    specId: context.spec.specId,
    partition: context.spec.fields.map((_, i) => tuple[String(i)] ?? null),
    recordCount: count(raw.record_count, 'record count', context, path),
    fileSize: count(raw.file_size_in_bytes, 'size', context, path),
    dataSequence: context.dataSequence,
  };
}

const ROW_FORMATS = ['parquet', 'avro', 'orc'] as const;
type RowFormat = (typeof ROW_FORMATS)[number];

function rowFormat(raw: StructValue, context: FileContext): RowFormat {
  const format = (raw.file_format as string).toLowerCase();
  const known = ROW_FORMATS.find((name) => name === format);
  if (known !== undefined) return known;
  throw new LakeError(
    'unsupported',
    `file "${String(raw.file_path)}" has the format "${format}"; parquet, avro and orc are known`,
    { file: raw.file_path as string, details: { manifest: context.manifest } },
  );
}

/**
 * A data file. `nextRowId` is the row id that a file without its own gets. Throws
 * manifest_invalid, unsupported.
 */
export function dataFileOf(
  raw: StructValue,
  context: FileContext,
  nextRowId: bigint | null,
): DataFile {
  return Object.freeze({
    ...common(raw, context),
    format: rowFormat(raw, context),
    fileSequence: context.fileSequence,
    addedSnapshotId: context.snapshotId,
    firstRowId: (raw.first_row_id as bigint | null) ?? nextRowId,
    lowerBounds: mapOf<Uint8Array>(raw.lower_bounds),
    upperBounds: mapOf<Uint8Array>(raw.upper_bounds),
    nullCounts: mapOf<bigint>(raw.null_value_counts),
    nanCounts: mapOf<bigint>(raw.nan_value_counts),
    valueCounts: mapOf<bigint>(raw.value_counts),
    columnSizes: mapOf<bigint>(raw.column_sizes),
  });
}

/**
 * A delete file: of positions, of equal values, or a deletion vector. Throws manifest_invalid,
 * unsupported.
 */
export function deleteFileOf(raw: StructValue, context: FileContext): DeleteFile {
  const base = common(raw, context);
  switch (raw.content) {
    case 1:
      return Object.freeze(
        (raw.file_format as string).toLowerCase() === 'puffin'
          ? { ...base, ...vectorOf(raw, context, base.path) }
          : { ...base, ...positionOf(raw, context) },
      );
    case 2:
      return Object.freeze({ ...base, ...equalityOf(raw, context, base.path) });
    default:
      throw bad(context, base.path, `the content ${String(raw.content)}; 0, 1 and 2 are known`);
  }
}

function vectorOf(raw: StructValue, context: FileContext, path: string) {
  const referencedDataFile = raw.referenced_data_file as string | null;
  if (referencedDataFile === null || raw.content_offset === null) {
    throw bad(context, path, 'no referenced_data_file or content_offset, which a vector needs');
  }
  return {
    kind: 'vector' as const,
    format: 'puffin' as const,
    referencedDataFile,
    contentOffset: count(raw.content_offset, 'content offset', context, path),
    contentSize: count(raw.content_size_in_bytes, 'content size', context, path),
  };
}

function positionOf(raw: StructValue, context: FileContext) {
  const lower = mapOf<Uint8Array>(raw.lower_bounds).get(DELETE_FILE_PATH_ID) ?? null;
  const upper = mapOf<Uint8Array>(raw.upper_bounds).get(DELETE_FILE_PATH_ID) ?? null;
  const bounds =
    lower === null || upper === null ? null : { lower: text(lower), upper: text(upper) };
  return {
    kind: 'position' as const,
    format: rowFormat(raw, context),
    referencedDataFile: (raw.referenced_data_file as string | null) ?? null,
    pathBounds: bounds,
  };
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function equalityOf(raw: StructValue, context: FileContext, path: string) {
  const equalityIds = raw.equality_ids as readonly number[] | null;
  if (equalityIds === null || equalityIds.length === 0) {
    throw bad(context, path, 'no equality_ids, which an equality delete needs');
  }
  return { kind: 'equality' as const, format: rowFormat(raw, context), equalityIds };
}
