import type { ReindexResponse } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { commitBytes, committedField } from '../index/commit.ts';
import { bySize, inlineRunner, workerRunner } from '../index/merge-runners.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import { freeBytes, type Generation } from '../open/index-folder.ts';
import { tableName } from '../open/open-index.ts';
import type { Definition } from '../schema/definition.ts';
import { createMapping, type Mapping } from '../schema/mapping.ts';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot, namedSnapshot } from '../source/source-table.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { type BuildJob, type BuiltIndex, type CaughtUp, cutOver, liveCommit } from './cut-over.ts';
import { freshVectorBytes, requireRoom } from './disk-room.ts';
import { modelPlaces } from './locked-index.ts';
import { type RebuildResult, rebuildIndex } from './rebuild.ts';

/** The mapping of a definition over a table as it is now. Throws invalid_definition. */
export function mappingOver(definition: Definition, table: SourceTable): Mapping {
  const analyzerOf = analyzersOf(definition.analyzers);
  return createMapping(definition, table.schema, tableName(definition), analyzerOf);
}

/**
 * Builds a generation of the head (or of `asOf`, a snapshot id or ref) and makes it the live one.
 * Other writers go on with the live one meanwhile; the cutover takes over what they have applied.
 * Until then the live one is untouched. Throws disk_short when it will not fit; `formerBytes` is
 * the live generation's size.
 */
export async function buildGeneration(
  index: BuiltIndex,
  asOf: string | undefined,
  formerBytes: number,
  job: BuildJob,
): Promise<ReindexResponse> {
  const started = performance.now();
  const { folder, definition, table } = index;
  const { ref } = definition.source;
  const snapshotId = asOf === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, asOf);
  const mapping = mappingOver(definition, table);
  const set = await fromSource(() => table.files(snapshotId), job.signal);
  const former = liveCommit(index);
  const fields = mapping.fields.map(({ plan }) => committedField(plan));
  const fresh = freshVectorBytes(fields, former?.fields ?? []);
  requireRoom(set, formerBytes, freeBytes(folder), folder, fresh);
  const staged = job.stage(folder);
  const built = await buildStaged(index, mapping, snapshotId, staged, job);
  const since = asOf === undefined ? (former?.checkpoint ?? null) : 'as of';
  const response = (caughtUp: CaughtUp): ReindexResponse => {
    const { commit, docs, vectors } = caughtUp;
    return {
      doc_count: docs,
      snapshot: commit.checkpoint?.snapshot_id ?? null,
      index_generation: staged.number,
      bytes: commitBytes(commit),
      took_ms: Math.round(performance.now() - started),
      ...(commit.dropped_duplicates ? { dropped_duplicates: commit.dropped_duplicates } : {}),
      ...(built.leftOut.size > 0 ? { untyped_values: Object.fromEntries(built.leftOut) } : {}),
      ...vectors,
    };
  };
  return cutOver(index, staged, { built, since, response }, job);
}

function buildStaged(
  index: BuiltIndex,
  mapping: Mapping,
  snapshotId: bigint | null,
  staged: Generation,
  job: BuildJob,
): Promise<RebuildResult> {
  const { definitionVersion, table, openDirectory, memoryBytes } = index;
  const directory = openDirectory(staged.path, job.fence);
  const here = inlineRunner(directory);
  const local = openDirectory === openLocalDirectory;
  const mergeRunner = local ? bySize(here, workerRunner({ aside: false })) : here;
  const models = modelPlaces({ ...index, lock: { assertHeld: job.fence } });
  const generation = staged.number;
  const what = { table, mapping, directory, generation, snapshotId, definitionVersion, models };
  const { signal, progress } = job;
  return rebuildIndex({ ...what, mergeRunner, memoryBytes, signal, progress });
}
