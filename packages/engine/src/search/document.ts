import type { Coordinates, Json, JsonObject } from '../backend.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { coordinatesOf, type KeySpec } from '../schema/key.ts';
import type { MappedField } from '../schema/mapping.ts';
import { fieldValueToJson } from '../schema/values.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { StoredValue } from '../stored/stored-reader.ts';

const decoder = new TextDecoder();

/** The coordinates of a document. */
export function documentCoordinates(reader: SegmentReader, doc: number, key: KeySpec): Coordinates {
  return coordinatesOf(key, reader.keys.key(doc));
}

/**
 * A document's values of a field that is stored or has a column, in the order in which they were
 * given.
 */
export function documentValues(
  reader: SegmentReader,
  doc: number,
  plan: FieldPlan,
): readonly StoredValue[] {
  if (plan.column === null) return reader.stored(doc).get(plan.id) ?? [];
  const column = reader.numeric(plan.id) ?? reader.ordinals(plan.id);
  if (column === null) return [];
  return Array.from({ length: column.count(doc) }, (_, i) => column.valueAt(doc, i));
}

/** The texts of a TEXT or KEYWORD field. */
export function documentTexts(
  reader: SegmentReader,
  doc: number,
  plan: FieldPlan,
): readonly string[] {
  return documentValues(reader, doc, plan).map((value) => decoder.decode(value as Uint8Array));
}

/**
 * The values of a document's fields as they travel: an array where the source column is a list,
 * else the value. A field without a value is absent. The index's own copies, as of its snapshot.
 */
export function documentFields(
  reader: SegmentReader,
  doc: number,
  fields: readonly MappedField[],
): JsonObject {
  const out: [string, Json][] = [];
  for (const { plan, multiValued, source } of fields) {
    const values = documentValues(reader, doc, plan).map((v) => fieldValueToJson(plan.type, v));
    if (values.length === 0) continue;
    const several = values.length > 1 || (multiValued && source.kind === 'columns');
    out.push([plan.name, several ? values : values[0]!]);
  }
  return Object.fromEntries(out);
}
