/**
 * Applies a change batch to an index, exactly once:
 *
 * 1. The rule (batch-rule.ts): it comes next, was applied before, or is refused.
 * 2. Its columns are those that the index is bound to, or the same widened.
 * 3. Removed places: the documents that lie there are marked.
 * 4. Rows: one whose key a marked document has takes its place: with the same row hash only the
 *    locator changes, else the document is replaced. All others are added.
 * 5. Documents that are still marked are deleted.
 * 6. Rows that share a key are refused or settled (`on_duplicate_key`).
 * 7. Merges that have ended are taken in; one commit moves data and checkpoint.
 *
 * On any error all is taken back: the last commit stays in force.
 */
import { type Batch, selectRows } from '@lakehouse-search/lake';
import type { ApplyResponse, BatchPart, ChangeBatch, WorkOptions } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { type IndexWriter, VERDICT } from '../index/index-writer.ts';
import type { Mapping } from '../schema/mapping.ts';
import { readStoredSchema } from '../schema/stored-schema.ts';
import { judgeBatch } from './batch-rule.ts';
import { checkShape, invalidBatch } from './batch-shape.ts';
import { boundSchema, followColumns, schemaChanged } from './bound-schema.ts';
import { createFileTable, type FileTable } from './file-table.ts';
import { NetCounts } from './net-counts.ts';
import { blockOfRows, type KeyedRows, keyRows, rowsToBlock } from './rows-to-block.ts';
import { settleDuplicates } from './settle-duplicates.ts';
import { readAhead, refuseAborted } from './source-errors.ts';
import { checkpointAt, requireCheckpoint } from './source-state.ts';
import { TakenPlaces } from './taken-places.ts';

/** An index that batches are applied to. */
export interface BatchTarget {
  readonly writer: IndexWriter;
  /** The mapping of the index's definition over a bound schema, as a checkpoint keeps it. */
  readonly mappingOf: (schema: unknown) => Mapping;
  /** Called before each commit: the place to take ended merges in. */
  readonly beforeCommit: () => void;
}

/** What a batch did. */
export interface Applied extends ApplyResponse {
  /** Rows without a document that there are more than before. */
  readonly dropped: number;
}

/**
 * Applies a batch, or acknowledges one that was applied before. Throws checkpoint_gap,
 * source_changed, schema_changed, source_invalid, invalid_argument, interrupted, and what its parts
 * throw.
 */
export async function applyBatch(
  target: BatchTarget,
  batch: ChangeBatch,
  work: WorkOptions = {},
): Promise<Applied> {
  const { writer } = target;
  const mapping = target.mappingOf(requireCheckpoint(writer.lastCommit, 'index').schema);
  const { index } = mapping.definition;
  if (judgeBatch(requireCheckpoint(writer.lastCommit, index), batch, index) === 'applied') {
    return answer(writer, false, new Run(target, mapping, batch));
  }
  try {
    const run = new Run(target, followedMapping(target, mapping, batch), batch);
    for await (const part of readAhead(parts(batch), work.signal)) run.take(part);
    refuseAborted(work.signal);
    run.commit();
    return answer(writer, true, run);
  } catch (error) {
    writer.rollback();
    throw error;
  }
}

async function* parts(batch: ChangeBatch): AsyncGenerator<BatchPart> {
  yield* batch.parts;
}

function answer(writer: IndexWriter, applied: boolean, run: Run): Applied {
  return {
    applied,
    snapshot: writer.lastCommit.checkpoint?.snapshot_id ?? null,
    doc_count: writer.liveDocs,
    ...run.counts,
  };
}

/** The mapping under which the batch's rows were read. Throws schema_changed. */
function followedMapping(target: BatchTarget, bound: Mapping, { to }: ChangeBatch): Mapping {
  const schema = readStoredSchema(to.schema);
  const binding = followColumns(boundSchema(bound, schema), schema);
  const { index } = bound.definition;
  const { checkpoint } = target.writer.lastCommit;
  if (binding.lost !== undefined) {
    const at = checkpoint?.snapshot_id ?? null;
    throw schemaChanged(index, binding.lost, to.snapshot_id, at);
  }
  return target.mappingOf(to.schema);
}

