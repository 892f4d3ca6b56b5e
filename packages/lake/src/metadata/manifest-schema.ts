import type { Field, StructType, Type } from '../schema/type.ts';

/**
 * The schemas of manifest lists and manifests by field id (format/spec.md, "Manifests",
 * "Snapshots").
 */

const field = (id: number, name: string, type: Type, required = false): Field => ({
  id,
  name,
  required,
  type,
});
const int: Type = { kind: 'int' };
const long: Type = { kind: 'long' };
const string: Type = { kind: 'string' };
const binary: Type = { kind: 'binary' };
const boolean: Type = { kind: 'boolean' };

const mapOf = (keyId: number, valueId: number, value: Type): Type => ({
  kind: 'map',
  keyId,
  key: int,
  valueId,
  valueRequired: true,
  value,
});
const listOf = (elementId: number, element: Type): Type => ({
  kind: 'list',
  elementId,
  elementRequired: true,
  element,
});

const PARTITION_SUMMARY: StructType = {
  kind: 'struct',
  fields: [
    field(509, 'contains_null', boolean, true),
    field(518, 'contains_nan', boolean),
    field(510, 'lower_bound', binary),
    field(511, 'upper_bound', binary),
  ],
};

/**
 * The rows of a manifest list. With `reading` only what every version has is required; else the
 * version's own rules hold, as a writer of that version must follow them.
 */
export function manifestListSchema(version: 1 | 2 | 3, reading: boolean): StructType {
  const strict = version > 1 && !reading;
  const sequences = [
    field(517, 'content', int, strict),
    field(515, 'sequence_number', long, strict),
    field(516, 'min_sequence_number', long, strict),
  ];
  return {
    kind: 'struct',
    fields: [
      field(500, 'manifest_path', string, true),
      field(501, 'manifest_length', long, true),
      field(502, 'partition_spec_id', int, !reading),
      ...(version > 1 ? sequences : []),
      field(503, 'added_snapshot_id', long, !reading),
      field(504, 'added_files_count', int, strict),
      field(505, 'existing_files_count', int, strict),
      field(506, 'deleted_files_count', int, strict),
      field(512, 'added_rows_count', long, strict),
      field(513, 'existing_rows_count', long, strict),
      field(514, 'deleted_rows_count', long, strict),
      field(507, 'partitions', listOf(508, PARTITION_SUMMARY)),
      field(519, 'key_metadata', binary),
      ...(version > 2 ? [field(520, 'first_row_id', long)] : []),
    ],
  };
}

const DETAILS: readonly Field[] = [
  field(108, 'column_sizes', mapOf(117, 118, long)),
  field(132, 'split_offsets', listOf(133, long)),
  field(140, 'sort_order_id', int),
];

function fileSchema(partition: StructType, version: 1 | 2 | 3, reading: boolean): StructType {
  const fields = [
    ...(version > 1 ? [field(134, 'content', int, !reading)] : []),
    field(100, 'file_path', string, true),
    field(101, 'file_format', string, true),
    field(102, 'partition', partition, true),
    field(103, 'record_count', long, true),
    field(104, 'file_size_in_bytes', long, true),
    ...(version === 1 && !reading ? [field(105, 'block_size_in_bytes', long, true)] : []),
    field(109, 'value_counts', mapOf(119, 120, long)),
    field(110, 'null_value_counts', mapOf(121, 122, long)),
    field(137, 'nan_value_counts', mapOf(138, 139, long)),
    field(125, 'lower_bounds', mapOf(126, 127, binary)),
    field(128, 'upper_bounds', mapOf(129, 130, binary)),
    field(131, 'key_metadata', binary),
    ...(version > 1 ? [field(135, 'equality_ids', listOf(136, int))] : []),
    ...(version > 2 ? [field(142, 'first_row_id', long)] : []),
    ...(version > 1 ? [field(143, 'referenced_data_file', string)] : []),
    ...(version > 2 ? [field(144, 'content_offset', long)] : []),
    ...(version > 2 ? [field(145, 'content_size_in_bytes', long)] : []),
  ];
  return { kind: 'struct', fields };
}

/**
 * The rows of a manifest whose partition tuples are `partition`. `details` adds the columns that
 * only a rewrite of the entry needs: column sizes, split offsets, sort order.
 */
export function manifestEntrySchema(
  partition: StructType,
  version: 1 | 2 | 3,
  options: { readonly reading: boolean; readonly details: boolean },
): StructType {
  const file = fileSchema(partition, version, options.reading);
  const fields = options.details ? [...file.fields, ...DETAILS] : file.fields;
  const sequences = [field(3, 'sequence_number', long), field(4, 'file_sequence_number', long)];
  return {
    kind: 'struct',
    fields: [
      field(0, 'status', int, true),
      field(1, 'snapshot_id', long, version === 1 && !options.reading),
      ...(version > 1 ? sequences : []),
      field(2, 'data_file', { kind: 'struct', fields }, true),
    ],
  };
}
