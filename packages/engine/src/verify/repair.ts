/**
 * Repair: an index that drifted is made equal to its table again, and nothing else is touched.
 *
 * 1. Verify. An index that is equal stays as it is; one whose structures are damaged is refused.
 * 2. Documents without a row and stale ones are deleted, by number; missing and stale rows are read
 *    again, by place, and added.
 * 3. One commit at the same checkpoint makes it visible.
 * 4. Verify again, the commit that was made: the answer is about it.
 */

import {
  type CallContext,
  LhsError,
  type VerifyRequest,
  type VerifyResponse,
} from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { rowsToBlock } from '../documents/rows-to-block.ts';
import { VectorStage } from '../documents/vectors/vector-stage.ts';
import { IndexWriter } from '../index/index-writer.ts';
import { asCommitted } from '../index/merges/stored-plans.ts';
import { currentGeneration } from '../open/index-folder.ts';
import { notBuilt, type OpenIndex, openIndex } from '../open/open-index.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { layoutOf } from '../schema/mapping.ts';
import { readAhead } from '../source/source-errors.ts';
import { createFileTable } from '../sync/batch/file-table.ts';
import { SkippedRows } from '../sync/batch/skipped-rows.ts';
import { usualSegmentMemory } from '../sync/build/build-resources.ts';
import { type LockedIndex, modelPlaces } from '../sync/locked-index.ts';
import { sourceState } from '../sync/source-state.ts';
import type { Comparison } from './compare.ts';
import type { ComparedSides } from './sides.ts';
import { checkHere, type StructureCheck } from './structures.ts';
import { type Verified, verifyIndex } from './verify-index.ts';

type Answer = Omit<VerifyResponse, 'took_ms'>;
/** Who checks an open index against itself. */
export type CheckOf = (open: OpenIndex) => StructureCheck;

/**
 * Verifies an index whose lock is held, and repairs it where it drifted. Throws corrupt_index where
 * its structures are damaged, invalid_argument where another snapshot than the checkpoint's is
 * asked for, and as `verifyIndex` and a commit do.
 */
export async function repairIndex(
  index: LockedIndex,
  request: VerifyRequest,
  work: CallContext,
  checkOf: CheckOf = () => checkHere,
): Promise<Answer> {
  const { folder, definition, table, openDirectory, baseDir, openEmbedder } = index;
  const openModel = (model: string) => openEmbedder(model, baseDir);
  const open = openIndex(folder, definition, () => definition, openDirectory);
  let repaired: Answer['repaired'];
  try {
    const before = await verifyIndex(open, table, request, work, checkOf(open), openModel);
    if (before.answer.equal) return { ...before.answer, repaired: NOTHING };
    requireRepairable(before, definition.index);
    repaired = await applyRepair(index, open, before, work);
  } finally {
    open.snapshot.release();
  }
  return { ...(await verifyAgain(index, table, request, work, checkOf)), repaired };
}

const NOTHING = Object.freeze({ added: 0, replaced: 0, deleted: 0 });

async function verifyAgain(
  { folder, definition, openDirectory, baseDir, openEmbedder }: LockedIndex,
  table: SourceTable,
  request: VerifyRequest,
  work: CallContext,
  checkOf: CheckOf,
): Promise<Answer> {
  const openModel = (model: string) => openEmbedder(model, baseDir);
  const open = openIndex(folder, definition, () => definition, openDirectory);
  try {
    return (await verifyIndex(open, table, request, work, checkOf(open), openModel)).answer;
  } finally {
    open.snapshot.release();
  }
}

function requireRepairable({ answer, sides }: Verified, index: string): void {
  if (!sides.places) {
    const rule = "a repair makes the index equal to its checkpoint's snapshot";
    throw new LhsError('invalid_argument', `${rule}, not to ${answer.snapshot}`, {
      hint: 'a sync brings the index to the head; or leave "snapshot" out',
      next: [{ step: 'sync', index }],
    });
  }
  if (answer.faults.length === 0) return;
  const fault = "the index's own files are damaged, which no repair by key mends";
  throw new LhsError('corrupt_index', `${fault}: ${answer.faults[0]}`, {
    hint: 'a reindex builds it again',
    next: [{ step: 'reindex', index }],
    details: { faults: answer.faults },
  });
}

