/**
 * Reindex: a new generation from a whole snapshot.
 *
 * 1. The snapshot's file set gives the data files their numbers.
 * 2. Rows that cannot be indexed are refused or skipped (`on_bad_row`).
 * 3. Batches of rows become document blocks, texts of VECTOR fields vectors (vector-stage.ts), and
 *    go to the writer, which flushes segments that nobody sees.
 * 4. Rows that share a key are refused or settled (`on_duplicate_key`).
 * 5. Segments are merged to few, beside (in a thread if they are large); one commit makes data and
 *    checkpoint visible in the generation's folder.
 *
 * The generation is staged: nobody reads it before the caller names it the live one. When this
 * throws, the caller discards the folder; the live generation was never touched.
 */

import type { CallContext, Progress, VectorCounts } from '@lakehouse-search/contract';
import type { Batch, FileSet, SourceTable } from '@lakehouse-search/lake';
import type { StepOptions } from '../../base/steps.ts';
import { releaseBatch, releaseRows } from '../../documents/block-memory.ts';
import { boundSchema } from '../../documents/bound-schema.ts';
import { ownRows } from '../../documents/own-rows.ts';
import { rowsToBlock } from '../../documents/rows-to-block.ts';
import type { ModelPlaces } from '../../documents/vectors/models-in-use.ts';
import { addVectorCounts } from '../../documents/vectors/vector-block.ts';
import { VectorStage } from '../../documents/vectors/vector-stage.ts';
import type { BuildThreads } from '../../index/build-threads.ts';
import { type Commit, commitBytes, readCommit } from '../../index/commits/commit.ts';
import { NO_FILES } from '../../index/commits/data-files.ts';
import { sourceIdentity } from '../../index/commits/source-identity.ts';
import { IndexWriter } from '../../index/index-writer.ts';
import { BackgroundMerges, type MergeRunner } from '../../index/merges/background-merges.ts';
import { inlineRunner } from '../../index/merges/merge-runners.ts';
import type { DocumentBlock } from '../../schema/field-block.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { layoutOf, type Mapping } from '../../schema/mapping.ts';
import { windowName } from '../../schema/windows.ts';
import { fromSource, readAhead, refuseAborted } from '../../source/source-errors.ts';
import type { Directory } from '../../storage/directory.ts';
import { freeMemory, growHeaps } from '../../storage/free-memory.ts';
import { piecesOf } from '../batch/batch-pieces.ts';
import { createFileTable } from '../batch/file-table.ts';
import { settleDuplicates } from '../batch/settle-duplicates.ts';
import { SkippedRows } from '../batch/skipped-rows.ts';
import { checkpointAt, sourceState } from '../source-state.ts';
import {
  type BuildResources,
  mergeSettings,
  segmentMemory,
  usualSegmentMemory,
} from './build-resources.ts';
import { mergeProgress } from './merge-progress.ts';
import { Pipeline } from './pipeline.ts';
import { type SavedBuild, SavedFiles } from './saved-files.ts';

/** A build with so much memory lets the heaps grow. */
const GROWN_HEAPS_BYTES = 512 * 2 ** 20;

/** What to build, and where. */
export interface RebuildRequest extends CallContext {
  readonly table: SourceTable;
  readonly mapping: Mapping;
  /** The staged generation's folder: empty, or with a partial commit of the same snapshot. */
  readonly directory: Directory;
  /** Number of the generation. */
  readonly generation: number;
  /** null: the empty table. */
  readonly snapshotId: bigint | null;
  readonly definitionVersion: number;
  readonly models: ModelPlaces;
  /** Where merges run. Default: here. */
  readonly mergeRunner?: MergeRunner;
  /** Milliseconds after which finished data files are committed, so that a crash keeps them. */
  readonly saveMs?: number | undefined;
  /**
   * Bytes of documents in memory before a flush. Default: as `resources` allow; without them 512
   * MiB, twice that with vectors.
   */
  readonly memoryBytes?: number | undefined;
  /** Threads and memory. Default: this thread alone. */
  readonly resources?: BuildResources | undefined;
  /** Brings segments that are built elsewhere. Default: the rows of the table are read here. */
  readonly fill?: FillBuild | undefined;
  /** Only segments are built, few of them, which another build takes. Default: the whole index. */
  readonly part?: BuildPart | undefined;
}

