/**
 * Builds one window of an index again: the rows of its documents are read from the table, at the
 * snapshot of the checkpoint, and one commit replaces the window's documents. All other windows,
 * the checkpoint and the generation stay. Needs the memory and disk of one window. Before the
 * commit nothing is visible; after a crash the next open removes what was written.
 */
import type { CallContext, ReindexWindowResponse } from '@lakehouse-search/contract';
import type { FilePart } from '@lakehouse-search/lake';
import { rowsToBlock } from '../documents/rows-to-block.ts';
import { VectorStage } from '../documents/vectors/vector-stage.ts';
import type { DataFiles } from '../index/commits/data-files.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { asCommitted } from '../index/merges/stored-plans.ts';
import { findWindow } from '../open/describe-windows.ts';
import { currentGeneration } from '../open/index-folder.ts';
import { notBuilt, type OpenIndex, openIndex } from '../open/open-index.ts';
import { layoutOf } from '../schema/mapping.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { fromSource, readAhead, refuseAborted } from '../source/source-errors.ts';
import { piecesOf } from '../sync/batch/batch-pieces.ts';
import { createFileTable } from '../sync/batch/file-table.ts';
import { usualSegmentMemory } from '../sync/build/build-resources.ts';
import { type LockedIndex, modelPlaces } from '../sync/locked-index.ts';
import { requireCheckpoint, requireSameTable } from '../sync/source-state.ts';
import { readingSchema, requireKept } from './sides.ts';

/** A window of an open index. */
interface OpenWindow extends OpenIndex {
  readonly segments: readonly SegmentReader[];
}

/**
 * Builds a window again. Throws not_found (the window, or the snapshot in the table),
 * source_changed, source_invalid, interrupted, disk_full, io_error.
 */
export async function reindexWindow(
  index: LockedIndex,
  window: string,
  work: CallContext,
): Promise<Omit<ReindexWindowResponse, 'took_ms'>> {
  const { folder, definition, openDirectory } = index;
  const open = openIndex(folder, definition, () => definition, openDirectory);
  try {
    const { commit } = open.snapshot;
    const start = findWindow(window, commit, definition.index);
    const { snapshot_id } = requireCheckpoint(commit, definition.index);
    const segments = open.snapshot.segments.filter(({ entry }) => entry.window === start);
    const doc_count = await replace(index, { ...open, segments }, work);
    return { window, doc_count, snapshot: snapshot_id };
  } finally {
    open.snapshot.release();
  }
}

async function replace(index: LockedIndex, open: OpenWindow, work: CallContext): Promise<number> {
  const { folder, definition, definitionVersion, lock, openDirectory } = index;
  const { memoryBytes = usualSegmentMemory() } = index;
  const { snapshot, mapping, segments } = open;
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition);
  const directory = openDirectory(live.path, () => lock.assertHeld());
  const own = mapping.fields.map((field) => field.plan);
  const plans = asCommitted(own, snapshot.commit);
  const stage = new VectorStage(modelPlaces(index));
  const options = { definitionVersion, memoryBytes, ...layoutOf(mapping) };
  const writer = IndexWriter.open(directory, plans, options);
  try {
    for (const { id, docs } of segments) writer.deleteDocs(id, [...Array(docs).keys()]);
    const { checkpoint, files } = writer.lastCommit;
    const numberOf = createFileTable(files).numberOf;
    const total = segments.reduce((sum, { liveDocs }) => sum + liveDocs, 0);
    let done = 0;
    const { signal, progress } = work;
    for await (const batch of rowsOf(index, open, signal)) {
      for await (const piece of piecesOf(batch, signal)) {
        const block = rowsToBlock(mapping, piece, numberOf(piece.file), new Map());
        await writer.addInSteps(await stage.complete(plans, block, { signal }), { signal });
        done += piece.rows;
        progress?.({ phase: 'reading', docs_done: done, docs_total: total });
      }
    }
    await writer.flushInSteps({ signal });
    refuseAborted(signal);
    writer.commit({ checkpoint, files });
    return done;
  } finally {
    writer.close();
    await stage.close();
  }
}

/** The rows of the window's documents, as the table has them at the checkpoint's snapshot. */
async function* rowsOf(
  { table, definition }: LockedIndex,
  { snapshot, mapping, segments }: OpenWindow,
  signal: AbortSignal | undefined,
) {
  const checkpoint = requireCheckpoint(snapshot.commit, definition.index);
  requireSameTable(checkpoint, table, definition.index);
  if (checkpoint.snapshot_id === null) return;
  const snapshotId = BigInt(checkpoint.snapshot_id);
  requireKept(table, snapshotId, definition.index);
  const set = await fromSource(() => table.files(snapshotId), signal);
  const positions = positionsOf(segments, snapshot.files);
  const parts = set.files.flatMap((scan): FilePart[] => {
    const only = positions.get(scan.data.path);
    return only === undefined ? [] : [{ scan, only: Int32Array.from(only).sort() }];
  });
  const schema = readingSchema(mapping, table, snapshotId);
  const columns = mapping.columns.map(({ name }) => name);
  yield* readAhead(table.read(parts, { columns, schema, signal }), signal);
}

/** Positions of the live documents' rows by data file. */
function positionsOf(
  segments: readonly SegmentReader[],
  files: DataFiles,
): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, number[]>();
  for (const segment of segments) {
    segment.locators.forEachLocation(null, (doc, file, position) => {
      if (segment.isDeleted(doc)) return;
      const own = positions.get(files.at(file).path);
      if (own === undefined) positions.set(files.at(file).path, [position]);
      else own.push(position);
    });
  }
  return positions;
}
