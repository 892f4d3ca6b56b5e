import { LhsError, type VerifyRequest } from '@lakehouse-search/contract';
import type { FileSet, Schema, SourceTable } from '@lakehouse-search/lake';
import { followColumns } from '../documents/bound-schema.ts';
import { fetchColdFiles } from '../index/cold-segments.ts';
import type { DataFiles } from '../index/commits/data-files.ts';
import type { OpenIndex } from '../open/open-index.ts';
import { columnIds, type HashSet } from '../schema/hash-set.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { ComponentKind } from '../segment/entry.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { fromSource } from '../source/source-errors.ts';
import { namedSnapshot } from '../source/source-table.ts';
import { holdingColdBytes } from '../storage/cold-cache.ts';
import { requireSameTable } from '../sync/source-state.ts';
import { VerifyDocs } from './docs.ts';

/** The two sides. */
export interface ComparedSides {
  readonly docs: VerifyDocs;
  /** The data files that documents name. */
  readonly files: DataFiles;
  readonly mapping: Mapping;
  readonly table: SourceTable;
  /**
   * Schema under which rows are read, all of its columns: the mapping's as the table has them, then
   * others that row hashes of documents cover.
   */
  readonly schema: Schema;
  readonly set: FileSet;
  /** A document with another row location than its row is stale. */
  readonly places: boolean;
}

/** The sides of a comparison, and segments that cannot take part in it. */
export interface PreparedSides {
  readonly sides: ComparedSides;
  readonly faults: readonly string[];
}

/** What a comparison of rows reads of cold segments. */
const COMPARED_KINDS: ReadonlySet<ComponentKind> = new Set([
  'keys',
  'hashes',
  'locators',
  'vector',
  'graph',
]);

/**
 * Runs `compare` over an index at the commit that is open and its table at the checkpoint's
 * snapshot, or at the one that is named. Throws source_changed, not_found, source_invalid, and as
 * `fetchColdFiles`.
 */
export const withSides = <T>(
  open: OpenIndex,
  table: SourceTable,
  request: VerifyRequest,
  compare: (prepared: PreparedSides) => Promise<T>,
): Promise<T> =>
  holdingColdBytes(async () => {
    const kinds = request.deep === true ? undefined : COMPARED_KINDS;
    await fetchColdFiles(open.snapshot.segments, kinds);
    return compare(await prepareSides(open, table, request));
  });

async function prepareSides(
  { snapshot, mapping }: OpenIndex,
  table: SourceTable,
  { snapshot: named }: VerifyRequest,
): Promise<PreparedSides> {
  const { checkpoint, files } = snapshot;
  const { index } = mapping.definition;
  if (checkpoint === null) throw new LhsError('internal', 'an open index has no checkpoint');
  requireSameTable(checkpoint, table, index);
  const own = checkpoint.snapshot_id === null ? null : BigInt(checkpoint.snapshot_id);
  const snapshotId = named === undefined ? own : namedSnapshot(table, named);
  if (snapshotId !== null) requireKept(table, snapshotId, index);
  const set = await fromSource(() => table.files(snapshotId));
  const { readable, faults } = readableSegments(snapshot.segments);
  const ids = mapping.columns.map(({ id }) => id).sort((a, b) => a - b);
  const docs = new VerifyDocs(readable, { columns: ids.map(String) });
  const bound = readingSchema(mapping, table, snapshotId);
  const schema = withHashedColumns(bound, docs.hashSets, table, snapshotId);
  const places = snapshotId === own;
  return { sides: { docs, files, mapping, table, schema, set, places }, faults };
}

/** Throws not_found if the table no longer has the snapshot of an index. */
export function requireKept(table: SourceTable, id: bigint, index: string): void {
  if (table.snapshots.some((snapshot) => snapshot.id === id)) return;
  const message = `snapshot ${id}, which index "${index}" equals, is no longer in ${table.name}`;
  throw new LhsError('not_found', message, {
    hint: 'compare with a snapshot that the table still has, or after a sync',
    next: [{ step: 'sync', index }],
  });
}

/** The mapping's columns, found by field id, as the table has them now, or had them then. */
export function readingSchema(
  mapping: Mapping,
  table: SourceTable,
  snapshotId: bigint | null,
): Schema {
  const { schemaId, identifierFieldIds } = table.schema;
  const bound: Schema = { schemaId, fields: mapping.columns, identifierFieldIds };
  const now = followColumns(bound, table.schema);
  if (now.lost === undefined) return now.schema;
  if (snapshotId === null) return bound;
  const then = followColumns(bound, table.schemaOf(snapshotId));
  return then.lost === undefined ? then.schema : bound;
}

/**
 * A schema with the other columns that row hashes cover, such as that of a dropped field, by field
 * id. A column that the table does not have is left out: documents hashed over it count as stale.
 */
function withHashedColumns(
  bound: Schema,
  sets: readonly HashSet[],
  table: SourceTable,
  snapshotId: bigint | null,
): Schema {
  const ids = new Set(sets.flatMap((set) => [...columnIds(set)]));
  for (const { id } of bound.fields) ids.delete(id);
  if (ids.size === 0) return bound;
  const then = snapshotId === null ? [] : table.schemaOf(snapshotId).fields;
  const fields = [...bound.fields];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const field = [...table.schema.fields, ...then].find((own) => own.id === id);
    if (field !== undefined) fields.push({ ...field, name: `${field.name}#${id}` });
  }
  return { ...bound, fields };
}

/** Segments whose keys and locators are whole; the others' documents count as missing. */
function readableSegments(segments: readonly SegmentReader[]): {
  readable: readonly SegmentReader[];
  faults: readonly string[];
} {
  const faults: string[] = [];
  const readable = segments.filter((segment) => {
    try {
      return [segment.keys.docs, segment.rowHashes.length, segment.locators.docs].every(
        (docs) => docs === segment.docs,
      );
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== 'corrupt_index') throw error;
      faults.push(`segment ${segment.id} cannot be compared: ${error.message}`);
      return false;
    }
  });
  return { readable, faults };
}
