/**
 * Sync: the index follows its table.
 *
 * 1. The way from the checkpoint to the target: the target's ancestors after the checkpoint, one
 *    step and one commit each, or one step over all of them if they are many. Where the
 *    checkpoint's snapshot is not among them (rolled back, expired, another branch), one step that
 *    heals.
 * 2. A step: what differs between the two file sets (plan-batch.ts), rows read under the columns
 *    that the index is bound to (bound-schema.ts), applied as a change batch (apply-batch.ts).
 * 3. Where a snapshot on the way cannot be indexed (its files are gone, two of its rows share a
 *    key), one step to the target instead.
 * 4. A snapshot that lacks a column of the definition stops it: schema_changed.
 *
 * Where one step over many fails for its rows or columns, the single steps follow, as far as they
 * go. A step that fails leaves the commit before it in force. Merges run beside: each commit takes
 * in what has ended and starts what the policy asks for.
 */

import type { HealReason } from '@lakehouse-search/contract';
import type { FileScan, Schema, Snapshot, SourceTable } from '@lakehouse-search/lake';
import { boundSchema, followColumns, schemaChanged } from '../documents/bound-schema.ts';
import type { ModelPlaces } from '../documents/vectors/models-in-use.ts';
import { VectorStage } from '../documents/vectors/vector-stage.ts';
import { builtAs, type Commit, type PublishCommit, readCommit } from '../index/commits/commit.ts';
import { sourceIdentity } from '../index/commits/source-identity.ts';
import { IndexWriter } from '../index/index-writer.ts';
import {
  BackgroundMerges,
  type MergeRunner,
  warnOfMerge,
} from '../index/merges/background-merges.ts';
import { inlineRunner } from '../index/merges/merge-runners.ts';
import { asCommitted } from '../index/merges/stored-plans.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import { notBuilt, tableName } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import { createMapping, layoutOf } from '../schema/mapping.ts';
import { readStoredSchema } from '../schema/stored-schema.ts';
import { fromSource, refuseAborted, sourceError } from '../source/source-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { applyBatch, type BatchTarget } from './batch/apply-batch.ts';
import { createFileTable } from './batch/file-table.ts';
import { planStep, type StepPlan, stepParts } from './batch/plan-batch.ts';
import { SkippedRows } from './batch/skipped-rows.ts';
import { united } from './batch/taken-locations.ts';
import { backgroundSettings, usualSegmentMemory } from './build/build-resources.ts';
import type { NoteMerge } from './locked-index.ts';
import { isNet, wayTo } from './missing-snapshots.ts';
import { reasonToPass, stopsAtSnapshot } from './reason-to-pass.ts';
import { committedState, requireCheckpoint, sourceState } from './source-state.ts';
import {
  appliedStep,
  report,
  type Step,
  type SyncResult,
  type SyncWork,
  Total,
} from './sync-result.ts';

export type { AppliedStep, SyncResult, SyncWork } from './sync-result.ts';

/** An index whose lock is held by the caller, and how it was opened. */
export interface SessionOptions {
  /** The live generation's folder. */
  readonly directory: Directory;
  readonly definition: Definition;
  readonly definitionVersion: number;
  readonly models: ModelPlaces;
  /** Where merges run. Default: here. */
  readonly mergeRunner?: MergeRunner;
  /** Bytes that documents may take in memory before an invisible segment is flushed. */
  readonly memoryBytes?: number | undefined;
  /** Decides over its commits. Absent: they are in force at once. */
  readonly publish?: PublishCommit | undefined;
  /** Receives the end of merges: the first failure in a row, null for a success. */
  readonly noteMerge?: NoteMerge | undefined;
}

/** Segments that merges made one of, and what is left. */
export interface MergedSegments {
  readonly before: number;
  readonly after: number;
}

/**
 * An index that is open for following its table, step after step. The caller holds the index's
 * lock as long as it is open.
 */
export class SyncSession {
  readonly #definition: Definition;
  readonly #writer: IndexWriter;
  readonly #merges: BackgroundMerges;
  readonly #target: BatchTarget;
  readonly #stage: VectorStage;
  #mergeFault: Error | null = null;

