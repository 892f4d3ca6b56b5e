/**
 * Sync: the index follows its table, snapshot by snapshot in ancestry order, each in a commit of
 * its own.
 *
 * 1. The way from the checkpoint to the target: the target's ancestors after the checkpoint. Where
 *    the checkpoint is not among them the history was expired or rolled back: checkpoint_gap.
 * 2. The net changes of each step: deletes by key, then inserts and updates as documents; rows that
 *    only lie elsewhere now (compaction, copy-on-write) get new locators.
 * 3. Rows that share a key are refused or settled; small segments are merged; one commit moves data
 *    and checkpoint together.
 *
 * A step that fails leaves the commit before it in force.
 */
import type { Change, Snapshot, SourceTable } from '@lakehouse-search/lake';
import type { WorkOptions } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import type { Commit } from '../index/commit.ts';
import { IndexWriter } from '../index/index-writer.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { Mapping } from '../schema/mapping.ts';
import type { Directory } from '../storage/directory.ts';
import { encodeKeys } from './encode-keys.ts';
import { checkpointOf, createFileTable, type FileTable } from './file-table.ts';
import { missingSnapshots } from './missing-snapshots.ts';
import { rowsToBlock } from './rows-to-block.ts';
import { settleDuplicates } from './settle-duplicates.ts';
import { fromSource, readAhead, refuseAborted } from './source-errors.ts';

/** Documents that wait for the deletes of their step before they are added. */
const WAITING_DOCS = 65_536;

/** What to follow, and where the index lies. */
export interface SyncRequest extends WorkOptions {
  readonly table: SourceTable;
  readonly mapping: Mapping;
  /** The live generation's folder. */
  readonly directory: Directory;
  /** Where to go; null: the table has no snapshot. */
  readonly target: bigint | null;
  readonly definitionVersion: number;
}
/** What was applied. */
export interface SyncResult {
  readonly commit: Commit;
  readonly docs: number;
  readonly snapshotsApplied: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly skippedReplace: number;
  readonly droppedDuplicates: number;
}
interface Counts {
  inserted: number;
  updated: number;
  deleted: number;
  dropped: number;
}

/**
 * Applies every missing snapshot up to `target`. Throws checkpoint_gap, source_changed,
 * source_invalid, interrupted.
 */
export async function syncIndex(request: SyncRequest): Promise<SyncResult> {
  const { table, mapping, directory, definitionVersion } = request;
  const plans = mapping.fields.map((field) => field.plan);
  const writer = IndexWriter.open(directory, plans, { definitionVersion });
  try {
    const steps = missingSnapshots(writer.lastCommit, table, request.target, mapping);
    const files = createFileTable(writer.lastCommit.files);
    const total: Counts = { inserted: 0, updated: 0, deleted: 0, dropped: 0 };
    let skippedReplace = 0;
    for (const step of steps) {
      refuseAborted(request.signal);
      const counts = await applySnapshot(request, writer, files, step);
      total.inserted += counts.inserted;
      total.updated += counts.updated;
      total.deleted += counts.deleted;
      total.dropped += counts.dropped;
      if (step.operation === 'replace') skippedReplace++;
    }
    return {
      commit: writer.lastCommit,
      docs: writer.liveDocs,
      snapshotsApplied: steps.length,
      inserted: total.inserted,
      updated: total.updated,
      deleted: total.deleted,
      skippedReplace,
      droppedDuplicates: total.dropped,
    };
  } finally {
    writer.close();
  }
}

