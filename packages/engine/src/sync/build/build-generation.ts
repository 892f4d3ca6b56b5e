import { LhsError, type ReindexResponse } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import {
  type Commit,
  commitBytes,
  committedField,
  liveDocs,
  readCommit,
} from '../../index/commits/commit.ts';
import { sourceIdentity } from '../../index/commits/source-identity.ts';
import {
  bySize,
  inlineRunner,
  sharedRunner,
  workerRunner,
} from '../../index/merges/merge-runners.ts';
import { mergesInThreads } from '../../index/merges/merge-threads.ts';
import { analyzersOf } from '../../open/definition-analyzers.ts';
import { freeBytes, type Generation } from '../../open/index-folder.ts';
import { tableName } from '../../open/open-index.ts';
import type { Definition } from '../../schema/definition.ts';
import type { BuiltAs } from '../../schema/field-plan.ts';
import { createMapping, type Mapping } from '../../schema/mapping.ts';
import { fromSource } from '../../source/source-errors.ts';
import { followedSnapshot, namedSnapshot } from '../../source/source-table.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { skippedPart } from '../batch/skipped-rows.ts';
import { modelPlaces } from '../locked-index.ts';
import type { BuildResources } from './build-resources.ts';
import { refuseSharedKeys } from './check-keys.ts';
import { type BuildJob, type BuiltIndex, type CaughtUp, cutOver, liveCommit } from './cut-over.ts';
import { freshVectorBytes, requireRoom } from './disk-room.ts';
import {
  type FillBuild,
  type RebuildRequest,
  type RebuildResult,
  rebuildIndex,
} from './rebuild.ts';

/**
 * The mapping of a definition over a table as it is now; `built` as for `createMapping`. Throws
 * invalid_definition.
 */
export function mappingOver(definition: Definition, table: SourceTable, built?: BuiltAs): Mapping {
  const analyzerOf = analyzersOf(definition.analyzers);
  return createMapping(definition, table.schema, tableName(definition), analyzerOf, built);
}

/** What is to be built. */
export interface BuildRequest {
  /** A snapshot id or ref; undefined: what the definition follows. */
  readonly as_of: string | undefined;
  /** What a crashed build left, to be continued. */
  readonly left: Generation | null;
  /** False: the rows of the live generation are those of another source. Default: true. */
  readonly followLive?: boolean | undefined;
  /** Default: this thread alone. */
  readonly resources?: BuildResources | undefined;
  /** Brings the segments. Default: the rows of the table are read here. */
  readonly fill?: FillBuild | undefined;
}

/**
 * Builds a generation and makes it the live one. Other writers go on with the live one meanwhile;
 * the cutover takes over what they have applied. Until then the live one is untouched. Throws
 * disk_short when it will not fit (`formerBytes` is the live generation's size), not_found if what
 * is left cannot be continued.
 */
export async function buildGeneration(
  index: BuiltIndex,
  request: BuildRequest,
  formerBytes: number,
  job: BuildJob,
): Promise<ReindexResponse> {
  const started = performance.now();
  const { folder, table } = index;
  const { left, fill } = request;
  const partial = left === null ? null : requirePartial(index, left);
  const snapshotId = snapshotOf(index, request, partial);
  const mapping = mappingOver(index.definition, table);
  const set = await fromSource(() => table.files(snapshotId), job.signal);
  const former = liveCommit(index);
  const fields = mapping.fields.map(({ plan }) => committedField(plan));
  const fresh = freshVectorBytes(fields, former?.fields ?? []);
  requireRoom(set, formerBytes, freeBytes(folder), folder, fresh);
  const check = { table, mapping, snapshotId, signal: job.signal };
  if (partial === null && fill === undefined && refusesRows(index.definition))
    await refuseSharedKeys(check);
  if (left !== null) job.adopt(folder, left);
  const staged = left ?? job.stage(folder);
  const what = { mapping, snapshotId, resources: request.resources, fill };
  const built = await buildStaged(index, what, staged, job);
  const resumed = partial === null ? {} : { resumed_docs: liveDocs(partial) };
  const response = builtResponse(staged, built, started, resumed);
  const own = partial === null && fill === undefined ? (former?.checkpoint ?? null) : 'head';
  const { as_of, followLive = as_of === undefined } = request;
  const since = followLive ? own : 'as of';
  return cutOver(index, staged, { built, since, response }, job);
}