/** Which names the segments of a part of a build have, and which time. */
export interface BuildPart {
  readonly firstSegment: number;
  readonly writtenMs: number;
}

/** A build whose segments are brought. */
export interface FilledBuild
  extends Pick<SavedBuild, 'writer' | 'files' | 'skipped' | 'state' | 'checkpoint'> {
  readonly request: RebuildRequest;
  readonly set: FileSet;
  /** Paths of the data files whose rows the build lacks; undefined: of all. */
  readonly missing: ReadonlySet<string> | undefined;
  readonly leftOut: Map<string, number>;
}

/** Brings the segments of a build. */
export type FillBuild = (
  build: FilledBuild,
) => Promise<Pick<RebuildResult, 'droppedDuplicates' | 'vectors'>>;

/** What was built. */
export interface RebuildResult {
  readonly commit: Commit;
  readonly docs: number;
  /** Bytes of the generation's segments. */
  readonly bytes: number;
  readonly droppedDuplicates: number;
  /** Variant values that fit no typed field of their shape, by field name. */
  readonly leftOut: ReadonlyMap<string, number>;
  readonly vectors: VectorCounts;
  /** Rows without a document. */
  readonly skipped: SkippedRows;
}

/**
 * Builds the index of a snapshot in `directory` and commits it; goes on where a partial commit is
 * there. Throws source_invalid, interrupted, disk_full, io_error, and invalid_argument if the
 * partial commit has other fields.
 */
export async function rebuildIndex(request: RebuildRequest): Promise<RebuildResult> {
  const { table, mapping, directory, snapshotId, definitionVersion, fill, part, signal } = request;
  const set = await fromSource(() => table.files(snapshotId), signal);
  const former = readCommit(directory);
  const files = createFileTable(former?.files);
  const bound = boundSchema(mapping, table.schema);
  const state = sourceState(table, set, bound, mapping.definition.source.ref);
  files.follow(state.files);
  const stage = new VectorStage(modelsOf(request));
  let threads: BuildThreads | null = null;
  let writer: IndexWriter | undefined;
  let merges: BackgroundMerges | undefined;
  const endGrowing = growsHeaps(request) ? growHeaps() : () => {};
  try {
    const plans = await stage.withModels(mapping.fields.map((field) => field.plan));
    const { memoryBytes = usualMemory(request, plans) } = request;
    threads = openThreads(request, plans);
    writer = IndexWriter.open(directory, plans, {
      ...{ definitionVersion, memoryBytes, threads, ...layoutOf(mapping) },
      ...(part && { firstSegment: part.firstSegment, now: () => part.writtenMs }),
    });
    const leftOut = new Map<string, number>();
    const skipped = new SkippedRows(former);
    const owned = writer;
    const identity = sourceIdentity(table);
    const checkpoint = () => checkpointAt(identity, state, ancestorsOf(table, snapshotId));
    const settle = (docs: number) =>
      settleDuplicates(owned, mapping, files, flushOptions(request, owned, docs, docs));
    const saved = new SavedFiles({
      ...{ writer, files, skipped, state, checkpoint, settle },
      saveMs: request.saveMs,
    });
    const into = { writer, stage, plans, numberOf: files.numberOf, leftOut, saved, skipped };
    const { missing } = saved;
    const bare = { writer, files, skipped, state, set };
    const filled = await fill?.({ ...bare, request, missing, leftOut, checkpoint });
    const docs =
      filled === undefined ? await addRows(request, into, snapshotTotal(request)) : writer.liveDocs;
    await saved.end(docs);
    if (filled === undefined && part === undefined) await stage.endBuild();
    const droppedDuplicates = (await settle(docs)) + (filled?.droppedDuplicates ?? 0);
    if (request.resources !== undefined) {
      await threads?.close();
      writer.leavePages();
      if (writer.segments > 1) freeMemory();
    }
    merges = new BackgroundMerges(writer, request.mergeRunner ?? inlineRunner(directory));
    const more = { ...snapshotOf(request), ...shardProgress(request, writer, docs) };
    const settings = request.resources && mergeSettings(request.resources);
    if (filled === undefined || part !== undefined) {
      await merges.force(1, { ...mergeProgress(request, more), signal, settings });
    }
    refuseAborted(signal);
    tell(request, writer, 'committing', docs, docs);
    const whole = { files: files.at(state.files, skipped), skipped: skipped.committed() };
    const own = part === undefined ? whole : { files: NO_FILES };
    const commit = writer.commit({ checkpoint: checkpoint(), droppedDuplicates, ...own });
    const bytes = commitBytes(commit);
    const vectors = addVectorCounts(stage.counts, filled?.vectors ?? {});
    const dropped = commit.dropped_duplicates ?? 0;
    const built = { commit, docs: writer.liveDocs, bytes, leftOut, vectors, skipped };
    return { ...built, droppedDuplicates: dropped };
  } finally {
    endGrowing();
    await merges?.close();
    await threads?.close();
    writer?.close();
    await stage.close();
  }
}

