import { LhsError } from '@lakehouse-search/contract';
import type { TypedBatch, TypedPart } from '@lakehouse-search/contract/internal';
import type { Batch, Schema } from '@lakehouse-search/lake';
import { selectRows } from '@lakehouse-search/lake/internal';
import { ownRows } from '../../documents/own-rows.ts';
import {
  blockOfRows,
  type KeyedRows,
  keyRows,
  rowsToBlock,
} from '../../documents/rows-to-block.ts';
import type { VectorStage } from '../../documents/vectors/vector-stage.ts';
import { type IndexWriter, VERDICT } from '../../index/index-writer.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { checkpointAt, storedSchema } from '../source-state.ts';
import { piecesOf } from './batch-pieces.ts';
import { checkShape, invalidBatch } from './batch-rule.ts';
import { createFileTable, type FileTable } from './file-table.ts';
import { NetCounts } from './net-counts.ts';
import { settleDuplicates } from './settle-duplicates.ts';
import { SkippedRows } from './skipped-rows.ts';
import { TakenLocations } from './taken-locations.ts';

/** An index that batches are applied to. */
export interface BatchTarget {
  readonly index: string;
  readonly writer: IndexWriter;
  /** The mapping of the index's definition over a bound schema. Throws invalid_definition. */
  readonly mappingOf: (schema: Schema) => Mapping;
  /** Called before each commit: the place to take ended merges in. */
  readonly beforeCommit: () => void;
  /** The fields as the index was built with them, and what makes their vectors. */
  readonly plans: readonly FieldPlan[];
  readonly stage: VectorStage;
}

/** What a batch changed, net by key, and how many rows without a document there are more. */
export interface BatchCounts {
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly dropped: number;
}

/** One batch on its way into the writer. */
export class BatchRun {
  readonly #target: BatchTarget;
  readonly #schema: Schema;
  readonly #mapping: Mapping;
  readonly #batch: TypedBatch;
  readonly #files: FileTable;
  readonly #places: TakenLocations;
  readonly #counts: NetCounts;
  readonly #skipped: SkippedRows;
  /** Live rows without a document, of the last commit. */
  readonly #formerDropped: number;
  #removed = false;
  #rows = false;

  constructor(target: BatchTarget, schema: Schema, batch: TypedBatch) {
    const { lastCommit } = target.writer;
    const mapping = target.mappingOf(schema);
    this.#target = target;
    this.#schema = schema;
    this.#mapping = mapping;
    this.#batch = batch;
    this.#files = createFileTable(lastCommit.files);
    this.#files.follow(batch.to.files);
    this.#places = new TakenLocations(target.writer);
    this.#counts = new NetCounts(
      new Set(lastCommit.segments.map(({ id }) => id)),
      mapping.definition.onDuplicateKey === 'last',
    );
    this.#skipped = new SkippedRows(lastCommit);
    this.#formerDropped = lastCommit.dropped_duplicates ?? 0;
  }

  /**
   * The next part. Throws source_invalid, invalid_argument, and what embedding its texts throws.
   */
  async take(part: TypedPart, signal?: AbortSignal): Promise<void> {
    switch (part.kind) {
      case 'rows':
        return this.#takeRows(part.batch as Batch, signal);
      case 'removed':
        return this.#remove(part.path, part.positions);
      default:
        throw invalidBatch(`"${(part as TypedPart).kind}" is no kind of part`);
    }
  }

  /** Makes it visible. On an error the writer is to be rolled back. */
  async commit(signal?: AbortSignal): Promise<BatchCounts> {
    const { writer, beforeCommit } = this.#target;
    const { table_uuid, to, with_dropped, passed } = this.#batch;
    this.#mark();
    const deleted = this.#removed ? writer.deleteMarked() : 0;
    const lost = await settleDuplicates(
      writer,
      this.#mapping,
      this.#files,
      { signal },
      (winner, all) => this.#counts.settle(winner, all),
    );
    const dropped = with_dropped ? lost - this.#formerDropped : lost;
    beforeCommit();
    const state = { ...to, schema: storedSchema(this.#schema) };
    await writer.commitPublished({
      checkpoint: checkpointAt(table_uuid, state, writer.lastCommit.checkpoint, passed),
      files: this.#files.at(to.files, this.#skipped),
      droppedDuplicates: dropped,
      skipped: this.#skipped.committed(),
    });
    const { inserted, updated } = this.#counts;
    return { inserted, updated, deleted, dropped };
  }

  #remove(path: string, positions: Int32Array | null): void {
    if (this.#rows) throw invalidBatch(`removed places of "${path}" come after rows`);
    if (this.#formerDropped > 0 && !this.#batch.with_dropped) throw this.#unfollowable();
    const file = this.#files.known(path);
    if (file === null) return;
    this.#removed = true;
    this.#places.remove(file, positions);
    this.#skipped.remove(file, positions);
  }

  /** All removed places are known: before the first row, and where there is none. */
  #mark(): void {
    if (this.#rows) return;
    this.#rows = true;
    if (this.#removed) this.#target.writer.markPositions(this.#places.removed);
  }

  async #takeRows(batch: Batch, signal: AbortSignal | undefined): Promise<void> {
    this.#mark();
    if (batch.rows === 0) return;
    checkShape(this.#mapping, batch);
    for await (const piece of piecesOf(batch, signal)) await this.#addRows(piece, signal);
  }

  async #addRows(piece: Batch, signal: AbortSignal | undefined): Promise<void> {
    const file = this.#files.known(piece.file);
    if (file === null)
      throw invalidBatch(`"${piece.file}" has rows, but is no file of the snapshot`);
    const good = this.#skipped.goodRows(this.#mapping, piece, file);
    const batch = ownRows(this.#mapping, good);
    if (batch.rows === 0) return;
    this.#places.requireFree(file, batch);
    const keyed = keyRows(this.#mapping, batch);
    const fresh = this.#settle(keyed, file, batch);
    if (fresh.length === 0) return;
    const block =
      fresh.length === batch.rows
        ? blockOfRows(this.#mapping, batch, file, keyed, new Map())
        : rowsToBlock(this.#mapping, selectRows(batch, fresh), file, new Map());
    const { writer, stage, plans } = this.#target;
    await writer.addInSteps(await stage.complete(plans, block, { signal }), { signal });
  }

  /** The rows that get a document: those that no marked one is equal to. */
  #settle({ keys, hashes }: KeyedRows, file: number, { rows, positions }: Batch): Int32Array {
    const former = new BigUint64Array(rows);
    const verdicts = this.#removed
      ? this.#target.writer.settle({
          keys,
          hashes: hashes.own,
          hashesOf: (set) => hashes.of(set),
          file,
          positions,
          former,
        })
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
      hint: 'a sync reads them; a reindex builds the whole index',
      next: [
        { step: 'sync', index },
        { step: 'reindex', index },
      ],
    });
  }
}