  private constructor(options: SessionOptions) {
    const { directory, definition, definitionVersion, models, mergeRunner } = options;
    const { memoryBytes = usualSegmentMemory() } = options;
    const { noteMerge, publish } = options;
    const { index } = definition;
    const commit = readCommit(directory);
    const mappingOf = mappings(definition, commit);
    const mapping = mappingOf(boundColumns(commit, definition));
    const own = mapping.fields.map((field) => field.plan);
    const plans = asCommitted(own, commit);
    const stage = new VectorStage(models);
    const layout = { definitionVersion, memoryBytes, publish, ...layoutOf(mapping) };
    const writer = IndexWriter.open(directory, plans, layout);
    const onError = (error: Error) => {
      this.#mergeFault = error;
      noteMerge?.(error);
    };
    const merges = new BackgroundMerges(writer, mergeRunner ?? inlineRunner(directory), {
      settings: backgroundSettings(),
      onError,
      onMerged: () => noteMerge?.(null),
    });
    this.#definition = definition;
    this.#writer = writer;
    this.#merges = merges;
    this.#stage = stage;
    const beforeCommit = () => merges.collect();
    this.#target = { index, writer, mappingOf, beforeCommit, plans, stage };
  }

  /** Throws index_not_built, corrupt_index. */
  static open(options: SessionOptions): SyncSession {
    return new SyncSession(options);
  }

  /** The commit that is in force. */
  get commit(): Commit {
    return this.#writer.lastCommit;
  }

  /** Live documents of the commit that is in force. */
  get docs(): number {
    return this.#writer.liveDocs;
  }

