/**
 * Rows of one data file at given positions, as the table's schema has them (format/spec.md, "Column
 * Projection", "Row Lineage"): stored columns page by page in Parquet, partition values, defaults
 * and lineage for the others. Avro has no pages: such a file is read up to the last position. ORC
 * is refused by name.
 */
import { formatJson } from '../base/json.ts';
import type { DataFile } from '../metadata/file-set.ts';
import type { ByteCost, ParquetFile } from '../parquet/parquet-file.ts';
import { hasColumn, planColumns } from '../parquet/read-plan.ts';
import { readKeptRows } from '../parquet/read-rows.ts';
import { openTableFile } from '../scan/data-file.ts';
import type { OpenFile } from '../scan/file-rows.ts';
import { absentValue, lineageBase } from '../scan/projection.ts';
import { rowKeyPrefix } from '../scan/row-key.ts';
import { valueAt } from '../scan/vectors.ts';
import { LAST_UPDATED, ROW_ID, ROW_KEY } from '../schema/row-fields.ts';
import { typeToJson } from '../schema/schema-json.ts';
import type { Field, Type, Value } from '../schema/type.ts';
import type { LookupTable } from './lookup-files.ts';

/** Where a column's values come from in one file. */
export type PointSource =
  | { readonly kind: 'stored'; readonly field: Field }
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'lineage'; readonly field: Field | null; readonly at: (row: number) => Value };

/**
 * Decides for each column. `has`: whether the file has a column with a field id. Throws
 * data_file_invalid.
 */
export function pointSources(
  table: LookupTable,
  data: DataFile,
  fields: readonly Field[],
  has: (fieldId: number) => boolean,
): readonly PointSource[] {
  return fields.map((field): PointSource => {
    if (field.id === ROW_KEY.id) {
      const prefix = rowKeyPrefix(data);
      return { kind: 'lineage', field: null, at: (row) => `${prefix}${row}` };
    }
    const stored = has(field.id);
    if (field.id === ROW_ID.id || field.id === LAST_UPDATED.id) {
      const base = lineageBase(field, data);
      const counts = field.id === ROW_ID.id;
      const at = (row: number) => (base === null || !counts ? base : base + BigInt(row));
      return { kind: 'lineage', field: stored ? field : null, at };
    }
    if (stored) return { kind: 'stored', field };
    return { kind: 'constant', value: absentValue(table.context, data, field) };
  });
}

/**
 * Column by column: `result[c][i]` is `fields[c]` at `positions[i]`. Positions must be in the file.
 */
export async function pointRows(
  table: LookupTable,
  data: DataFile,
  fields: readonly Field[],
  positions: Int32Array,
  cost: ByteCost | undefined,
): Promise<readonly (readonly Value[])[]> {
  if (data.format !== 'parquet') {
    return avroRows(table, data, fields, positions);
  }
  return table.files.use(table.context.files, data, cost, (file) =>
    parquetRows(table, data, file, fields, positions, cost),
  );
}

async function parquetRows(
  table: LookupTable,
  data: DataFile,
  file: ParquetFile,
  fields: readonly Field[],
  positions: Int32Array,
  cost: ByteCost | undefined,
): Promise<readonly (readonly Value[])[]> {
  const { nameMapping } = table.context;
  const sources = pointSources(table, data, fields, (id) =>
    hasColumn(file.schema, id, nameMapping),
  );
  const stored = storedFields(sources);
  const plans = planColumns(file.schema, stored, { by: 'id', nameMapping }, file.place);
  const columns = numberOf(stored.map(columnKey).join(','));
  const values = await readKeptRows(file, plans, columns, positions, cost);
  return complete(sources, values, positions);
}

/** A short name of each list of columns, for the keys of cached rows. */
const NUMBERS = new Map<string, string>();
const MOST_NUMBERS = 1024;
let numbers = 0;

function numberOf(columns: string): string {
  let number = NUMBERS.get(columns);
  if (number === undefined) {
    number = `c${numbers++}`;
    if (NUMBERS.size >= MOST_NUMBERS) NUMBERS.clear();
    NUMBERS.set(columns, number);
  }
  return number;
}

const TYPE_KEYS = new WeakMap<Type, string>();

/** Distinguishes columns of a file by field id and type: a type may have been widened since. */
function columnKey({ id, type }: Field): string {
  let key = TYPE_KEYS.get(type);
  if (key === undefined) {
    key = formatJson(typeToJson(type));
    TYPE_KEYS.set(type, key);
  }
  return `${id}:${key}`;
}

async function avroRows(
  table: LookupTable,
  data: DataFile,
  fields: readonly Field[],
  positions: Int32Array,
): Promise<readonly (readonly Value[])[]> {
  const file = await openTableFile(table.context, data, 'data', null);
  const sources = pointSources(table, data, fields, file.has);
  const stored = await storedRows(file, storedFields(sources), positions);
  return complete(sources, stored, positions);
}

async function storedRows(
  file: OpenFile,
  fields: readonly Field[],
  positions: Int32Array,
): Promise<readonly (readonly Value[])[]> {
  const columns: Value[][] = fields.map(() => new Array<Value>(positions.length).fill(null));
  if (fields.length === 0) return columns;
  const last = positions.reduce((most, position) => Math.max(most, position), -1);
  for await (const rows of file.read(fields)) {
    const end = rows.firstRow + rows.rows;
    for (let i = 0; i < positions.length; i++) {
      const row = positions[i] - rows.firstRow;
      if (row < 0 || positions[i] >= end) continue;
      for (let c = 0; c < columns.length; c++) columns[c][i] = valueAt(rows.columns[c], row);
    }
    if (end > last) break;
  }
  return columns;
}

function storedFields(sources: readonly PointSource[]): readonly Field[] {
  return sources.flatMap((source) =>
    source.kind === 'constant' || source.field === null ? [] : [source.field],
  );
}

function complete(
  sources: readonly PointSource[],
  stored: readonly (readonly Value[])[],
  positions: Int32Array,
): readonly (readonly Value[])[] {
  let next = 0;
  return sources.map((source) => {
    if (source.kind === 'stored') return stored[next++];
    if (source.kind === 'constant') return Array.from(positions, () => source.value);
    const own = source.field === null ? null : stored[next++];
    return Array.from(positions, (row, i) => own?.[i] ?? source.at(row));
  });
}
