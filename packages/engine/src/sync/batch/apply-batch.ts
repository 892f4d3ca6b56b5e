/**
 * Applies a change batch to an index, exactly once:
 *
 * 1. The rule (batch-rule.ts): it comes next, was applied before, or is refused.
 * 2. Its columns are those that the index is bound to, or the same widened.
 * 3. Removed places: the documents that lie there are marked.
 * 4. Rows that cannot be indexed are refused or skipped (`on_bad_row`). Of the others, one whose
 *    key a marked document has takes its place: with the same row hash only the locator changes,
 *    else the document is replaced. All others are added.
 * 5. Documents that are still marked are deleted.
 * 6. Rows that share a key are refused or settled (`on_duplicate_key`).
 * 7. Merges that have ended are taken in; one commit moves data and checkpoint.
 *
 * On any error all is taken back: the last commit stays in force.
 */

import { type ApplyResponse, type CallContext, LhsError } from '@lakehouse-search/contract';
import type { TypedBatch, TypedPart } from '@lakehouse-search/contract/internal';
import type { Schema } from '@lakehouse-search/lake';
import { boundSchema, followColumns, schemaChanged } from '../../documents/bound-schema.ts';
import type { Checkpoint } from '../../index/commits/commit.ts';
import type { IndexWriter } from '../../index/index-writer.ts';
import { readStoredSchema } from '../../schema/stored-schema.ts';
import { readAhead, refuseAborted } from '../../source/source-errors.ts';
import { requireCheckpoint } from '../source-state.ts';
import { judgeBatch } from './batch-rule.ts';
import { type BatchCounts, BatchRun, type BatchTarget } from './batch-run.ts';
import { skippedPart } from './skipped-rows.ts';

export type { BatchTarget } from './batch-run.ts';

/** What a batch did. */
export type Applied = ApplyResponse & BatchCounts;

/**
 * Applies a batch, or acknowledges one that was applied before. Throws checkpoint_gap,
 * source_changed, schema_changed, source_invalid, invalid_argument, interrupted, and what its parts
 * throw.
 */
export async function applyBatch(
  target: BatchTarget,
  batch: TypedBatch,
  work: CallContext = {},
): Promise<Applied> {
  const { writer, index } = target;
  const checkpoint = requireCheckpoint(writer.lastCommit, index);
  if (judgeBatch(checkpoint, batch, index) === 'applied') return answer(writer, false, NOTHING);
  try {
    const run = new BatchRun(target, followedSchema(target, checkpoint, batch), batch);
    for await (const part of readAhead(parts(batch), work.signal))
      await run.take(part, work.signal);
    refuseAborted(work.signal);
    await writer.flushInSteps({ signal: work.signal });
    return answer(writer, true, await run.commit(work.signal));
  } catch (error) {
    takeBack(writer);
    throw error;
  }
}

const NOTHING: BatchCounts = Object.freeze({ inserted: 0, updated: 0, deleted: 0, dropped: 0 });

/**
 * Where even that fails, the writer refuses all further work: the first error is the one to tell.
 */
function takeBack(writer: IndexWriter): void {
  try {
    writer.rollback();
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
  }
}

async function* parts(batch: TypedBatch): AsyncGenerator<TypedPart> {
  yield* batch.parts;
}

function answer(writer: IndexWriter, applied: boolean, counts: BatchCounts): Applied {
  return {
    applied,
    snapshot: writer.lastCommit.checkpoint?.snapshot_id ?? null,
    doc_count: writer.liveDocs,
    ...counts,
    ...skippedPart(writer.lastCommit),
  };
}

/** The bound columns as the batch has them. Throws schema_changed. */
function followedSchema(
  { index, mappingOf }: BatchTarget,
  { schema, snapshot_id }: Checkpoint,
  { to }: TypedBatch,
): Schema {
  const stored = readStoredSchema(schema);
  const bound = boundSchema(mappingOf(stored), stored);
  const binding = followColumns(bound, readStoredSchema(to.schema));
  if (binding.lost === undefined) return binding.schema;
  throw schemaChanged(index, binding.lost, to.snapshot_id, snapshot_id);
}