/** Whether every row is indexed, or none: a row that is left out shares no key. */
const refusesRows = ({ key, onDuplicateKey, onBadRow }: Definition): boolean =>
  !key.row && onDuplicateKey === 'refuse' && onBadRow === 'refuse';

/** The response of a build that began at `started` (performance.now). */
export function builtResponse(
  { number }: Generation,
  { leftOut }: Pick<RebuildResult, 'leftOut'>,
  started: number,
  resumed: Pick<ReindexResponse, 'resumed_docs'> = {},
): (caughtUp: CaughtUp) => ReindexResponse {
  return ({ commit, docs, vectors }) => ({
    doc_count: docs,
    snapshot: commit.checkpoint?.snapshot_id ?? null,
    index_generation: number,
    bytes: commitBytes(commit),
    took_ms: Math.round(performance.now() - started),
    ...resumed,
    ...(commit.dropped_duplicates ? { dropped_duplicates: commit.dropped_duplicates } : {}),
    ...(leftOut.size > 0 ? { untyped_values: Object.fromEntries(leftOut) } : {}),
    ...skippedPart(commit),
    ...vectors,
  });
}

/** The snapshot to build: that of a partial commit, or as requested. Throws not_found. */
function snapshotOf(
  { table, definition }: BuiltIndex,
  { as_of }: BuildRequest,
  partial: Commit | null,
): bigint | null {
  if (partial !== null) {
    const id = partial.checkpoint?.snapshot_id ?? null;
    return id === null ? null : BigInt(id);
  }
  const { ref } = definition.source;
  return as_of === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, as_of);
}

/**
 * The commit of what a crashed build left, if it can be continued: the definition and the table are
 * the same, and the table has the snapshot still. Throws not_found.
 */
function requirePartial(index: BuiltIndex, left: Generation): Commit {
  const { openDirectory, definition, definitionVersion, table } = index;
  const commit = readCommit(openDirectory(left.path));
  const checkpoint = commit?.checkpoint ?? null;
  const id = checkpoint?.snapshot_id;
  const reasons: readonly (readonly [boolean, string])[] = [
    [checkpoint === null, 'it has no commit'],
    [commit?.definition_version !== definitionVersion, 'the definition has changed'],
    [checkpoint?.table_uuid !== sourceIdentity(table), 'the table is another one'],
    [
      id != null && !table.snapshots.some((snapshot) => String(snapshot.id) === id),
      `the table has forgotten snapshot ${id}`,
    ],
  ];
  const reason = reasons.find(([applies]) => applies)?.[1];
  if (reason === undefined) return commit!;
  const message = `the build of "${definition.index}" cannot be resumed: ${reason}`;
  throw new LhsError('not_found', message, {
    hint: 'a reindex without resume begins anew',
    next: [{ step: 'reindex', index: definition.index }],
  });
}

function buildStaged(
  index: BuiltIndex,
  build: Pick<RebuildRequest, 'mapping' | 'snapshotId' | 'resources' | 'fill'>,
  staged: Generation,
  job: BuildJob,
): Promise<RebuildResult> {
  const { definitionVersion, table, openDirectory, memoryBytes, saveMs } = index;
  const directory = openDirectory(staged.path, job.fence);
  const here = inlineRunner(directory);
  // Threads open the folder themselves.
  const local = openDirectory === openLocalDirectory;
  const resources = local ? build.resources : undefined;
  const beside = sharedRunner(workerRunner({ aside: false }), resources?.threads ?? 1);
  const mergeRunner = mergesInThreads(openDirectory) ? bySize(here, beside) : here;
  const models = modelPlaces({ ...index, lock: { assertHeld: job.fence } });
  const generation = staged.number;
  const what = { table, directory, generation, definitionVersion, models };
  const { signal, progress } = job;
  const how = { mergeRunner, memoryBytes, saveMs, resources };
  return rebuildIndex({ ...build, ...what, ...how, signal, progress });
}
