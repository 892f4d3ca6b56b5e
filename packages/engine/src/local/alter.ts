import type { AlterIndexRequest, AlterPlan, CallContext } from '@lakehouse-search/contract';
import { checkAlterRequest } from '@lakehouse-search/contract';
import {
  type LiveGeneration,
  type LocatedDefinition,
  type Planned,
  planAlter,
} from '../alter/plan-alter.ts';
import { commitVersion, type KnownIndex } from '../open/open-index.ts';
import { storedDefinition } from '../schema/parsed-definition.ts';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot, openSource } from '../source/source-table.ts';
import { mappingOver } from '../sync/build-generation.ts';
import { accessible, requireListed } from './caller.ts';
import { definitionOver } from './define.ts';
import type { LocalJobs } from './jobs.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { buildRunning, withLock } from './write-index.ts';

/**
 * The plan of a new definition; with `apply` it is put in force. Throws invalid_definition,
 * index_exists, index_busy, permission_denied, source_not_found, …
 */
export async function alterLocal(
  indexes: LocalIndexes,
  request: AlterIndexRequest,
  call: CallContext,
  jobs: Pick<LocalJobs, 'alter'>,
): Promise<AlterPlan> {
  const checked = checkAlterRequest(request);
  const known = accessible(indexes, checked.index, call);
  const { base_dir: baseDir = known.registered.baseDir, definition_yaml: text } = checked;
  const next = { definition: await definitionOver(text, baseDir), baseDir };
  requireListed(call, next.definition.index);
  const live = liveGeneration(indexes, known);
  const planned = await planOver(known, next, live, call.signal);
  const answer = { ...planned, reindex_triggered: false, generation: live?.number ?? 0 };
  if (checked.apply !== true || planned.is_noop) return { ...answer, applied: false };
  const { index } = next.definition;
  if (planned.strategy === 'live') {
    await putInForce(indexes, known, next);
    return { ...answer, index, applied: true };
  }
  if (index !== known.registered.name) indexes.registry.requireFree(index);
  const { index_generation: generation } = await jobs.alter(known, next, workOf(planned), call);
  const { requires_reindex: reindex_triggered } = planned;
  return { ...answer, index, applied: true, reindex_triggered, generation };
}

function workOf({ changes, strategy }: Planned): 'field' | 'reindex' | 'other rows' {
  if (strategy === 'field') return 'field';
  const ofSource = changes.filter(({ setting }) => setting.startsWith('source'));
  return ofSource.some((own) => own.strategy === 'reindex') ? 'other rows' : 'reindex';
}

/** Replaces the definition of an index that nobody writes meanwhile; its segments stay. */
async function putInForce(
  indexes: LocalIndexes,
  { registered }: KnownIndex,
  { definition, baseDir }: LocatedDefinition,
): Promise<void> {
  const { uuid, name } = registered;
  await withLock(indexes, registered, { what: 'alter' }, async () => {
    const [build] = indexes.registry.jobs.running(uuid);
    if (build !== undefined) throw buildRunning('alter', name, build);
    indexes.registry.redefine(registered, storedDefinition(definition, baseDir));
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
  known: KnownIndex,
  next: LocatedDefinition,
  live: LiveGeneration | null,
  signal: AbortSignal | undefined,
) {
  const { definition, baseDir } = next;
  const table = await openSource(definition.source, baseDir, signal);
  try {
    const snapshot = followedSnapshot(table, definition.source.ref);
    const files = await fromSource(() => table.files(snapshot), signal);
    const now = { definition: known.definition, baseDir: known.registered.baseDir };
    const mapping = mappingOver(definition, table);
    return planAlter(now, next, { table, files, mapping }, live);
  } finally {
    await table.close();
  }
}