/** The snapshots that a build of `snapshotId` contains: a batch that ends at one of them is old. */
function ancestorsOf(table: SourceTable, snapshotId: bigint | null) {
  if (snapshotId === null) return null;
  const applied = table.ancestry(snapshotId).map(({ id }) => String(id));
  return { snapshot_id: null, applied };
}

/** In little memory, heaps are collected as soon as V8 sees fit. */
const growsHeaps = ({ resources }: RebuildRequest): boolean =>
  resources !== undefined && resources.memoryBytes >= GROWN_HEAPS_BYTES;

function usualMemory({ resources }: RebuildRequest, plans: readonly FieldPlan[]): number {
  if (resources !== undefined) return segmentMemory(resources);
  // a merge costs about as much as the building, so segments are few and large; as much again where
  // there are vectors: else they would be what flushes the texts
  return usualSegmentMemory() * (plans.some(hasVectors) ? 4 : 2);
}

/** The threads of a build; none if there are too few rows for them. */
function openThreads(request: RebuildRequest, plans: readonly FieldPlan[]): BuildThreads | null {
  const resources = threadsOf(request);
  return resources?.openThreads(plans, request.directory.path) ?? null;
}

/** The models of a build, whose texts threads embed unless there are too few rows. */
function modelsOf(request: RebuildRequest): ModelPlaces {
  const { models } = request;
  const resources = threadsOf(request);
  if (resources === null) return models;
  return { ...models, openEmbedder: resources.embedThreads(models.openEmbedder) };
}

/** The resources of a build that uses several threads; null: it does not. */
function threadsOf(request: RebuildRequest): BuildResources | null {
  const { resources } = request;
  if (resources === undefined || resources.threads === 1) return null;
  return snapshotTotal(request) < resources.threadsFromRows ? null : resources;
}

const hasVectors = ({ vector }: FieldPlan): boolean => vector !== undefined;

/** Where rows go. */
interface Target {
  readonly writer: IndexWriter;
  readonly stage: VectorStage;
  readonly plans: readonly FieldPlan[];
  readonly numberOf: (path: string) => number;
  readonly leftOut: Map<string, number>;
  readonly saved: SavedFiles;
  readonly skipped: SkippedRows;
}

/** Rows of the table and their documents. */
interface BlockOfRows {
  readonly rows: Batch;
  readonly block: DocumentBlock;
}

