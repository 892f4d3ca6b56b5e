import type { AlterIndexRequest, AlterPlan, CallContext } from '@lakehouse-search/contract';
import { checkAlterRequest, LhsError } from '@lakehouse-search/contract';
import { type LiveGeneration, type LocatedDefinition, planAlter } from '../alter/plan-alter.ts';
import { commitVersion } from '../open/open-index.ts';
import type { KnownIndex } from '../open/open-indexes.ts';
import { storeParsed } from '../schema/parsed-definition.ts';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot, openSource } from '../source/source-table.ts';
import { mappingOver } from '../sync/build-generation.ts';
import { accessible, requireListed } from './caller.ts';
import { definitionOver } from './define.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { withLock } from './write-index.ts';

/**
 * The plan of a new definition; with `apply` it is put in force. Throws invalid_definition,
 * index_exists, index_busy, permission_denied, source_not_found, …
 */
export async function alterLocal(
  indexes: LocalIndexes,
  request: AlterIndexRequest,
  call: CallContext,
): Promise<AlterPlan> {
  const checked = checkAlterRequest(request);
  const known = accessible(indexes, checked.index, call);
  const { base_dir: baseDir = known.registered.baseDir, definition_yaml: text } = checked;
  const next = { definition: await definitionOver(text, baseDir), baseDir };
  requireListed(call, next.definition.index);
  const live = liveGeneration(indexes, known);
  const planned = await planOver(known, next, live, call.signal);
  const generation = live?.number ?? 0;
  const answer = { ...planned, reindex_triggered: false, generation };
  if (checked.apply !== true || planned.is_noop) return { ...answer, applied: false };
  if (planned.requires_reindex) throw needsReindex(planned.reindex_reasons);
  await putInForce(indexes, known, next);
  return { ...answer, index: next.definition.index, applied: true };
}

function needsReindex(reasons: readonly string[]): LhsError {
  return new LhsError('unsupported', `the new definition needs a reindex: ${reasons[0]}`, {
    hint: 'make a new index of the new definition, build it, and move an alias to it',
    next: [{ step: 'create_index' }],
    details: { reasons },
  });
}

/** Replaces the definition of an index that nobody writes meanwhile; its segments stay. */
async function putInForce(
  indexes: LocalIndexes,
  { registered }: KnownIndex,
  { definition, baseDir }: LocatedDefinition,
): Promise<void> {
  const { index: name, text } = definition;
  const parsed = storeParsed(definition);
  await withLock(indexes, registered, 'alter', async () => {
    indexes.registry.redefine(registered, { name, definition: text, parsed, baseDir });
  });
}

function liveGeneration(indexes: LocalIndexes, known: KnownIndex): LiveGeneration | null {
  if (commitVersion(known.folder) === null) return null;
  const { snapshot } = indexes.hold(known);
  try {
    const { checkpoint, generation, commit } = snapshot;
    if (checkpoint === null) return null;
    const droppedDuplicates = commit.dropped_duplicates ?? 0;
    return { number: generation, tableUuid: checkpoint.table_uuid, droppedDuplicates };
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
    return planAlter(now, next, { uuid: table.uuid, files, mapping }, live);
  } finally {
    await table.close();
  }
}
