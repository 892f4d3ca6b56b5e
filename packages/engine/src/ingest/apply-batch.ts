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
import { type Batch, selectRows, vectorKind } from '@lakehouse-search/lake';
import type { ApplyResponse, BatchPart, ChangeBatch, WorkOptions } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { type IndexWriter, VERDICT } from '../index/index-writer.ts';
import type { Mapping } from '../schema/mapping.ts';
import { readStoredSchema } from '../schema/stored-schema.ts';
import { judgeBatch } from './batch-rule.ts';
import { boundSchema, followColumns, schemaChanged } from './bound-schema.ts';
import { createFileTable, type FileTable } from './file-table.ts';
import { blockOfRows, type KeyedRows, keyRows, rowsToBlock } from './rows-to-block.ts';
import { settleDuplicates } from './settle-duplicates.ts';
import { readAhead, refuseAborted } from './source-errors.ts';
import { checkpointAt, requireCheckpoint } from './source-state.ts';

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
  readonly counts = { inserted: 0, updated: 0, deleted: 0, dropped: 0 };
  readonly #target: BatchTarget;
  readonly #mapping: Mapping;
  readonly #batch: ChangeBatch;
  readonly #files: FileTable;
  readonly #places: Places;
  #removed = false;
  #rows = false;

  constructor(target: BatchTarget, mapping: Mapping, batch: ChangeBatch) {
    const { lastCommit } = target.writer;
    this.#target = target;
    this.#mapping = mapping;
    this.#batch = batch;
    this.#files = createFileTable(lastCommit.files);
    this.#files.follow(batch.to.files);
    const followed = lastCommit.checkpoint?.file_set.files ?? [];
    this.#places = new Places(target.writer, new Set(followed.map(({ file }) => file)));
  }

  take(part: BatchPart): void {
    if (part.kind === 'rows') this.#addRows(part.batch);
    else this.#remove(part.path, part.positions);
  }

  commit(): void {
    const { writer, beforeCommit } = this.#target;
    const { lastCommit } = writer;
    const { table_uuid, to } = this.#batch;
    if (this.#removed) this.counts.deleted = writer.deleteMarked();
    const dropped = settleDuplicates(writer, this.#mapping, this.#files);
    this.counts.inserted -= dropped;
    this.counts.dropped = dropped;
    beforeCommit();
    writer.commit({
      checkpoint: checkpointAt(table_uuid, to, this.#files, lastCommit.checkpoint),
      files: this.#files.at(to.files),
      droppedDuplicates: dropped,
    });
  }

  #remove(path: string, positions: Int32Array | null): void {
    if (this.#rows) throw invalidBatch(`removed places of "${path}" come after rows`);
    const file = this.#files.known(path);
    if (file === null) return;
    this.#removed = true;
    this.#places.remove(file, positions);
    this.#target.writer.markRows(file, positions);
  }

  #addRows(batch: Batch): void {
    this.#rows = true;
    if (batch.rows === 0) return;
    checkShape(this.#mapping, batch);
    const file = this.#files.known(batch.file);
    if (file === null)
      throw invalidBatch(`rows of "${batch.file}", which is no file of the snapshot`);
    this.#places.requireFree(file, batch);
    const keyed = keyRows(this.#mapping, batch);
    const fresh = this.#removed ? this.#settle(keyed, file, batch) : null;
    if (fresh?.length === 0) return;
    const block =
      fresh === null || fresh.length === batch.rows
        ? blockOfRows(this.#mapping, batch, file, keyed, new Map())
        : rowsToBlock(this.#mapping, selectRows(batch, fresh), file, new Map());
    this.#target.writer.add(block);
    this.counts.inserted += block.docs;
  }

  /** The rows that are to be added: those that no document is equal to. */
  #settle({ keys, hashes }: KeyedRows, file: number, { rows, positions }: Batch): Int32Array {
    const verdicts = this.#target.writer.settle({ keys, hashes, file, positions });
    const fresh = new Int32Array(rows);
    let count = 0;
    for (let row = 0; row < rows; row++) {
      if (verdicts[row] === VERDICT.same) continue;
      fresh[count++] = row;
      if (verdicts[row] === VERDICT.added) continue;
      this.counts.updated++;
      this.counts.inserted--;
    }
    return fresh.subarray(0, count);
  }
}

/** Which places of files that the index follows are taken by its documents. */
class Places {
  readonly #writer: IndexWriter;
  readonly #followed: ReadonlySet<number>;
  readonly #removed = new Map<number, Int32Array | null>();
  readonly #taken = new Map<number, ReadonlySet<number>>();

  constructor(writer: IndexWriter, followed: ReadonlySet<number>) {
    this.#writer = writer;
    this.#followed = followed;
  }

  remove(file: number, positions: Int32Array | null): void {
    const known = this.#removed.get(file);
    if (positions === null || known === null) this.#removed.set(file, null);
    else this.#removed.set(file, known === undefined ? positions : joined(known, positions));
  }

  /** Throws invalid_argument where the index has documents at the rows' places. */
  requireFree(file: number, { file: path, positions }: Batch): void {
    if (!this.#followed.has(file) || this.#removed.get(file) === null) return;
    let taken = this.#taken.get(file);
    if (taken === undefined) {
      const removed = new Set(this.#removed.get(file));
      taken = new Set(this.#writer.positionsIn(file).filter((at) => !removed.has(at)));
      this.#taken.set(file, taken);
    }
    const at = positions.find((position) => taken.has(position));
    if (at === undefined) return;
    throw invalidBatch(`row ${at} of "${path}" is in the index already, and was not removed`);
  }
}

function joined(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function checkShape(mapping: Mapping, { columns, positions, rows, file }: Batch): void {
  const wanted = mapping.columns.map(({ type }) => vectorKind(type));
  const given = columns.map(({ kind }) => kind);
  if (positions.length === rows && wanted.join() === given.join()) return;
  const names = mapping.columns.map(({ name }, i) => `${name} (${wanted[i]})`).join(', ');
  throw invalidBatch(`rows of "${file}" have the columns (${given.join(', ')}), expected ${names}`);
}

function invalidBatch(message: string): LhsError {
  return new LhsError('invalid_argument', `the change batch is not well formed: ${message}`, {
    hint: 'removed places come first, then the rows at places where the index has none',
  });
}
