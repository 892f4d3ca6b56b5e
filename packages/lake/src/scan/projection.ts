import { LakeError } from '../base/errors.ts';
import type { DataFile } from '../metadata/file-set.ts';
import { specById } from '../metadata/table-metadata.ts';
import { canPromote, promote } from '../schema/promotion.ts';
import { LAST_UPDATED, ROW_ID, ROW_KEY } from '../schema/row-fields.ts';
import type { Field, Type, Value } from '../schema/type.ts';
import type { ColumnVector } from './batch.ts';
import type { FileRows, OpenFile } from './file-rows.ts';
import type { ReadContext } from './read-context.ts';
import { ROW_KEY_BYTES, rowKeyPrefix, rowKeyVector } from './row-key.ts';
import { constantVector } from './vectors.ts';

/**
 * Columns of a data file as the table's schema has them (format/spec.md, "Column Projection" and
 * "Row Lineage"):
 *
 * 1. the file's column with the field's id (or, in files without ids, with a name that the name
 *    mapping gives to the id);
 * 2. else the value of an identity partition field of the file's partition spec;
 * 3. else the field's initial default;
 * 4. else null, unless the field is required: then the file is at fault.
 *
 * `_row_id` and `_last_updated_sequence_number` come from the file if it has them and are not
 * null there, else from the manifest entry: first row id + position, and the data sequence number;
 * null in files older than row lineage. `_row` (row-key.ts) comes from the file's path.
 */

/** How the wanted columns come out of one file. */
export interface Projection {
  /** The columns to read from the file. */
  readonly stored: readonly Field[];
  /** Bytes of text that each row gets beside what is read: partition values and defaults. */
  readonly constantBytes: number;
  /** The wanted columns of rows whose `stored` columns are given. */
  complete(rows: FileRows): readonly ColumnVector[];
}

type Source =
  | { readonly kind: 'stored'; readonly index: number }
  | { readonly kind: 'constant'; readonly type: Type; readonly value: Value }
  | { readonly kind: 'lineage'; readonly index: number | null; readonly base: bigint | null }
  | { readonly kind: 'location'; readonly prefix: string };

/** Plans the projection of `fields` for an opened data file. Throws data_file_invalid. */
export function planProjection(
  context: ReadContext,
  data: DataFile,
  file: OpenFile,
  fields: readonly Field[],
): Projection {
  const stored: Field[] = [];
  const sources = fields.map((field): Source => {
    if (field.id === ROW_KEY.id) return { kind: 'location', prefix: rowKeyPrefix(data) };
    const index = file.has(field.id) ? stored.push(field) - 1 : null;
    if (field.id === ROW_ID.id || field.id === LAST_UPDATED.id) {
      return { kind: 'lineage', index, base: lineageBase(field, data) };
    }
    if (index !== null) return { kind: 'stored', index };
    return { kind: 'constant', type: field.type, value: absentValue(context, data, field) };
  });
  const rowIds = new Set(fields.flatMap((field, i) => (field.id === ROW_ID.id ? [i] : [])));
  return {
    stored,
    constantBytes: sources.reduce((sum, source) => sum + constantBytes(source), 0),
    complete: (rows) => sources.map((source, i) => columnOf(source, rows, rowIds.has(i))),
  };
}

function constantBytes(source: Source): number {
  if (source.kind === 'location') return ROW_KEY_BYTES;
  const { value } = source.kind === 'constant' ? source : { value: null };
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/**
 * What a lineage column inherits from the manifest entry; null in files older than row lineage.
 */
export function lineageBase(field: Field, data: DataFile): bigint | null {
  if (data.firstRowId === null) return null;
  return field.id === ROW_ID.id ? data.firstRowId : data.dataSequence;
}

function columnOf(source: Source, rows: FileRows, isRowId: boolean): ColumnVector {
  if (source.kind === 'stored') return rows.columns[source.index];
  if (source.kind === 'constant') return constantVector(source.type, source.value, rows.rows);
  if (source.kind === 'location') return rowKeyVector(source.prefix, rows);
  const { base } = source;
  const stored = source.index === null ? null : rows.columns[source.index];
  const values = new BigInt64Array(rows.rows);
  const nulls = new Uint8Array(rows.rows);
  for (let row = 0; row < rows.rows; row++) {
    const own = stored?.kind === 'int64' && stored.nulls?.[row] !== 1 ? stored.values[row] : null;
    const position = rows.positions?.[row] ?? rows.firstRow + row;
    const inherited = base === null || !isRowId ? base : base + BigInt(position);
    const value = own ?? inherited;
    nulls[row] = value === null ? 1 : 0;
    values[row] = value ?? 0n;
  }
  return { kind: 'int64', nulls: nulls.includes(1) ? nulls : null, values };
}

/** The value of a column that the file lacks, in all its rows. Throws data_file_invalid. */
export function absentValue(context: ReadContext, data: DataFile, field: Field): Value {
  const partition = partitionValue(context, data, field);
  if (partition !== undefined) return partition;
  if (field.initialDefault !== undefined) return field.initialDefault;
  if (!field.required) return null;
  throw new LakeError(
    'data_file_invalid',
    `data file "${data.path}" lacks the required column "${field.name}" (field id ${field.id}), ` +
      'which has no initial default',
    { file: data.path },
  );
}

/**
 * The value that an identity partition field gives every row of the file; undefined if none
 * does.
 */
function partitionValue(context: ReadContext, data: DataFile, field: Field): Value | undefined {
  const spec = specById(context.metadata, data.specId);
  const index = spec.fields.findIndex(
    (f) =>
      f.transform.kind === 'identity' && f.sourceIds.length === 1 && f.sourceIds[0] === field.id,
  );
  if (index < 0 || index >= data.partition.length) return undefined;
  const from = storedType(context, field);
  const value = data.partition[index];
  return canPromote(from, field.type) ? promote(from, field.type, value) : value;
}

/** Partition values are decoded under the newest type of their source column. */
function storedType(context: ReadContext, field: Field): Type {
  const { schema, schemas } = context.metadata;
  const known = [schema, ...schemas.toReversed()].flatMap((s) => s.fields);
  return known.find((f) => f.id === field.id)?.type ?? field.type;
}
