/**
 * Rollback: a kept generation becomes the live one again, with the definition that it follows.
 *
 * 1. A generation that is behind the live one follows it, with the commit lock as for a sync.
 * 2. As a cutover, before all other writers: it applies what arrived meanwhile, and its commit gets
 *    the version under which its definition comes into force.
 * 3. In one transaction of the registry: CURRENT is renamed, the definition is replaced, the
 *    generation that was live is kept, the job ends (open/dead-jobs.ts clears up a crash).
 */
import {
  LhsError,
  type RollbackIndexRequest,
  type RollbackResponse,
} from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { type Commit, commitBytes, readCommit } from '../../index/commits/commit.ts';
import { differInRestrictions, restrictionsChanged } from '../../index/commits/source-identity.ts';
import { IndexWriter } from '../../index/index-writer.ts';
import { storedPlans } from '../../index/merges/stored-plans.ts';
import {
  currentGeneration,
  type Generation,
  generationAt,
  promoteGeneration,
  sweepGenerations,
} from '../../open/index-folder.ts';
import { keptGenerations } from '../../open/kept-generations.ts';
import type { KnownIndex } from '../../open/open-index.ts';
import type { KeptGeneration } from '../../registry/generations.ts';
import type { NewDefinition } from '../../registry/registry.ts';
import { requireDefinition } from '../../schema/parse/parse-definition.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import { renameDefinition } from '../../schema/rename-definition.ts';
import { followedSnapshot } from '../../source/source-table.ts';
import { liveCommit, publishGeneration } from '../../sync/build/cut-over.ts';
import { catchUpFormer } from '../../sync/follow/former-sessions.ts';
import { openSession } from '../../sync/follow/open-session.ts';
import type { WriteLock } from '../../sync/locked-index.ts';
import { reaches } from '../../sync/missing-snapshots.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lockedGeneration, openTableOf, withLock } from '../writes/write-index.ts';
import type { RunningJob } from './job-run.ts';

/** What a rollback puts in force. */
interface Way {
  readonly kept: KeptGeneration;
  readonly generation: Generation;
  /** null: the definition in force is that of the generation. */
  readonly definition: NewDefinition | null;
  /** Version of the definition afterwards. */
  readonly version: number;
}

/** A generation that has reached the snapshot of the live one. */
interface Reached {
  readonly commit: Commit;
  readonly docs: number;
  readonly steps: number;
}

/**
 * Rolls an index back: the work of a job. Throws not_found without such a generation, index_busy,
 * corrupt_index, and what its last steps throw if it has fallen behind.
 */
export async function rollbackLocal(
  indexes: LocalIndexes,
  { index, generation }: RollbackIndexRequest,
  job: RunningJob<'rollback'>,
): Promise<RollbackResponse> {
  const known = accessible(indexes, index, job);
  const { registered, folder } = known;
  const started = performance.now();
  const way = wayBack(indexes, known, generation);
  const { definition: to } = way;
  job.take(folder, way.generation);
  if (to !== null) job.redefines({ from: registered.version, to });
  const turn = { what: 'roll back', signal: job.signal };
  let steps = 0;
  if (!isLevel(indexes, known, way)) {
    const follow = (lock: WriteLock) => reach(indexes, known, way, lock, job);
    ({ steps } = await withLock(indexes, registered, turn, follow));
  }
  job.beginCutover();
  const first = { ...turn, waitMs: Infinity, cutover: true };
  const done = await withLock(indexes, registered, first, async (lock) => {
    const reached = await reach(indexes, known, way, lock, job);
    steps += reached.steps;
    return flip(indexes, known, way, { ...reached, steps, started }, lock, job);
  });
  indexes.forget(registered.uuid);
  return done;
}

/** The generation to go back to, and its definition under the name of the index. */
function wayBack(indexes: LocalIndexes, known: KnownIndex, wanted: number | undefined): Way {
  const { registered, folder } = known;
  const { uuid, name, version } = registered;
  const all = keptGenerations(indexes.registry, uuid, folder, indexes.clock.now());
  const kept = all.find(({ number }) => wanted === undefined || number === wanted);
  if (kept === undefined) throw nothingKept(name, wanted, all);
  const generation = generationAt(folder, kept.number);
  const former = indexes.registry.formerDefinition(uuid, kept.version);
  if (former === undefined) return { kept, generation, definition: null, version };
  const { definition, baseDir } = indexes.definitionAt(registered, kept.version);
  const own =
    definition.index === name
      ? definition
      : requireDefinition(renameDefinition(definition.text, name), ANALYZER_CATALOG);
  const to = storedDefinition(own, baseDir);
  return { kept, generation, definition: to, version: version + 1 };
}

/** True if the generation has the snapshot of the live one. */
function isLevel({ openDirectory }: LocalIndexes, { folder }: KnownIndex, { generation }: Way) {
  const own = readCommit(openDirectory(generation.path))?.checkpoint ?? null;
  const live = liveCommit({ folder, openDirectory })?.checkpoint ?? null;
  return live === null || isAt(own, live);
}

