import type {
  FieldDescription,
  IndexDescription,
  JsonObject,
  ShardDescription,
} from '@lakehouse-search/contract';
import { identityParts } from '../index/commits/source-identity.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { typeName } from '../schema/column-rules.ts';
import type { Definition, FieldDefinition } from '../schema/definition.ts';
import { defaultFieldsOf, weightedField } from '../schema/parse/default-fields.ts';
import { sizeInShard } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { fieldAnalyzer } from './definition-analyzers.ts';
import { describeVectors } from './describe-vectors.ts';
import { describeWindows } from './describe-windows.ts';
import type { OpenIndex } from './open-index.ts';

/** What `index:describe` says; `open` is null before the first reindex. */
export function describeIndex(definition: Definition, open: OpenIndex | null): IndexDescription {
  const snapshot = open?.snapshot ?? null;
  const { partition, identifier } = open?.mapping.key ?? definition.key;
  const fields = fieldDescriptions(definition, open);
  const named = (wanted: (field: FieldDescription) => boolean) =>
    fields.filter(wanted).map((field) => field.name);
  return {
    index: definition.index,
    ...(definition.description === undefined ? {} : { description: definition.description }),
    status: snapshot === null ? 'created' : 'live',
    num_docs: snapshot?.liveDocs ?? 0,
    deleted_docs: snapshot?.deletedDocs ?? 0,
    segments: snapshot?.segments.length ?? 0,
    bytes: snapshot?.bytes ?? 0,
    ...(snapshot === null ? {} : { shards: describeShards(snapshot) }),
    ...windowsPart(open),
    snapshot: snapshot?.checkpoint?.snapshot_id ?? null,
    checkpoint: checkpointJson(open),
    ...restrictionsPart(open),
    index_generation: snapshot?.generation ?? 0,
    key: { partition, identifier, ...keyTypes(open) },
    source: { ...definition.source } as JsonObject,
    fields,
    default_fields: defaultFieldsOf(definition, fields).map((entry) => weightedField(entry).name),
    time_fields: named((field) => field.type === 'DATE'),
    sort_fields: named((field) => field.fast),
    vector_fields: describeVectors(definition, open),
    ...(definition.tenantField === undefined ? {} : { tenant_field: definition.tenantField }),
    variants: definition.variants.map(({ column, flatten, discriminator }) => ({
      column,
      flatten,
      ...(discriminator === undefined ? {} : { discriminator: discriminator.join('.') }),
    })),
    analyzers: definition.analyzers as IndexDescription['analyzers'],
  };
}

/** The types of an open index's key columns, which come first among the columns to read. */
function keyTypes(open: OpenIndex | null): Pick<IndexDescription['key'], 'types'> {
  if (open === null) return {};
  const { columns, keyColumns } = open.mapping;
  return { types: columns.slice(0, keyColumns).map(({ type }) => typeName(type)) };
}

/** The windows of an open index, if it has some. */
export function windowsPart(open: OpenIndex | null): Pick<IndexDescription, 'windows'> {
  const windows = open === null ? null : describeWindows(open);
  return windows === null ? {} : { windows };
}

/** The shards of an open index, all of them, in order. */
export function describeShards({
  shards,
  generation,
  checkpoint,
}: IndexSnapshot): readonly ShardDescription[] {
  return shards.map(({ shard, segments }) => ({
    shard,
    ...sizeOf(segments, shard),
    segments: segments.length,
    index_generation: generation,
    snapshot: checkpoint?.snapshot_id ?? null,
  }));
}

/** A segment that several shards have counts once: its bytes are divided. */
function sizeOf(segments: readonly SegmentReader[], shard: number) {
  const shares = segments.map(({ entry }) => sizeInShard(entry, shard));
  const sum = (of: (share: (typeof shares)[number]) => number) =>
    shares.reduce((all, share) => all + of(share), 0);
  return {
    num_docs: sum(({ docs }) => docs),
    deleted_docs: sum(({ deletedDocs }) => deletedDocs),
    bytes: sum(({ bytes }) => bytes),
  };
}

/** The read restrictions under which the rows were read, if the catalog sent some. */
function restrictionsPart(open: OpenIndex | null): Pick<IndexDescription, 'read_restrictions'> {
  const identity = open?.snapshot.checkpoint?.table_uuid;
  const { restrictions } = identity === undefined ? {} : identityParts(identity);
  return restrictions === undefined ? {} : { read_restrictions: restrictions };
}

function checkpointJson(open: OpenIndex | null): JsonObject | null {
  const checkpoint = open?.snapshot.checkpoint ?? null;
  if (open === null || checkpoint === null) return null;
  const { snapshot_id, sequence, schema_id, data_files, delete_files } = checkpoint;
  const { uuid: table_uuid } = identityParts(checkpoint.table_uuid);
  const committed_at = new Date(open.snapshot.commit.committed_at).toISOString();
  return { table_uuid, snapshot_id, sequence, schema_id, data_files, delete_files, committed_at };
}

function fieldDescriptions(
  definition: Definition,
  open: OpenIndex | null,
): readonly FieldDescription[] {
  const several = new Set(
    open?.mapping.fields.filter((field) => field.multiValued).map((field) => field.plan.name),
  );
  const fields = definition.fields.map((field) => fieldDescription(field, several));
  const flattened = definition.variants
    .filter((variant) => variant.flatten)
    .map(({ column }): FieldDescription => {
      const flags = { indexed: true, fast: false, cached: false };
      return {
        name: column,
        type: 'TEXT',
        ...flags,
        analyzer: fieldAnalyzer(definition, column),
        multi_valued: true,
        source: [column],
      };
    });
  return [...fields, ...flattened];
}

function fieldDescription(field: FieldDefinition, several: ReadonlySet<string>): FieldDescription {
  const { name, type, indexed, fast, cached, analyzer, folded, sensitive, source } = field;
  const { description, maxBytes, path, when } = field;
  return {
    name,
    type,
    ...(description === undefined ? {} : { description }),
    indexed,
    fast,
    cached,
    ...(analyzer === undefined ? {} : { analyzer }),
    ...(folded ? { folded } : {}),
    ...(sensitive ? { sensitive } : {}),
    ...(several.has(name) ? { multi_valued: true } : {}),
    source,
    ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
    ...(path === undefined ? {} : { path: path.join('.') }),
    ...(when === undefined ? {} : { when }),
  };
}
