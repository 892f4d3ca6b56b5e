import { createHash } from 'node:crypto';
import { LakeError } from '../base/errors.ts';
import { formatJson, isJsonObject, type JsonValue } from '../base/json.ts';
import type { JsonNode } from '../base/json-node.ts';
import { childFields, fieldsById } from '../schema/field-lookup.ts';
import type { Field, Schema } from '../schema/type.ts';
import { type RowTest, rowTest } from './row-test.ts';
import { tableColumns } from './table-columns.ts';

/**
 * What a REST catalog lets its caller read of a table: the `read-restrictions` of a LoadTableResult
 * (apache/iceberg, open-api/rest-catalog-open-api.yaml). Rows pass the filter by their stored
 * values; masks are applied to the rows that pass.
 */
export interface ReadRestrictions {
  /** SHA-256 of the restrictions, hexadecimal: equal for equal ones. */
  readonly digest: string;
  /** null: every row passes. */
  readonly rows: RowTest | null;
  /** Actions by the id of the field that they mask. */
  readonly actions: ReadonlyMap<number, string>;
}

/** The schemas of a table under which restrictions are read. */
export interface RestrictedTable {
  readonly schema: Schema;
  readonly schemas: readonly Schema[];
}

/** Details of the errors of restrictions that cannot be applied. */
export const RESTRICTED = Object.freeze({ reason: 'read_restrictions' });

const KNOWN_PARTS: ReadonlySet<string> = new Set([
  'required-column-projections',
  'required-row-filter',
]);

/**
 * The restrictions of a LoadTableResult's `read-restrictions`; null if there are none. Throws
 * unsupported for a filter that cannot be evaluated exactly and for parts that are unknown,
 * metadata_invalid for a wrong shape. An action that cannot be applied is an error of the reads
 * that need its column.
 */
export function readRestrictions(node: JsonNode, table: RestrictedTable): ReadRestrictions | null {
  try {
    return boundRestrictions(node, table);
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    const details = { ...error.details, ...RESTRICTED };
    throw new LakeError(error.reason, error.message, { file: node.file, cause: error, details });
  }
}

function boundRestrictions(node: JsonNode, table: RestrictedTable): ReadRestrictions | null {
  if (!node.present) return null;
  for (const [key, part] of node.entries()) {
    if (KNOWN_PARTS.has(key) || !part.present) continue;
    part.fail('an unknown part of the read restrictions cannot be applied', 'unsupported');
  }
  const rows = rowTest(node.get('required-row-filter'), tableColumns(table.schema, table.schemas));
  const actions = actionsOf(node.get('required-column-projections'));
  if (rows === null && actions.size === 0) return null;
  for (const schema of [table.schema, ...table.schemas]) refuseNestedMasks(node, schema, actions);
  return Object.freeze({ digest: digestOf(node), rows, actions });
}

function actionsOf(list: JsonNode): ReadonlyMap<number, string> {
  const actions = new Map<number, string>();
  for (const item of list.optional((n) => n.items()) ?? []) {
    const id = item.get('field-id').int();
    if (actions.has(id)) item.fail(`two actions on field ${id} cannot be applied`, 'unsupported');
    actions.set(id, item.get('action').string());
  }
  return actions;
}

/** Throws unsupported for a mask on a map's keys, and for one below another. */
function refuseNestedMasks(
  node: JsonNode,
  schema: Schema,
  actions: ReadonlyMap<number, string>,
): void {
  for (const [id, { field }] of fieldsById(schema)) {
    const inside = childFields(field.type);
    if (field.type.kind === 'map' && isMasked(inside[0], actions)) {
      node.fail(`the mask of the keys of "${field.name}" cannot be applied`, 'unsupported');
    }
    if (actions.has(id) && inside.some((child) => isMasked(child, actions))) {
      node.fail(`masks below the masked field ${id} cannot be applied`, 'unsupported');
    }
  }
}

/** Whether a field, or one inside it, has an action. */
export function isMasked(field: Field, actions: ReadonlyMap<number, string>): boolean {
  return actions.has(field.id) || childFields(field.type).some((child) => isMasked(child, actions));
}

/** Equal for restrictions whose members and masks are in another order. */
function digestOf(node: JsonNode): string {
  const masks = node.get('required-column-projections').optional((n) => n.items()) ?? [];
  const sorted = masks.map(({ value }) => formatJson(canonical(value ?? null))).sort();
  const filter = canonical(node.get('required-row-filter').value ?? null);
  return createHash('sha256')
    .update(formatJson([filter, sorted]))
    .digest('hex');
}

function canonical(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, canonical(member ?? null)]));
}

/** An action that cannot be applied to a column that is read. */
export function maskRefused(what: string): LakeError {
  return new LakeError('unsupported', `the catalog masks a column: ${what} cannot be applied`, {
    details: RESTRICTED,
  });
}
