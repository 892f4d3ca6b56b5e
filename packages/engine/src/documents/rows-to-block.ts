/**
 * A batch of table rows to a block of documents, column by column.
 *
 * 1. Keys: encoded from the key columns; a NULL is a fault of its row.
 * 2. Hashes: over every column that was read (row-hash.ts).
 * 3. Fields: plain columns share the batch's bytes where they can; lists and odd types go value by
 *    value; variants by leaf. Of a VECTOR field of texts the texts: vector-stage.ts embeds them.
 *
 * A value that cannot become what its field says is a fault of its row, with key, column, value and
 * place: it is refused, unless bad-rows.ts has taken the row out before. Inside a variant, where no
 * schema holds, it is left out of the typed field and counted.
 */

import { LhsError } from '@lakehouse-search/contract';
import { type Batch, type Field, type Value, valueAt } from '@lakehouse-search/lake';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import { VALUE_SHAPES } from '../schema/values/values.ts';
import { type EncodedKeys, encodeKeys } from './encode-keys.ts';
import { createFieldBuilder, type FieldBuilder } from './field-builder.ts';
import { foldedValues, originalValues } from './fold-values.ts';
import { doublesOfColumn, longsOfColumn } from './number-fields.ts';
import { type OnBadRow, refuseRow, valueFault } from './row-fault.ts';
import { RowHashes } from './row-hash.ts';
import { coerceScalar } from './scalar-value.ts';
import {
  ipOfColumn,
  keywordOfColumn,
  type TextVector,
  textOfColumn,
  textOfColumns,
} from './text-fields.ts';
import {
  type LeftOut,
  type NestedColumn,
  variantLeaves,
  variantPaths,
  variantText,
} from './variant-fields.ts';
import { vectorsOfColumn } from './vectors/vectors-of-column.ts';

/** Identity of the rows of a batch: keys, and hashes over the columns that were read. */
export interface KeyedRows {
  readonly keys: EncodedKeys;
  readonly hashes: RowHashes;
}

/** Keys and hashes of a batch, whose columns are `mapping.columns`. Throws source_invalid. */
export function keyRows(mapping: Mapping, batch: Batch): KeyedRows {
  return { keys: encodeKeys(mapping, batch), hashes: rowHashes(mapping.columns, batch) };
}

/** Row hashes of a batch of these columns. */
export function rowHashes(columns: readonly Field[], batch: Batch): RowHashes {
  const hashed = columns.map((column, i) => ({
    fieldId: column.id,
    vector: batch.columns[i],
  }));
  return new RowHashes(hashed, batch.rows);
}

/**
 * The documents of `batch`, whose columns are `mapping.columns`. `file` is the data file's number
 * in the commit's file table. Counts of variant leaves that fit no typed field are added to
 * `leftOut`. Throws source_invalid.
 */
export function rowsToBlock(
  mapping: Mapping,
  batch: Batch,
  file: number,
  leftOut: LeftOut,
): DocumentBlock {
  return blockOfRows(mapping, batch, file, keyRows(mapping, batch), leftOut);
}

/** As `rowsToBlock`, where keys and hashes are known. */
export function blockOfRows(
  mapping: Mapping,
  batch: Batch,
  file: number,
  { keys, hashes }: KeyedRows,
  leftOut: LeftOut,
): DocumentBlock {
  const { rows } = batch;
  const fields = fieldsOfRows(mapping, batch, leftOut);
  return {
    docs: rows,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: new Int32Array(rows).fill(file),
    positions: batch.positions,
    hashes: hashes.own,
    hashed: hashes.set,
    fields,
  };
}

/** The values of a batch by field; `leftOut` as for `rowsToBlock`. Throws source_invalid. */
export function fieldsOfRows(
  mapping: Mapping,
  batch: Batch,
  leftOut: LeftOut,
): ReadonlyMap<string, FieldBlock> {
  const fields = new Map<string, FieldBlock>();
  for (const field of mapping.fields) {
    if (!isUsed(field)) continue;
    fields.set(field.plan.name, fieldOfRows(mapping, field, batch, leftOut));
  }
  return fields;
}

/** False for a field that leaves nothing in the index. */
export function isUsed({ plan }: MappedField): boolean {
  return plan.inverted !== null || plan.column !== null || plan.stored || plan.vector !== undefined;
}