async function applyRepair(
  index: LockedIndex,
  { snapshot, mapping }: OpenIndex,
  { sides, comparison }: Verified,
  work: CallContext,
): Promise<NonNullable<Answer['repaired']>> {
  const { folder, definition, definitionVersion, lock, openDirectory } = index;
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition);
  const directory = openDirectory(live.path, () => lock.assertHeld());
  const own = mapping.fields.map((field) => field.plan);
  const plans = asCommitted(own, snapshot.commit);
  const stage = new VectorStage(modelPlaces(index));
  const memoryBytes = usualSegmentMemory();
  const options = {
    ...{ definitionVersion, memoryBytes, publish: lock.publish, ...layoutOf(mapping) },
  };
  const writer = IndexWriter.open(directory, plans, options);
  try {
    if (writer.lastCommit.number !== snapshot.commit.number) {
      throw new LhsError('internal', 'the index was committed to while it was locked');
    }
    const deleted = deleteDrifted(writer, sides, comparison);
    const files = createFileTable(writer.lastCommit.files);
    const { files: sources } = sourceState(sides.table, sides.set, sides.schema, undefined);
    files.follow(sources);
    const into = { writer, stage, plans, numberOf: files.numberOf };
    await addRows(into, sides, comparison, work);
    const { checkpoint } = writer.lastCommit;
    const skipped = new SkippedRows(writer.lastCommit);
    await writer.commitPublished({ checkpoint, files: files.at(sources, skipped) });
    return {
      added: comparison.missing.length,
      replaced: comparison.stale.length,
      deleted: deleted - comparison.stale.length,
    };
  } finally {
    writer.close();
    await stage.close();
  }
}

/** Deletes extra and stale documents; returns how many. */
function deleteDrifted(
  writer: IndexWriter,
  { docs }: ComparedSides,
  { stale }: Comparison,
): number {
  const bySegment = new Map<string, number[]>();
  const add = (number: number) => {
    const { segment, doc } = docs.inSegment(number);
    const own = bySegment.get(segment);
    if (own === undefined) bySegment.set(segment, [doc]);
    else own.push(doc);
  };
  docs.forEachUnseen(add);
  for (const { doc } of stale) add(doc);
  let deleted = 0;
  for (const [segment, own] of bySegment) deleted += writer.deleteDocs(segment, own);
  return deleted;
}

/** Where rows go. */
interface Target {
  readonly writer: IndexWriter;
  readonly stage: VectorStage;
  readonly plans: readonly FieldPlan[];
  readonly numberOf: (path: string) => number;
}

/** Reads missing and stale rows again, by place, and adds them. */
async function addRows(
  { writer, stage, plans, numberOf }: Target,
  { table, set, mapping, schema }: ComparedSides,
  { missing, stale, unmatched: held }: Comparison,
  { signal }: CallContext,
): Promise<void> {
  const byFile = new Map<number, number[]>();
  for (const row of [...missing, ...stale.map((entry) => entry.row)]) {
    const { file, position } = held.rowPosition(row);
    const own = byFile.get(file);
    if (own === undefined) byFile.set(file, [position]);
    else own.push(position);
  }
  const parts = [...byFile].map(([file, positions]) => {
    return { scan: set.files[file], only: Int32Array.from(positions).sort() };
  });
  const columns = mapping.columns.map((column) => column.name);
  const leftOut = new Map<string, number>();
  for await (const batch of readAhead(table.read(parts, { columns, schema, signal }), signal)) {
    const block = rowsToBlock(mapping, batch, numberOf(batch.file), leftOut);
    await writer.addInSteps(await stage.complete(plans, block, { signal }), { signal });
  }
}
