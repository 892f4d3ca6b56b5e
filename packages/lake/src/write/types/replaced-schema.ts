import { LakeError } from '../../base/errors.ts';
import { formatJson, type JsonObject } from '../../base/json.ts';
import type { TableMetadata } from '../../metadata/table-metadata.ts';
import { childFields } from '../../schema/field-lookup.ts';
import { schemaToJson, typeName } from '../../schema/schema-json.ts';
import type { Field, Schema, Type } from '../../schema/type.ts';
import { listOf } from '../commit/next-metadata.ts';
import { inferSchema } from './infer-schema.ts';

/** A column of the rows that replace those of a table. */
export interface ReplacingColumn {
  readonly name: string;
  readonly type: Type;
  /** The type was found in texts, so that the table's type stays if it takes such values. */
  readonly isFound: boolean;
  /** It has no value, so that the table's type stays. */
  readonly isEmpty: boolean;
}

/** By the type that is found in texts: other types that take these values. */
const TAKING: Readonly<Record<string, readonly string[]>> = {
  long: ['int', 'float', 'double', 'decimal'],
  decimal: ['double', 'float', 'decimal'],
  double: ['float', 'decimal'],
  date: ['timestamp'],
  timestamp: ['timestamp_ns'],
  timestamptz: ['timestamptz_ns'],
  string: ['uuid'],
  struct: ['variant'],
  list: ['variant'],
  map: ['variant'],
};

/**
 * The schema of a table whose rows are replaced: the columns of the input. A column whose type
 * stays keeps its field, another one has a new id. The table's own schema if nothing changes.
 * Throws column_not_found, and invalid_argument for a column of the partition spec or the sort
 * order that would change.
 */
export function replacedSchema(
  metadata: TableMetadata,
  columns: readonly ReplacingColumn[],
  key: readonly string[],
): Schema {
  const { schema, formatVersion, lastColumnId } = metadata;
  const known = new Map(schema.fields.map((field) => [field.name, field]));
  const identifiers = schema.fields.filter(({ id }) => schema.identifierFieldIds.includes(id));
  const names = key.length > 0 ? key : identifiers.map(({ name }) => name);
  const version = formatVersion === 3 ? 3 : 2;
  const fresh = inferSchema(columns, names, version, lastColumnId + 1);
  const fields = fresh.fields.map((field, i): Field => {
    const old = known.get(field.name);
    if (old === undefined || !stays(old.type, field.type, columns[i])) return field;
    return field.required && !old.required ? { ...old, required: true } : old;
  });
  refuseBound(metadata, fields);
  const identifierFieldIds = fields.filter((f) => names.includes(f.name)).map(({ id }) => id);
  const isSame = fields.length === known.size && fields.every((f) => known.get(f.name) === f);
  if (isSame && identifierFieldIds.length === identifiers.length) return schema;
  const next = { schemaId: 0, fields, identifierFieldIds };
  const schemaId = 1 + Math.max(...metadata.schemas.map((one) => one.schemaId));
  return metadata.schemas.find((one) => content(one) === content(next)) ?? { ...next, schemaId };
}

const content = (schema: Schema) => formatJson(schemaToJson({ ...schema, schemaId: 0 }));

const stays = (old: Type, type: Type, { isFound, isEmpty }: ReplacingColumn): boolean =>
  isEmpty || takes(old, type, isFound);

/** Whether a type is another one, field ids apart, or takes the values that were found in texts. */
function takes(old: Type, type: Type, isFound: boolean): boolean {
  const [before, after] = [childFields(old), childFields(type)];
  if (before.length > 0 && old.kind === type.kind) {
    return (
      before.length === after.length &&
      after.every((field) => {
        const inner = before.find(({ name }) => name === field.name);
        return inner !== undefined && takes(inner.type, field.type, isFound);
      })
    );
  }
  if (typeName(old) === typeName(type)) return true;
  return isFound && (TAKING[type.kind] ?? []).includes(old.kind);
}

/** Throws for a column of the partition spec or the sort order, if it is not as it was. */
function refuseBound(metadata: TableMetadata, fields: readonly Field[]): void {
  const { raw, defaultSpec } = metadata;
  const order = listOf(raw['sort-orders'])
    .map((one) => one as JsonObject)
    .find((one) => one['order-id'] === raw['default-sort-order-id']);
  const sorted = listOf(order?.fields).map((field) => (field as JsonObject)['source-id']);
  const bound = new Set<unknown>([...defaultSpec.fields.flatMap((f) => f.sourceIds), ...sorted]);
  const column = metadata.schema.fields.find(
    ({ id }) => bound.has(id) && !fields.some((field) => field.id === id),
  );
  if (column === undefined) return;
  const { name, type } = column;
  const now = fields.find((field) => field.name === name);
  const change = now === undefined ? 'be missing' : `become ${typeName(now.type)}`;
  throw new LakeError(
    'invalid_argument',
    `the table is partitioned or sorted by column "${name}" (${typeName(type)}), ` +
      `which would ${change}`,
    { details: { column: name, type: typeName(type), option: 'partition' } },
  );
}
