import type { Json, JsonObject } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { MappedField } from '../../schema/mapping.ts';
import { originalOf } from '../../schema/values/folded-keyword.ts';
import { fieldValueToJson } from '../../schema/values/values.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import type { StoredRow, StoredValue } from '../../stored/stored-reader.ts';

const decoder = new TextDecoder();

/** One document's values; its stored row is read once, when a field first needs it. */
export interface DocumentValues {
  /**
   * Values of a field that is stored or has a column, in the order in which they were given; of a
   * folded field the originals.
   */
  of(plan: FieldPlan): readonly StoredValue[];
  /** The texts of a TEXT or KEYWORD field. */
  texts(plan: FieldPlan): readonly string[];
}

/** The values of a document. */
export function documentValues(reader: SegmentReader, doc: number): DocumentValues {
  let row: StoredRow | undefined;
  const stored = (field: number): readonly StoredValue[] => {
    row ??= reader.stored(doc);
    return row.get(field) ?? [];
  };
  const of = (plan: FieldPlan): readonly StoredValue[] => {
    if (plan.folded !== undefined) {
      return stored(plan.folded.originals).map((term) => originalOf(term as Uint8Array));
    }
    return plan.column === null ? stored(plan.id) : columnValues(reader, plan, doc);
  };
  const texts = (plan: FieldPlan): readonly string[] =>
    of(plan).map((value) => decoder.decode(value as Uint8Array));
  return { of, texts };
}

/** The values of a document in the column of a field. */
export function columnValues(
  reader: SegmentReader,
  { id }: FieldPlan,
  doc: number,
): readonly StoredValue[] {
  const column = reader.column(id);
  if (column === null) return [];
  column.needDoc(doc);
  const count = column.count(doc);
  if (count === 1) return [column.valueAt(doc, 0)];
  const list: StoredValue[] = [];
  for (let i = 0; i < count; i++) list.push(column.valueAt(doc, i));
  return list;
}

/**
 * The values of a document's fields as they travel: an array where the source column is a list,
 * else the value. A field without a value is absent. The index's own copies, as of its snapshot.
 */
export function documentFields(
  reader: SegmentReader,
  doc: number,
  fields: readonly MappedField[],
  values: DocumentValues = documentValues(reader, doc),
): JsonObject {
  const out: [string, Json][] = [];
  for (const { plan, multiValued, source } of fields) {
    const own = values.of(plan).map((value) => fieldValueToJson(plan.type, value));
    if (own.length === 0) continue;
    const several = own.length > 1 || (multiValued && source.kind === 'columns');
    out.push([plan.name, several ? own : own[0]!]);
  }
  return Object.fromEntries(out);
}