  /** Names of the table's columns that the index uses, in the order of its batches. */
  get columns(): readonly string[] {
    return this.#target
      .mappingOf(boundColumns(this.commit, this.#definition))
      .columns.map(({ name }) => name);
  }

  /** What change batches are applied to: for `applyBatch`. */
  get target(): BatchTarget {
    return this.#target;
  }

  /**
   * Brings the index to a snapshot of its table (null: the table has none). Steps that were
   * committed before an error stay. Throws source_changed, schema_changed, source_invalid,
   * source_unreachable, interrupted, …
   */
  async catchUp(
    table: SourceTable,
    target: bigint | null,
    work: SyncWork = {},
  ): Promise<SyncResult> {
    const total = new Total();
    const way = wayTo(this.commit, table, target, { definition: this.#definition });
    if (way.kind === 'heal') {
      await this.#step(table, jump(table, target, way.reason), work, total);
      return total.result();
    }
    const { steps } = way;
    if (isNet(steps, work.net) && (await this.#together(table, steps, work, total)))
      return total.result();
    for (const snapshot of steps) {
      const { id } = snapshot;
      try {
        await this.#step(table, { to: id, over: [snapshot], reason: null }, work, total);
      } catch (error) {
        const reason = id === target ? null : reasonToPass(error);
        if (reason === null) throw error;
        await this.#step(table, jump(table, target, reason), work, total);
        break;
      }
    }
    return total.result();
  }

  /** Brings the index to a snapshot in one step, past those on the way. Throws as `catchUp`. */
  async jumpTo(
    table: SourceTable,
    target: bigint | null,
    work: SyncWork = {},
  ): Promise<SyncResult> {
    const total = new Total();
    await this.#step(table, jump(table, target, 'diverged'), work, total);
    return total.result();
  }

  /** Fulfilled when the merge that runs beside has ended; null: none runs. */
  get merging(): Promise<void> | null {
    return this.#merges.running;
  }

  /** Commits merges that have ended, and starts the next; null where none had. */
  async takeMerges(): Promise<MergedSegments | null> {
    const before = this.#writer.segments;
    const taken = this.#merges.collect() > 0 ? await this.#commitMerges(before) : null;
    this.#merges.start();
    return taken;
  }

  /** The failure of a merge, once; null: none since the last call, or since a merge succeeded. */
  takeMergeFault(): Error | null {
    const fault = this.#mergeFault;
    this.#mergeFault = null;
    return fault;
  }

  /**
   * Runs and commits all merges that the policy asks for, until `signal` aborts: the session has no
   * more merges then. null where there were none.
   */
  async settleMerges(signal?: AbortSignal): Promise<MergedSegments | null> {
    const before = this.#writer.segments;
    const merges = await this.#merges.settle(signal);
    return merges === 0 ? null : this.#commitMerges(before);
  }

  /** Gives the index back. Its lock stays the caller's. */
  async close(): Promise<void> {
    await this.#merges.close();
    const fault = this.takeMergeFault();
    if (fault !== null) warnOfMerge(fault);
    this.#writer.close();
    await this.#stage.close();
  }

  async #commitMerges(before: number): Promise<MergedSegments> {
    const { checkpoint, files } = this.#writer.lastCommit;
    await this.#writer.commitPublished({ checkpoint, files });
    return { before, after: this.#writer.segments };
  }

  /** One step over several snapshots; false: the target cannot be indexed. */
  async #together(
    table: SourceTable,
    over: readonly Snapshot[],
    work: SyncWork,
    total: Total,
  ): Promise<boolean> {
    try {
      await this.#step(table, { to: over.at(-1)!.id, over, reason: null }, work, total);
      return true;
    } catch (error) {
      if (stopsAtSnapshot(error)) return false;
      throw error;
    }
  }

  async #step(table: SourceTable, step: Step, work: SyncWork, total: Total): Promise<void> {
    refuseAborted(work.signal);
    const started = performance.now();
    const { lastCommit } = this.#writer;
    const definition = this.#definition;
    const from = committedState(lastCommit, definition.index);
    const schema = this.#schemaFor(table, step.to);
    const set = await fromSource(() => table.files(step.to), work.signal);
    const plan = await this.#plan(table, from.files, set, work.signal);
    const mapping = this.#target.mappingOf(schema);
    const columns = mapping.columns.map(({ name }) => name);
    const { signal } = work;
    const applied = await applyBatch(
      this.#target,
      {
        table_uuid: sourceIdentity(table),
        from: from.snapshot_id,
        to: sourceState(table, set, schema, definition.source.ref),
        parts: stepParts(plan, table, { columns, schema, signal }),
        with_dropped: plan.withDropped,
        passed: step.over
          .slice(0, -1)
          .map(({ id }) => String(id))
          .reverse(),
      },
      { signal },
    );
    const vectors = this.#stage.takeCounts();
    const done = appliedStep(step, applied, performance.now() - started, vectors);
    this.#merges.start();
    total.add(step, applied, done);
    report(work, done);
  }

  async #plan(...[table, followed, set, signal]: PlanArguments): Promise<StepPlan> {
    const writer = this.#writer;
    const files = createFileTable(writer.lastCommit.files);
    const skipped = new SkippedRows(writer.lastCommit);
    const index = {
      deadPositions: (scan: FileScan) => table.deadPositions(scan),
      positionsIn: (paths: readonly string[]) => {
        const numbers = paths.map((path) => files.known(path) ?? -1);
        const found = writer.positionsIn(numbers);
        const placed = (file: number) =>
          united(found.get(file) ?? new Int32Array(0), skipped.positionsIn(file));
        return new Map(paths.map((path, i) => [path, placed(numbers[i])]));
      },
      dropped: writer.lastCommit.dropped_duplicates ?? 0,
    };
    return fromSource(() => planStep(followed, set, index), signal);
  }

  /**
   * The schema under which a step is read: the table's current one, or the step's own where the
   * current one lacks a column. Throws schema_changed.
   */
  #schemaFor(table: SourceTable, to: bigint | null): Schema {
    const { index } = this.#definition;
    const checkpoint = requireCheckpoint(this.commit, index);
    const stored = readStoredSchema(checkpoint.schema);
    const bound = boundSchema(this.#target.mappingOf(stored), stored);
    if (to === null) return bound;
    const now = followColumns(bound, table.schema);
    const own = now.lost === undefined ? now : followColumns(bound, schemaOf(table, to));
    if (own.lost === undefined) return own.schema;
    throw schemaChanged(index, own.lost, String(to), checkpoint.snapshot_id);
  }
}

function schemaOf(table: SourceTable, snapshotId: bigint): Schema {
  try {
    return table.schemaOf(snapshotId);
  } catch (error) {
    throw sourceError(error);
  }
}

type PlanArguments = [
  table: SourceTable,
  followed: Parameters<typeof planStep>[0],
  set: Parameters<typeof planStep>[1],
  signal: AbortSignal | undefined,
];

function jump(table: SourceTable, to: bigint | null, reason: HealReason): Step {
  return { to, over: to === null ? [] : [table.snapshot(to)], reason };
}

function boundColumns(commit: Commit | null, { index }: Definition): Schema {
  if (commit === null) throw notBuilt({ index });
  return readStoredSchema(requireCheckpoint(commit, index).schema);
}

/** Mappings of a definition over bound schemas, with the field ids of a commit. */
function mappings(definition: Definition, commit: Commit | null): BatchTarget['mappingOf'] {
  const analyzerOf = analyzersOf(definition.analyzers);
  const built = commit === null ? undefined : builtAs(commit);
  return (schema) => createMapping(definition, schema, tableName(definition), analyzerOf, built);
}
