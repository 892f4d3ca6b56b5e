import type { JsonObject } from '../base/json.ts';
import type { JsonNode } from '../base/json-node.ts';
import { fieldsById } from './field-lookup.ts';
import { parseTransform, type Transform, transformResultType, transformText } from './transform.ts';
import type { Schema, Type } from './type.ts';

/** One column of a partition tuple. */
export interface PartitionField {
  readonly fieldId: number;
  readonly name: string;
  /** One source column, but for the multi-argument transforms of v3. */
  readonly sourceIds: readonly number[];
  readonly transform: Transform;
}

/** How rows were placed in partitions (format/spec.md, "Partitioning"). */
export interface PartitionSpec {
  readonly specId: number;
  readonly fields: readonly PartitionField[];
}

const FIRST_PARTITION_ID = 1000;

/**
 * The fields of a spec, as an array of JSON objects; v1 fields without ids are numbered from 1000.
 */
export function parsePartitionFields(node: JsonNode): readonly PartitionField[] {
  const fields = node.items().map((item, i) => {
    const source = item.get('source-id').optional((n) => n.int());
    const sources = item.get('source-ids').optional((n) => n.items().map((id) => id.int()));
    const sourceIds = sources ?? (source === null ? item.get('source-id').int() : source);
    return Object.freeze({
      fieldId: item.get('field-id').optional((n) => n.int()) ?? FIRST_PARTITION_ID + i,
      name: item.get('name').string(),
      sourceIds: Object.freeze(typeof sourceIds === 'number' ? [sourceIds] : sourceIds),
      transform: parseTransform(item.get('transform').string()),
    });
  });
  return Object.freeze(fields);
}

/** A spec of table metadata. */
export function parsePartitionSpec(node: JsonNode): PartitionSpec {
  return Object.freeze({
    specId: node.get('spec-id').int(),
    fields: parsePartitionFields(node.get('fields')),
  });
}

/** The JSON form of a spec's fields. */
export function partitionFieldsToJson(spec: PartitionSpec): readonly JsonObject[] {
  return spec.fields.map((field) => ({
    name: field.name,
    transform: transformText(field.transform),
    ...(field.sourceIds.length === 1
      ? { 'source-id': field.sourceIds[0]! }
      : { 'source-ids': field.sourceIds }),
    'field-id': field.fieldId,
  }));
}

/** The JSON form of a spec. */
export function partitionSpecToJson(spec: PartitionSpec): JsonObject {
  return { 'spec-id': spec.specId, fields: partitionFieldsToJson(spec) };
}

/** Whether a spec has a single partition: no fields, or only dropped ones (`void`). */
export function isUnpartitioned(spec: PartitionSpec): boolean {
  return spec.fields.every((field) => field.transform.kind === 'void');
}

/**
 * The type of each partition value, in the spec's order; null if it is only known from the file
 * (unknown transforms, or a source column that no schema has any more). `schemas` come newest
 * first, so promoted types win.
 */
export function partitionTypes(
  spec: PartitionSpec,
  schemas: readonly Schema[],
): readonly (Type | null)[] {
  const lookups = schemas.map(fieldsById);
  return spec.fields.map((field) => {
    for (const lookup of lookups) {
      const source = lookup.get(field.sourceIds[0]!);
      if (source !== undefined) return transformResultType(field.transform, source.field.type);
    }
    return null;
  });
}