async function addRows(
  request: RebuildRequest,
  { writer, stage, plans, numberOf, leftOut, saved, skipped }: Target,
  total: number,
): Promise<number> {
  const { table, mapping, snapshotId, signal, progress } = request;
  if (snapshotId === null) return 0;
  const columns = mapping.columns.map((column) => column.name);
  const { missing: files } = saved;
  const scan = table.scan({ snapshotId, columns, schema: table.schema, files, signal });
  let docs = writer.liveDocs;
  let { segments } = writer;
  const report = ({ embeddings }: VectorCounts) => {
    progress?.({
      phase: 'reading',
      docs_done: docs,
      docs_total: Math.max(total, docs),
      ...snapshotOf(request),
      ...shardProgress(request, writer, Math.max(total, docs)),
      ...(embeddings === undefined ? {} : { embeddings }),
    });
  };
  // Threads embed the texts of a block while the block before is added.
  const pipeline = new Pipeline<BlockOfRows>(async ({ rows, block }) => {
    await writer.addInSteps(block, flushOptions(request, writer, docs, Math.max(total, docs)));
    docs += block.docs;
    releaseRows(rows, block);
    if (writer.segments > segments) writer.leavePages();
    segments = writer.segments;
  });
  let current: string | null = null;
  try {
    for await (const batch of readAhead(scan, signal)) {
      if (batch.file !== current) await pipeline.drain();
      current = batch.file;
      await saved.reading(batch.file, docs);
      for await (const piece of piecesOf(batch, signal)) {
        const file = numberOf(piece.file);
        const rows = ownRows(mapping, skipped.goodRows(mapping, piece, file));
        const block = rowsToBlock(mapping, rows, file, leftOut);
        await pipeline.push(async () => {
          return { rows, block: await stage.complete(plans, block, { signal, report }) };
        });
        if (rows !== piece) releaseBatch(piece);
        if (piece !== batch && isLastPiece(piece, batch)) releaseBatch(batch);
      }
      report(stage.counts);
    }
    await pipeline.drain();
    report(stage.counts);
  } finally {
    await pipeline.stop();
  }
  return docs;
}

/** Pieces are copies: after the last one, nothing uses the batch. */
function isLastPiece({ rows, positions }: Batch, batch: Batch): boolean {
  return positions[rows - 1] === batch.positions[batch.rows - 1];
}

/** For flushes: they heed the signal, and report that they go on. */
function flushOptions(
  request: RebuildRequest,
  writer: IndexWriter,
  docs: number,
  total: number,
): StepOptions {
  const { signal } = request;
  return { signal, report: () => tell(request, writer, 'flushing', docs, total) };
}

function tell(
  request: RebuildRequest,
  writer: IndexWriter,
  phase: 'flushing' | 'committing',
  docs_done: number,
  docs_total: number,
): void {
  const shards = shardProgress(request, writer, docs_total);
  request.progress?.({ phase, docs_done, docs_total, ...snapshotOf(request), ...shards });
}

/**
 * Documents by shard, if there are several, and by window; a shard's total is its share of the
 * buckets.
 */
function shardProgress(
  { generation, mapping }: RebuildRequest,
  writer: IndexWriter,
  total: number,
): Pick<Progress, 'shards' | 'windows'> {
  const { shards = 1, only = [...Array(shards).keys()] } = mapping.definition;
  const windows = windowProgress(writer, mapping);
  if (shards === 1) return windows;
  const { shardDocs } = writer;
  return {
    ...windows,
    shards: only.map((shard) => {
      const docs_done = shardDocs[shard];
      const docs_total = Math.max(docs_done, Math.round(total / shards));
      return { shard, docs_done, docs_total, generation };
    }),
  };
}

function windowProgress(writer: IndexWriter, { windows }: Mapping): Pick<Progress, 'windows'> {
  if (windows === undefined) return {};
  const docs = [...writer.windowDocs].map(([start, docs_done]) => {
    return { window: windowName(start, windows.every), docs_done };
  });
  return { windows: docs };
}

function snapshotOf({ snapshotId }: RebuildRequest): { snapshot?: string } {
  return snapshotId === null ? {} : { snapshot: String(snapshotId) };
}

/**
 * Rows of the snapshot as its summary counts them, deletes not looked at: only to show how far the
 * work is.
 */
function snapshotTotal({ table, snapshotId }: RebuildRequest): number {
  if (snapshotId === null) return 0;
  const { summary } = table.snapshot(snapshotId);
  const records = Number(summary['total-records'] ?? 0);
  const deleted = Number(summary['total-position-deletes'] ?? 0);
  return Math.max(0, records - deleted) || 0;
}