/** One batch on its way into the writer. */
class Run {
  readonly #target: BatchTarget;
  readonly #mapping: Mapping;
  readonly #batch: ChangeBatch;
  readonly #files: FileTable;
  readonly #places: TakenPlaces;
  readonly #counts: NetCounts;
  /** Live rows without a document: of the last commit, then how many there are more. */
  readonly #formerDropped: number;
  #dropped = 0;
  #removed = false;
  #rows = false;

  constructor(target: BatchTarget, mapping: Mapping, batch: ChangeBatch) {
    const { lastCommit } = target.writer;
    this.#target = target;
    this.#mapping = mapping;
    this.#batch = batch;
    this.#files = createFileTable(lastCommit.files);
    this.#files.follow(batch.to.files);
    this.#places = new TakenPlaces(target.writer);
    this.#counts = new NetCounts(mapping.definition.onDuplicateKey === 'last');
    this.#formerDropped = lastCommit.dropped_duplicates ?? 0;
  }

  get counts(): Pick<Applied, 'inserted' | 'updated' | 'deleted' | 'dropped'> {
    const { inserted, updated, deleted } = this.#counts;
    return { inserted, updated, deleted, dropped: this.#dropped };
  }

  take(part: BatchPart): void {
    if (part.kind === 'rows') this.#addRows(part.batch);
    else this.#remove(part.path, part.positions);
  }

  commit(): void {
    const { writer, beforeCommit } = this.#target;
    const { table_uuid, to, with_dropped } = this.#batch;
    this.#mark();
    if (this.#removed) this.#counts.deleted = writer.deleteMarked();
    const dropped = settleDuplicates(writer, this.#mapping, this.#files, (winner, all) =>
      this.#counts.settle(winner, all),
    );
    this.#dropped = with_dropped ? dropped - this.#formerDropped : dropped;
    beforeCommit();
    writer.commit({
      checkpoint: checkpointAt(table_uuid, to, this.#files, writer.lastCommit.checkpoint),
      files: this.#files.at(to.files),
      droppedDuplicates: this.#dropped,
    });
  }

  #remove(path: string, positions: Int32Array | null): void {
    if (this.#rows) throw invalidBatch(`removed places of "${path}" come after rows`);
    if (this.#formerDropped > 0 && !this.#batch.with_dropped) throw this.#unfollowable();
    const file = this.#files.known(path);
    if (file === null) return;
    this.#removed = true;
    this.#places.remove(file, positions);
  }

  /** All removed places are known: before the first row, and where there is none. */
  #mark(): void {
    if (this.#rows) return;
    this.#rows = true;
    if (this.#removed) this.#target.writer.markPlaces(this.#places.removed);
  }

  #addRows(batch: Batch): void {
    this.#mark();
    if (batch.rows === 0) return;
    checkShape(this.#mapping, batch);
    const file = this.#files.known(batch.file);
    if (file === null)
      throw invalidBatch(`"${batch.file}" has rows, but is no file of the snapshot`);
    this.#places.requireFree(file, batch);
    const keyed = keyRows(this.#mapping, batch);
    const fresh = this.#settle(keyed, file, batch);
    if (fresh.length === 0) return;
    const block =
      fresh.length === batch.rows
        ? blockOfRows(this.#mapping, batch, file, keyed, new Map())
        : rowsToBlock(this.#mapping, selectRows(batch, fresh), file, new Map());
    this.#target.writer.add(block);
  }

  /** The rows that get a document: those that no marked one is equal to. */
  #settle({ keys, hashes }: KeyedRows, file: number, { rows, positions }: Batch): Int32Array {
    const former = new BigUint64Array(rows);
    const verdicts = this.#removed
      ? this.#target.writer.settle({ keys, hashes, file, positions, former })
      : new Uint8Array(rows).fill(VERDICT.added);
    const fresh = new Int32Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (verdicts[row] === VERDICT.same) continue;
      fresh[count++] = row;
      const replaced = verdicts[row] === VERDICT.changed ? former[row] : null;
      this.#counts.add(file, positions[row], replaced);
    }
    return fresh.subarray(0, count);
  }

  /** A place that is removed may have been the one that won over a row without a document. */
  #unfollowable(): LhsError {
    const { index } = this.#mapping.definition;
    const what = `${this.#formerDropped} rows of the table share their key with another row`;
    return new LhsError('source_invalid', `${what}: the batch must hold them too (with_dropped)`, {
      hint: `lhs index sync ${index} reads them; lhs index reindex ${index} builds it whole`,
    });
  }
}
