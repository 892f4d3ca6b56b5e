/**
 * Alter by field (ADR "alter-by-field"): a staged generation takes over the files of the live
 * commit that stay, gets the components that are missing, and becomes the live one.
 */
import { join } from 'node:path';
import { LhsError, type ReindexResponse } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { takeSteps } from '../base/steps.ts';
import { boundSchema } from '../documents/bound-schema.ts';
import { VectorStage } from '../documents/vectors/vector-stage.ts';
import {
  builtAs,
  COMMIT_FILE,
  type Commit,
  checkBuild,
  committedField,
  filesOf,
  nextFieldId,
  readCommit,
  writeCommit,
} from '../index/commits/commit.ts';
import { resharding } from '../index/commits/reshard-segments.ts';
import { asCommitted } from '../index/merges/stored-plans.ts';
import type { Generation } from '../open/index-folder.ts';
import { notBuilt } from '../open/open-index.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { layoutOf, type Mapping } from '../schema/mapping.ts';
import { sameSpread } from '../schema/sharding/bucket-map.ts';
import type { Component, SegmentEntry } from '../segment/entry.ts';
import { shareFile } from '../storage/share-file.ts';
import { builtResponse, mappingOver } from '../sync/build/build-generation.ts';
import { type BuildJob, type BuiltIndex, cutOver } from '../sync/build/cut-over.ts';
import { modelPlaces } from '../sync/locked-index.ts';
import { storedSchema } from '../sync/source-state.ts';
import type { AlignedFields } from './align-fields.ts';
import { rebuildFields } from './rebuild-fields.ts';

/** Merges may remove a file while files are linked: then the newer commit is taken. */
const SHARE_ATTEMPTS = 20;

/** What to build. */
export interface AlterRequest {
  /** The live generation. */
  readonly live: Generation;
  /** Aligns the new fields with the commit of the live generation. */
  readonly align: (commit: Commit) => AlignedFields;
  /** What a crashed job left, to be continued. */
  readonly left: Generation | null;
}

/**
 * Builds a generation with the fields of the new definition and makes it the live one. Other
 * writers go on with the live one meanwhile. Throws as `rebuildFields` and `cutOver`.
 */
export async function alterGeneration(
  index: BuiltIndex,
  { live, align, left }: AlterRequest,
  job: BuildJob,
): Promise<ReindexResponse> {
  const started = performance.now();
  const own = left !== null && canContinue(index, left) ? left : null;
  if (own !== null) job.adopt(index.folder, own);
  const staged = own ?? job.stage(index.folder);
  if (own === null) await share(index, live, staged, align, job);
  const directory = index.openDirectory(staged.path, job.fence);
  const commit = readCommit(directory);
  if (commit === null) throw notBuilt(index.definition);
  const { table, saveMs } = index;
  const mapping = mappingOver(index.definition, table, builtAs(commit));
  const built = await rebuildFields({
    ...{ table, directory, saveMs, generation: staged.number, mapping },
    models: modelPlaces({ ...index, lock: { assertHeld: job.fence } }),
    ...{ signal: job.signal, progress: job.progress },
  });
  const response = builtResponse(staged, built, started);
  // the live generation may have left the snapshot that it had when its files were shared
  const since = hasNewColumn(table, commit, mapping) ? 'head' : commit.checkpoint;
  return cutOver(index, staged, { built, since, response }, job);
}

/** Whether the snapshot of a commit is older than a column: it has no values at that snapshot. */
function hasNewColumn(table: SourceTable, { checkpoint }: Commit, { columns }: Mapping): boolean {
  if (checkpoint?.snapshot_id == null) return false;
  const { schemaId } = table.snapshot(BigInt(checkpoint.snapshot_id));
  const schema = table.schemas.find((one) => one.schemaId === schemaId);
  return columns.some(({ id }) => !schema?.fields.some((field) => field.id === id));
}

/** Whether a staged generation has the fields of the definition, and the table its snapshot. */
function canContinue({ openDirectory, definition, table }: BuiltIndex, left: Generation): boolean {
  try {
    const commit = readCommit(openDirectory(left.path));
    const id = commit?.checkpoint?.snapshot_id;
    if (commit === null || !hasSnapshot(table, id)) return false;
    const mapping = mappingOver(definition, table, builtAs(commit));
    const own = mapping.fields.map(({ plan }) => plan);
    checkBuild(commit, asCommitted(own, commit), layoutOf(mapping));
    return true;
  } catch (error) {
    if (error instanceof LhsError) return false;
    throw error;
  }
}