async function applySnapshot(
  request: SyncRequest,
  writer: IndexWriter,
  files: FileTable,
  step: Snapshot,
): Promise<Counts> {
  const { table, mapping, signal } = request;
  const counts: Counts = { inserted: 0, updated: 0, deleted: 0, dropped: 0 };
  const set = await fromSource(() => table.files(step.id));
  files.follow(set);
  const { checkpoint } = writer.lastCommit;
  const changes = table.changes({
    from: checkpoint?.snapshot_id == null ? null : BigInt(checkpoint.snapshot_id),
    to: step.id,
    key: mapping.columns.slice(0, mapping.keyColumns).map((column) => column.name),
    columns: mapping.columns.slice(mapping.keyColumns).map((column) => column.name),
    schema: table.schema,
    moves: true,
    signal,
  });
  const waiting: DocumentBlock[] = [];
  try {
    for await (const change of readAhead(changes, signal)) {
      requireSingleKeys(writer, mapping, change);
      applyChange(request, writer, files, change, counts, waiting);
    }
  } catch (error) {
    throw unfollowable(error, mapping);
  }
  addAll(writer, waiting);
  counts.dropped = settleDuplicates(writer, mapping, files);
  writer.merge();
  const next = checkpointOf(table, set, table.schema, files);
  writer.commit({ checkpoint: next, files: files.at(set), droppedDuplicates: counts.dropped });
  report(request, step, counts);
  return counts;
}

/**
 * Once rows have lost to others of their key, only appends can be followed: a change of such a key
 * may speak of the row that lost, or bring it back. Throws source_invalid.
 */
function requireSingleKeys({ lastCommit }: IndexWriter, mapping: Mapping, { kind }: Change): void {
  const dropped = lastCommit.dropped_duplicates ?? 0;
  if (dropped === 0 || kind === 'insert') return;
  const what = `${dropped} rows of the table share their key with another row`;
  const message = `${what}: changes beyond appended rows cannot be followed by key`;
  throw new LhsError('source_invalid', message, { hint: wholeBuild(mapping) });
}

/**
 * Net changes by key need keys that stand once. Under `on_duplicate_key: last` the table may hold
 * some twice: then only a whole build can tell which row stays.
 */
function unfollowable(error: unknown, mapping: Mapping): unknown {
  const duplicate = error instanceof LhsError && error.details.source_code === 'duplicate_key';
  if (!duplicate || mapping.definition.onDuplicateKey === 'refuse') return error;
  const { code, message, details } = error;
  return new LhsError(code, message, { hint: wholeBuild(mapping), details, cause: error });
}

const wholeBuild = ({ definition }: Mapping): string =>
  `lhs index reindex ${definition.index} builds it under on_duplicate_key: last`;

function applyChange(
  { mapping }: SyncRequest,
  writer: IndexWriter,
  files: FileTable,
  { kind, batch }: Change,
  counts: Counts,
  waiting: DocumentBlock[],
): void {
  const file = files.numberOf(batch.file);
  if (kind === 'delete') {
    counts.deleted += writer.deleteKeys(encodeKeys(mapping, batch));
    return;
  }
  if (kind === 'move') {
    const numbers = new Int32Array(batch.rows).fill(file);
    writer.moveRows(encodeKeys(mapping, batch), numbers, batch.positions);
    return;
  }
  const block = rowsToBlock(mapping, batch, file, new Map());
  if (kind === 'update') {
    writer.deleteKeys({ offsets: block.keyOffsets, bytes: block.keyBytes });
    counts.updated += batch.rows;
  } else counts.inserted += batch.rows;
  waiting.push(block);
  if (waiting.reduce((docs, b) => docs + b.docs, 0) >= WAITING_DOCS) addAll(writer, waiting);
}

function addAll(writer: IndexWriter, waiting: DocumentBlock[]): void {
  for (const block of waiting.splice(0)) writer.add(block);
}

function report({ onProgress }: SyncRequest, step: Snapshot, counts: Counts): void {
  const docs = counts.inserted + counts.updated + counts.deleted;
  onProgress?.({
    phase: 'syncing',
    docs_done: docs,
    docs_total: docs,
    snapshot: String(step.id),
    ...(step.operation === null ? {} : { operation: step.operation }),
    inserted: counts.inserted,
    updated: counts.updated,
    deleted: counts.deleted,
  });
}
