import { formatJson, type JsonObject, type JsonValue } from '../base/json.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';

/** What a commit demands of the table, and what it does to it (CommitTableRequest). */
export interface RestChange {
  readonly requirements: readonly JsonObject[];
  readonly updates: readonly JsonObject[];
}

/** The change from one version of a table's metadata to the next: schema, snapshots and refs. */
export function changeOf(before: TableMetadata, next: JsonObject): RestChange {
  const known = new Set(before.snapshots.map(({ id }) => id));
  const entries = objectsOf(next.snapshots);
  const ids = new Set(entries.map(idOf));
  const added = entries.filter((entry) => !known.has(idOf(entry)));
  const removed = [...known].filter((id) => !ids.has(id));
  const refs = changedRefs(before, (next.refs ?? {}) as JsonObject);
  const schema = changedSchema(before, next);
  return {
    requirements: [
      { type: 'assert-table-uuid', uuid: before.uuid },
      ...schema.requirements,
      ...refs.requirements,
    ],
    updates: [
      ...schema.updates,
      ...added.map((snapshot) => ({ action: 'add-snapshot', snapshot })),
      ...refs.updates,
      ...(removed.length > 0 ? [{ action: 'remove-snapshots', 'snapshot-ids': removed }] : []),
    ],
  };
}

/** The change that makes a staged table exist with the metadata `next`. */
export function creationOf(staged: TableMetadata, next: JsonObject): RestChange {
  const { raw, uuid, formatVersion, location } = staged;
  const newest = -1;
  const schemas = objectsOf(raw.schemas).map((schema) => ({
    action: 'add-schema',
    schema,
    'last-column-id': staged.lastColumnId,
  }));
  const specs = objectsOf(raw['partition-specs']).map((spec) => ({ action: 'add-spec', spec }));
  const orders = objectsOf(raw['sort-orders']).map((order) => ({
    action: 'add-sort-order',
    'sort-order': order,
  }));
  return {
    requirements: [{ type: 'assert-create' }],
    updates: [
      { action: 'assign-uuid', uuid },
      { action: 'upgrade-format-version', 'format-version': formatVersion },
      ...schemas,
      { action: 'set-current-schema', 'schema-id': newest },
      ...specs,
      { action: 'set-default-spec', 'spec-id': newest },
      ...orders,
      { action: 'set-default-sort-order', 'sort-order-id': newest },
      { action: 'set-location', location },
      { action: 'set-properties', updates: { ...staged.properties } },
      ...changeOf(staged, next).updates,
    ],
  };
}

/** Another current schema; no other writer may have changed the columns. */
function changedSchema(before: TableMetadata, next: JsonObject): RestChange {
  const { schemaId } = before.schema;
  const current = (next['current-schema-id'] ?? schemaId) as number;
  if (current === schemaId) return { requirements: [], updates: [] };
  const isKnown = before.schemas.some((schema) => schema.schemaId === current);
  const schema = objectsOf(next.schemas).find((one) => one['schema-id'] === current);
  const columns = next['last-column-id'];
  return {
    requirements: [
      { type: 'assert-current-schema-id', 'current-schema-id': schemaId },
      { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': before.lastColumnId },
    ],
    updates: [
      ...(isKnown ? [] : [{ action: 'add-schema', schema, 'last-column-id': columns }]),
      { action: 'set-current-schema', 'schema-id': isKnown ? current : -1 },
    ],
  } as RestChange;
}

/** Refs that move or go; each must still be where it was. */
function changedRefs(before: TableMetadata, next: JsonObject): RestChange {
  const old = (before.raw.refs ?? {}) as JsonObject;
  const text = (ref: JsonValue | undefined) => formatJson(ref ?? null);
  const names = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const changed = names.filter((name) => text(old[name]) !== text(next[name]));
  return {
    requirements: changed.map((ref) => {
      const id = before.refs.find(({ name }) => name === ref)?.snapshotId ?? null;
      return { type: 'assert-ref-snapshot-id', ref, 'snapshot-id': id };
    }),
    updates: changed.map((name) =>
      next[name] === undefined
        ? { action: 'remove-snapshot-ref', 'ref-name': name }
        : { action: 'set-snapshot-ref', 'ref-name': name, ...(next[name] as JsonObject) },
    ),
  };
}

const objectsOf = (value: JsonValue | undefined) => (value ?? []) as readonly JsonObject[];
const idOf = (snapshot: JsonObject): bigint => BigInt(String(snapshot['snapshot-id']));