/** Whether a table has the snapshot of a checkpoint; null: the empty table. */
export const hasSnapshot = (
  { snapshots }: Pick<SourceTable, 'snapshots'>,
  snapshotId: string | null | undefined,
): boolean => snapshotId == null || snapshots.some(({ id }) => String(id) === snapshotId);

/**
 * Links the files of the live commit that stay into the staged generation, and commits them there
 * as partial.
 */
async function share(
  index: BuiltIndex,
  live: Generation,
  staged: Generation,
  align: AlterRequest['align'],
  job: BuildJob,
): Promise<void> {
  const directory = index.openDirectory(live.path);
  const linked = new Set<string>();
  for (let attempt = 1; attempt <= SHARE_ATTEMPTS; attempt++) {
    const commit = readCommit(directory);
    if (commit === null) throw notBuilt(index.definition);
    const aligned = align(commit);
    const mapping = mappingOver(index.definition, index.table, {
      ...builtAs(commit),
      ids: aligned.ids,
    });
    const plans = await plansOf(index, mapping, commit, aligned, job);
    const segments = commit.segments.map((entry) => keptParts(entry, plans, aligned));
    const first = firstCommit(index, commit, mapping, plans, segments);
    if (linkAll(first, live, staged, linked)) {
      const into = index.openDirectory(staged.path, job.fence);
      const isSame = sameSpread({ ...commit, map: commit.shard_map }, index.definition);
      const steps = resharding(into, first, index.definition);
      writeCommit(into, isSame ? first : await takeSteps(steps));
      return;
    }
  }
  throw new LhsError('index_busy', `segments of "${index.definition.index}" merge too often`, {
    hint: 'try again',
  });
}

/** The plans of the new fields: models of those that are built are the ones that exist now. */
async function plansOf(
  index: BuiltIndex,
  mapping: Mapping,
  commit: Commit,
  { built }: AlignedFields,
  job: BuildJob,
): Promise<readonly FieldPlan[]> {
  const all = mapping.fields.map(({ plan }) => plan);
  const kept = asCommitted(all, commit);
  const stage = new VectorStage(modelPlaces({ ...index, lock: { assertHeld: job.fence } }));
  try {
    const fresh = await stage.withModels(all.filter(({ name }) => built.has(name)));
    return kept.map((plan) => fresh.find(({ name }) => name === plan.name) ?? plan);
  } finally {
    await stage.close();
  }
}

/** A segment without the components that no field of the new definition uses. */
function keptParts(
  entry: SegmentEntry,
  plans: readonly FieldPlan[],
  { built }: AlignedFields,
): SegmentEntry {
  const kept = new Map(plans.filter(({ name }) => !built.has(name)).map((plan) => [plan.id, plan]));
  const stored = [...kept.values()].some((plan) => plan.stored);
  const stays = ({ kind, field }: Component): boolean => {
    if (field < 0) return kind !== 'stored' || stored;
    const plan = kept.get(field);
    return plan !== undefined && usesComponent(plan, kind);
  };
  return { ...entry, components: entry.components.filter(stays) };
}

function usesComponent({ inverted, column, stored, vector }: FieldPlan, kind: Component['kind']) {
  if (kind === 'stored') return stored;
  if (kind === 'vector' || kind === 'graph') return vector !== undefined;
  return kind === inverted?.kind || kind === column;
}

/** False if a file is gone. */
function linkAll(
  commit: Commit,
  live: Generation,
  staged: Generation,
  linked: Set<string>,
): boolean {
  for (const file of filesOf(commit)) {
    if (file === COMMIT_FILE || linked.has(file)) continue;
    if (!shareFile(join(live.path, file), join(staged.path, file))) return false;
    linked.add(file);
  }
  return true;
}

function firstCommit(
  { definitionVersion, table }: BuiltIndex,
  commit: Commit,
  mapping: Mapping,
  plans: readonly FieldPlan[],
  segments: readonly SegmentEntry[],
): Commit {
  const checkpoint = commit.checkpoint!;
  const schema = storedSchema(boundSchema(mapping, table.schema));
  const next = Math.max(nextFieldId(commit), ...plans.map(({ id }) => id + 1));
  return {
    ...commit,
    definition_version: definitionVersion,
    fields: plans.map(committedField),
    next_field: next,
    segments,
    checkpoint: { ...checkpoint, schema, schema_id: table.schema.schemaId, partial: true },
  };
}
