import type {
  AlterIndexRequest,
  AlterPlan,
  CallContext,
  ReindexResponse,
} from '@lakehouse-search/contract';
import { checkAlterRequest, requireListed } from '@lakehouse-search/contract/internal';
import {
  type LiveGeneration,
  type LocatedDefinition,
  type Planned,
  planAlter,
  planSharding,
} from '../../alter/plan-alter.ts';
import { limitKept } from '../../open/kept-generations.ts';
import { commitVersion, type KnownIndex } from '../../open/open-index.ts';
import type { Redefinition } from '../../registry/jobs.ts';
import { definitionOf } from '../../schema/parse/parse-definition.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import { sameSpread } from '../../schema/sharding/bucket-map.ts';
import { carrySharding } from '../../schema/sharding/with-sharding.ts';
import { fromSource } from '../../source/source-errors.ts';
import { followedSnapshot, openSource } from '../../source/source-table.ts';
import { mappingOver } from '../../sync/build/build-generation.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { definitionOver, parsedInTurns } from '../writes/define.ts';
import { withLock } from '../writes/write-index.ts';
import { alterFields } from './alter-fields.ts';
import { buildIndex } from './build-index.ts';
import type { RunningJob } from './job-run.ts';
import type { LocalJobs } from './jobs.ts';
import { reshardLive } from './reshard-live.ts';

/**
 * The plan of a new definition; with `apply` it is put in force, by a job. Throws
 * invalid_definition, index_exists, index_busy, permission_denied, source_not_found, …
 */
export async function alterLocal(
  indexes: LocalIndexes,
  request: AlterIndexRequest,
  call: CallContext,
  jobs: Pick<LocalJobs, 'run'>,
): Promise<AlterPlan> {
  const checked = checkAlterRequest(request);
  if (checked.apply === true) return jobs.run('alter', checked, call);
  const known = accessible(indexes, checked.index, call);
  return (await planFor(indexes, known, checked, call)).plan;
}

/** Puts a new definition in force: the work of a job. Throws as `alterLocal`. */
export async function applyAlter(
  indexes: LocalIndexes,
  request: AlterIndexRequest,
  job: RunningJob<'alter'>,
): Promise<AlterPlan> {
  const known = accessible(indexes, request.index, job);
  const { plan, planned, next } = await planFor(indexes, known, request, job);
  if (planned.is_noop) return plan;
  const { index } = next.definition;
  if (planned.strategy === 'live') {
    const done = { ...plan, index, applied: true };
    const isBuilt = commitVersion(known.folder) !== null;
    if (isBuilt && !sameSpread(known.definition, next.definition)) {
      return reshardLive(indexes, known, next, done, job);
    }
    await putInForce(indexes, known, next);
    return done;
  }
  if (index !== known.registered.name) indexes.registry.requireFree(index);
  const { requires_reindex: reindex_triggered } = planned;
  const done = { ...plan, index, applied: true, reindex_triggered };
  job.answers(({ index_generation: generation }) => ({ ...done, generation }));
  const built = await build(indexes, known, next, workOf(planned), job);
  return { ...done, generation: built.index_generation };
}

/** What a new definition changes in an index. */
async function planFor(
  indexes: LocalIndexes,
  known: KnownIndex,
  { base_dir: baseDir = known.registered.baseDir, definition_yaml: text }: AlterIndexRequest,
  call: CallContext,
) {
  const asked = await definitionOver(text, baseDir);
  const whole = carrySharding(text, asked, known.definition);
  const definition = whole === text ? asked : definitionOf(await parsedInTurns(whole));
  const next = { definition, baseDir };
  requireListed(call, next.definition.index);
  const live = liveGeneration(indexes, known);
  const now = { definition: known.definition, baseDir: known.registered.baseDir };
  const planned =
    (live && planSharding(now, next)) ?? (await planOver(now, next, live, call.signal));
  const generation = live?.number ?? 0;
  const plan = { ...planned, applied: false, reindex_triggered: false, generation };
  return { plan, planned, next };
}

/** Builds the generation of a new definition, which is in force when the generation is live. */
function build(
  indexes: LocalIndexes,
  known: KnownIndex,
  { definition, baseDir }: LocatedDefinition,
  by: ReturnType<typeof workOf>,
  job: RunningJob<'alter'>,
): Promise<ReindexResponse> {
  const { registered } = known;
  const to = storedDefinition(definition, baseDir);
  const redefines: Redefinition = {
    ...{ from: registered.version, to },
    ...(by === 'field' ? { by } : {}),
  };
  job.redefines(redefines);
  const next = { ...registered, ...to, name: registered.name, version: registered.version + 1 };
  const built = { ...known, registered: next, definition, definitionOf: () => definition };
  if (by !== 'field') return buildIndex(indexes, built, { followLive: by === 'reindex' }, job);
  const now = { definition: known.definition, baseDir: registered.baseDir };
  return alterFields(indexes, built, now, redefines, job);
}

/**
 * How the generation is built: field by field, from the table if it has the rows of the live
 * generation (`reindex`) or not (`other rows`).
 */
function workOf({ changes, strategy }: Planned): 'field' | 'reindex' | 'other rows' {
  if (strategy === 'field') return 'field';
  const ofSource = changes.filter(({ setting }) => setting.startsWith('source'));
  return ofSource.some((own) => own.strategy === 'reindex') ? 'other rows' : 'reindex';
}

/** Replaces the definition of an index that nobody writes meanwhile; its segments stay. */
async function putInForce(
  indexes: LocalIndexes,
  { registered, definition: former }: KnownIndex,
  { definition, baseDir }: LocatedDefinition,
): Promise<void> {
  const isLeft = homePlace(definition, baseDir) !== homePlace(former, registered.baseDir);
  const turn = { what: 'alter', ...(isLeft ? { home: 'left' as const } : {}) };
  await withLock(indexes, registered, turn, async () => {
    indexes.registry.redefine(registered, storedDefinition(definition, baseDir));
    limitKept(indexes.registry, registered.uuid);
  });
}

function liveGeneration(indexes: LocalIndexes, known: KnownIndex): LiveGeneration | null {
  if (commitVersion(known.folder) === null) return null;
  const { snapshot, mapping } = indexes.hold(known);
  try {
    const { generation: number, commit } = snapshot;
    return commit.checkpoint === null ? null : { number, commit, mapping };
  } finally {
    snapshot.release();
  }
}

async function planOver(
  now: LocatedDefinition,
  next: LocatedDefinition,
  live: LiveGeneration | null,
  signal: AbortSignal | undefined,
) {
  const { definition, baseDir } = next;
  const table = await openSource(definition.source, baseDir, signal);
  try {
    const snapshot = followedSnapshot(table, definition.source.ref);
    const files = await fromSource(() => table.files(snapshot), signal);
    const mapping = mappingOver(definition, table);
    return planAlter(now, next, { table, files, mapping }, live);
  } finally {
    await table.close();
  }
}
