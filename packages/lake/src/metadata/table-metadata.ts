import { LakeError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { JsonNode } from '../base/json-node.ts';
import { LIMITS } from '../base/limits.ts';
import {
  type PartitionSpec,
  parsePartitionFields,
  parsePartitionSpec,
} from '../schema/partition-spec.ts';
import { parseSchema } from '../schema/schema-json.ts';
import type { Schema } from '../schema/type.ts';
import type { SnapshotEntry, SnapshotRef } from './snapshot.ts';
import { parseRefs, parseSnapshots } from './snapshot-json.ts';

/** Table metadata of format v1, v2 or v3 (format/spec.md, "Table Metadata", Appendix C). */
export interface TableMetadata {
  /** The location of the metadata file (a real path, or the REST catalog's metadata-location). */
  readonly file: string;
  readonly formatVersion: 1 | 2 | 3;
  /** Empty for v1 tables without one. */
  readonly uuid: string;
  readonly location: string;
  readonly lastSequenceNumber: bigint;
  readonly lastUpdatedMs: number;
  readonly lastColumnId: number;
  readonly lastPartitionId: number;
  readonly schema: Schema;
  readonly schemas: readonly Schema[];
  readonly defaultSpec: PartitionSpec;
  readonly specs: readonly PartitionSpec[];
  readonly properties: Readonly<Record<string, string>>;
  readonly snapshots: readonly SnapshotEntry[];
  readonly refs: readonly SnapshotRef[];
  readonly currentSnapshotId: bigint | null;
  /** v3: the next row id to assign; null before. */
  readonly nextRowId: bigint | null;
  /** The JSON of the file with its unknown keys: the writer's next version starts from it. */
  readonly raw: JsonObject;
}

/**
 * Parses table metadata. `file` is named in every error. Throws metadata_invalid if the
 * document breaks the specification and `unsupported` for other format versions and encryption.
 * Unknown types and partition transforms are read as such.
 */
export function parseTableMetadata(root: JsonNode): TableMetadata {
  const raw = root.object();
  const formatVersion = parseVersion(root.get('format-version'));
  const schemas = parseSchemas(root);
  const schema = currentSchema(root, schemas, formatVersion);
  const specs = parseSpecs(root);
  const specId = root.get('default-spec-id').optional((n) => n.int()) ?? specs[0]!.specId;
  const snapshots = parseSnapshots(root.get('snapshots'), formatVersion);
  const currentSnapshotId = parseCurrent(root.get('current-snapshot-id'), snapshots);
  const partitionIds = specs.flatMap((s) => s.fields.map((f) => f.fieldId));
  return Object.freeze({
    file: root.file,
    formatVersion,
    uuid: root.get('table-uuid').optional((n) => n.string()) ?? '',
    location: root.get('location').string(),
    lastSequenceNumber: root.get('last-sequence-number').optional((n) => n.long()) ?? 0n,
    lastUpdatedMs: root.get('last-updated-ms').safeInteger(),
    lastColumnId: root.get('last-column-id').int(),
    lastPartitionId:
      root.get('last-partition-id').optional((n) => n.int()) ?? Math.max(999, ...partitionIds),
    schema,
    schemas,
    defaultSpec:
      specs.find((spec) => spec.specId === specId) ??
      root.fail(`default-spec-id ${specId} names no partition spec`),
    specs,
    properties: root.get('properties').optional((n) => n.stringMap()) ?? {},
    snapshots,
    refs: parseRefs(root, snapshots, currentSnapshotId),
    currentSnapshotId,
    nextRowId: formatVersion < 3 ? null : (root.get('next-row-id').optional((n) => n.long()) ?? 0n),
    raw,
  });
}

function parseVersion(node: JsonNode): 1 | 2 | 3 {
  const version = node.int();
  if (version === 1 || version === 2 || version === 3) return version;
  return node.fail(`format version ${version} is not supported; 1, 2 and 3 are`, 'unsupported');
}

function parseSchemas(root: JsonNode): readonly Schema[] {
  const list = root.get('schemas');
  const schemas = list.present
    ? list.items().map((node) => parseSchema(node))
    : [parseSchema(root.get('schema'))];
  const ids = new Set<number>();
  for (const { schemaId } of schemas) {
    if (ids.has(schemaId)) list.fail(`schema id ${schemaId} occurs twice`);
    ids.add(schemaId);
  }
  return Object.freeze(schemas);
}

function currentSchema(root: JsonNode, schemas: readonly Schema[], version: number): Schema {
  const node = root.get('current-schema-id');
  if (!node.present && version > 1) root.fail('current-schema-id is missing');
  const id = node.optional((n) => n.int()) ?? schemas[0]?.schemaId;
  return (
    schemas.find((schema) => schema.schemaId === id) ??
    root.fail(`current-schema-id ${id} names no schema; known are ${knownIds(schemas)}`)
  );
}

function knownIds(schemas: readonly Schema[]): string {
  return schemas.map((schema) => schema.schemaId).join(', ') || 'none';
}

function parseSpecs(root: JsonNode): readonly PartitionSpec[] {
  const list = root.get('partition-specs');
  const specs = list.present
    ? list.items().map(parsePartitionSpec)
    : [legacySpec(root.get('partition-spec'))];
  if (specs.length === 0) list.fail('there is no partition spec');
  return Object.freeze(specs);
}

function legacySpec(node: JsonNode): PartitionSpec {
  return Object.freeze({ specId: 0, fields: parsePartitionFields(node) });
}

function parseCurrent(node: JsonNode, snapshots: readonly SnapshotEntry[]): bigint | null {
  const id = node.optional((n) => n.long());
  if (id === null || id === -1n) return null;
  if (snapshots.some((snapshot) => snapshot.id === id)) return id;
  return node.fail(`current-snapshot-id ${id} names no snapshot`);
}

/** A snapshot by id. Throws snapshot_not_found, naming the file and the nearest facts. */
export function snapshotOf(metadata: TableMetadata, id: bigint): SnapshotEntry {
  const found = snapshotIndex(metadata).get(id);
  if (found !== undefined) return found;
  const known = metadata.snapshots.slice(-5).map((snapshot) => snapshot.id);
  throw new LakeError(
    'snapshot_not_found',
    `snapshot ${id} is not in "${metadata.file}"; ${metadata.snapshots.length} are` +
      `${known.length > 0 ? `, the newest ${known.join(', ')}` : ''}; it may have been expired`,
    { file: metadata.file, details: { snapshot: String(id) } },
  );
}

const INDEXES = new WeakMap<TableMetadata, ReadonlyMap<bigint, SnapshotEntry>>();

function snapshotIndex(metadata: TableMetadata): ReadonlyMap<bigint, SnapshotEntry> {
  let index = INDEXES.get(metadata);
  if (index === undefined) {
    index = new Map(metadata.snapshots.map((snapshot) => [snapshot.id, snapshot]));
    INDEXES.set(metadata, index);
  }
  return index;
}

/** A schema by id, or the current one for null. Throws metadata_invalid if there is none. */
export function schemaById(metadata: TableMetadata, id: number | null): Schema {
  if (id === null) return metadata.schema;
  const found = metadata.schemas.find((schema) => schema.schemaId === id);
  if (found !== undefined) return found;
  throw new LakeError(
    'metadata_invalid',
    `schema ${id} is not in "${metadata.file}"; known are ${knownIds(metadata.schemas)}`,
    { file: metadata.file },
  );
}

/** A partition spec by id. Throws metadata_invalid if there is none. */
export function specById(metadata: TableMetadata, id: number): PartitionSpec {
  const found = metadata.specs.find((spec) => spec.specId === id);
  if (found !== undefined) return found;
  throw new LakeError('metadata_invalid', `partition spec ${id} is not in "${metadata.file}"`, {
    file: metadata.file,
  });
}

/**
 * The ancestors of a snapshot, newest first, itself included; ends where the parent is gone.
 * Throws snapshot_not_found.
 */
export function ancestryOf(metadata: TableMetadata, id: bigint): readonly SnapshotEntry[] {
  const index = snapshotIndex(metadata);
  const chain: SnapshotEntry[] = [];
  let next: SnapshotEntry | undefined = snapshotOf(metadata, id);
  while (next !== undefined && chain.length < LIMITS.snapshots) {
    chain.push(next);
    next = next.parentId === null ? undefined : index.get(next.parentId);
  }
  return chain;
}