/** The values of one field of a batch; `leftOut` as for `rowsToBlock`. Throws source_invalid. */
export function fieldOfRows(
  mapping: Mapping,
  field: MappedField,
  batch: Batch,
  leftOut: LeftOut,
): FieldBlock {
  const { source } = field;
  if (source.kind === 'originals') {
    const { definition, of } = source;
    // What is left out of the folded field is counted there.
    const values = sourceValues(mapping, { ...field, definition, source: of }, batch, new Map());
    return originalValues(values);
  }
  const values = sourceValues(mapping, field, batch, leftOut);
  return field.plan.folded === undefined ? values : foldedValues(values);
}

function sourceValues(
  mapping: Mapping,
  field: MappedField,
  batch: Batch,
  leftOut: LeftOut,
): FieldBlock {
  const { source } = field;
  switch (source.kind) {
    case 'columns':
      return plainField(mapping, field, source.columns, batch);
    case 'variant_text':
      return variantText(nestedColumn(mapping, batch, source.column));
    case 'variant_paths':
      return variantPaths(
        nestedColumn(mapping, batch, source.column),
        mapping.columns[source.column].name,
        leftOut,
      );
    case 'variant_leaf':
      return variantLeaves(mapping, field, source, batch, leftOut);
    case 'originals':
      throw new LhsError('internal', `field "${field.plan.name}" has no values`);
  }
}

const nestedColumn = (mapping: Mapping, batch: Batch, at: number): NestedColumn => {
  return { batch, at, type: mapping.columns[at].type };
};

/** A field of plain columns. Throws what `onBadRow` throws; by default source_invalid. */
export function plainField(
  mapping: Mapping,
  field: MappedField,
  columns: readonly number[],
  batch: Batch,
  onBadRow: OnBadRow = refuseRow,
): FieldBlock {
  if (columns.length > 1) {
    return textOfColumns(
      field,
      columns.map((c) => batch.columns[c] as TextVector),
      batch.rows,
    );
  }
  const vector = batch.columns[columns[0]];
  const { name, type } = mapping.columns[columns[0]];
  const { type: wanted } = field.plan;
  if (field.plan.vector?.model === null) {
    return vectorsOfColumn(mapping, field.plan.vector, batch, columns[0], onBadRow);
  }
  if (vector.kind === 'utf8') {
    if (wanted === 'TEXT' || wanted === 'VECTOR') return textOfColumn(field, vector, batch.rows);
    if (wanted === 'IP') return ipOfColumn(mapping, batch, vector, name, onBadRow);
    if (wanted === 'KEYWORD') {
      return keywordOfColumn(mapping, field, batch, vector, name, onBadRow);
    }
  } else if (vector.kind !== 'values' && wanted !== 'KEYWORD') {
    if (wanted === 'DOUBLE') return doublesOfColumn(vector, batch.rows);
    return longsOfColumn(field, vector, type, batch.rows);
  }
  return eachValue(mapping, field, columns[0], batch, onBadRow);
}

/** Lists, decimals, numbers as keywords, texts as dates: one value at a time. */
function eachValue(
  mapping: Mapping,
  field: MappedField,
  column: number,
  batch: Batch,
  onBadRow: OnBadRow,
): FieldBlock {
  const builder = createFieldBuilder(field.plan.type);
  for (let row = 0; row < batch.rows; row++) {
    const value = valueAt(batch.columns[column], row);
    const list = Array.isArray(value) ? (value as readonly Value[]) : [value];
    for (const item of list) {
      if (item !== null) addValue(mapping, field, column, batch, row, item, builder, onBadRow);
    }
    builder.endDocument();
  }
  return builder.finish();
}

function addValue(
  mapping: Mapping,
  field: MappedField,
  column: number,
  batch: Batch,
  row: number,
  value: Value,
  builder: FieldBuilder,
  onBadRow: OnBadRow,
): void {
  const { name, type } = mapping.columns[column];
  const definition = field.definition;
  if (definition === null)
    throw new LhsError('internal', `field "${field.plan.name}" is undefined`);
  const coerced = coerceScalar(definition, type.kind === 'list' ? type.element : type, value);
  if (typeof coerced !== 'string') builder.add(coerced);
  else if (coerced !== 'left out') {
    const expected =
      coerced === 'too long' ? 'short enough for KEYWORD' : VALUE_SHAPES[definition.type];
    const hint = 'map the column to another type, or mend the row';
    onBadRow(row, () => {
      return valueFault(mapping, batch, row, name, String(value), expected, hint);
    });
  }
}