interface Place {
  readonly table_uuid: string;
  readonly snapshot_id: string | null;
}

/** Throws source_changed for a generation that was built under other read restrictions. */
function requireAlike(own: Place | null, live: Place | null, { name }: { name: string }): void {
  if (own === null || live === null) return;
  if (!differInRestrictions(own.table_uuid, live.table_uuid)) return;
  throw restrictionsChanged(name, name);
}

/** Another table has nothing to compare: the next sync brings the generation to its head. */
const isAt = (own: Place | null, live: Place): boolean =>
  own !== null && (own.table_uuid !== live.table_uuid || own.snapshot_id === live.snapshot_id);

/** Brings the generation to the snapshot of the live one, under its own definition. */
async function reach(
  indexes: LocalIndexes,
  known: KnownIndex,
  { kept, generation }: Way,
  lock: WriteLock,
  { signal }: RunningJob<'rollback'>,
): Promise<Reached> {
  const follows = indexes.definitionAt(known.registered, kept.version);
  const own = { assertHeld: () => lock.assertHeld() };
  const locked = { ...lockedGeneration(indexes, known, own), ...follows };
  const session = openSession({ ...locked, definitionVersion: kept.version }, generation);
  try {
    const own = session.commit.checkpoint;
    const live = liveCommit(locked)?.checkpoint ?? null;
    requireAlike(own, live, known.registered);
    let steps = 0;
    if (live?.snapshot_id != null && !isAt(own, live)) {
      const table = await openTableOf(known, signal);
      try {
        const target = targetIn(table, live.snapshot_id, follows.definition.source.ref);
        const there = reaches(table, own, live.snapshot_id);
        if (!there) {
          ({ snapshotsApplied: steps } = await catchUpFormer(session, table, target, signal));
        }
      } finally {
        await table.close();
      }
    }
    return { commit: session.commit, docs: session.docs, steps };
  } finally {
    await session.close();
  }
}

/**
 * The snapshot of the live generation, or the head of the table if that snapshot has expired: the
 * generation that becomes live is never behind.
 */
function targetIn(table: SourceTable, live: string, ref: string | undefined): bigint | null {
  const id = BigInt(live);
  return table.snapshots.some((one) => one.id === id) ? id : followedSnapshot(table, ref);
}

/** Makes the generation the live one, with its definition. */
async function flip(
  indexes: LocalIndexes,
  { registered, folder }: KnownIndex,
  { generation, definition, version }: Way,
  { commit, docs: doc_count, steps, started }: Reached & { readonly started: number },
  lock: WriteLock,
  job: RunningJob<'rollback'>,
): Promise<RollbackResponse> {
  const { name: index, uuid } = registered;
  const snapshot = commit.checkpoint?.snapshot_id ?? null;
  const took_ms = Math.round(performance.now() - started);
  const built = { doc_count, snapshot, index_generation: generation.number, took_ms };
  const answer: RollbackResponse = {
    ...{ index, ...built, former_generation: currentGeneration(folder)?.number ?? 0 },
    ...{ definition_version: version, snapshots_applied: steps },
  };
  job.answers(() => answer);
  if (definition !== null) commitUnder(indexes, generation, version, lock);
  lock.assertHeld();
  const under = definition === null ? undefined : { ...definition, definitionVersion: version };
  const accepted = await publishGeneration(indexes.openDirectory(generation.path), lock, under);
  const promote = () => promoteGeneration(folder, generation);
  job.promote({ ...built, bytes: commitBytes(commit) }, promote);
  accepted();
  sweepQuietly(indexes, uuid, folder);
  return answer;
}

/**
 * Commits the generation again under a version of the definition: readers open a live generation
 * with the definition of its commit's version.
 */
function commitUnder(
  { openDirectory }: LocalIndexes,
  { path }: Generation,
  definitionVersion: number,
  lock: WriteLock,
): void {
  const directory = openDirectory(path, () => lock.assertHeld());
  const before = readCommit(directory);
  if (before === null) return;
  const writer = IndexWriter.open(directory, storedPlans(before), { definitionVersion });
  try {
    writer.commit({ checkpoint: before.checkpoint, files: before.files });
  } finally {
    writer.close();
  }
}

/** What cannot be removed now, a later sweep removes. */
function sweepQuietly(indexes: LocalIndexes, uuid: string, folder: string): void {
  try {
    sweepGenerations(folder, indexes.clock.now(), () => indexes.named(uuid));
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
  }
}

function nothingKept(
  name: string,
  wanted: number | undefined,
  all: readonly KeptGeneration[],
): LhsError {
  const numbers = all.map(({ number }) => number).join(', ');
  const message =
    wanted === undefined
      ? `"${name}" has no former generation to roll back to`
      : `"${name}" keeps no generation ${wanted}`;
  const hint =
    numbers === ''
      ? 'a reindex and an alter keep the former generation for keep_previous (24h by default)'
      : `generations that are kept: ${numbers}`;
  return new LhsError('not_found', message, {
    hint,
    next: [{ step: 'describe_index', index: name }],
  });
}
