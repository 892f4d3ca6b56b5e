import { join } from 'node:path';
import { openLocalDirectory } from '@lakehouse-search/engine/internal';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { tinyModels } from '../../../../test/support/tiny-model.ts';

/** What is done to a data folder; as JSON it goes to a child process. */
export type Work =
  | { readonly kind: 'sync'; readonly until?: string }
  | { readonly kind: 'reindex'; readonly as_of?: string }
  /** A reindex that commits each finished data file, and continues what an earlier one left. */
  | { readonly kind: 'resume' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'upgrade' }
  /** All windows become cold, then hot. */
  | { readonly kind: 'tiers' }
  /** A window is built again. */
  | { readonly kind: 'window' }
  /** Removes rows that the table has no more; throws unless nothing remains. */
  | { readonly kind: 'erase'; readonly ids: readonly number[] }
  | { readonly kind: 'repair' }
  /** Into `backups` of the data folder. */
  | { readonly kind: 'backup' }
  /** From there, as index `copy`, which is not made again. */
  | { readonly kind: 'restore' }
  | { readonly kind: 'reshard'; readonly shards: number }
  /** `definition`: the new one. */
  | { readonly kind: 'alter'; readonly definition: string };

/** What a child process may be told besides. `open`: open it and search, which sweeps. */
export type ChildWork =
  | Work
  | { readonly kind: 'open' }
  | { readonly kind: 'create'; readonly definition: string }
  | { readonly kind: 'rename' }
  /** As index `clone`. */
  | { readonly kind: 'clone' }
  | { readonly kind: 'drop' };

/** Opens a data folder; its model is the tiny one. */
export function openData(data: string): Promise<LocalEngine> {
  return openEngine(data, { create: true, threads: 0, openEmbedder: tinyModels().open, saveMs: 0 });
}

/** As `openData`, so that merges run in this thread, where their calls are seen. */
export function openInline(data: string): Promise<LocalEngine> {
  return openEngine(data, {
    create: true,
    threads: 0,
    openEmbedder: tinyModels().open,
    saveMs: 0,
    openDirectory: (path, fence) => openLocalDirectory(path, fence),
  });
}

/** Does it; `acknowledged` is told of each commit of a sync. */
export async function runWork(
  backend: LocalEngine,
  work: ChildWork,
  acknowledged: () => void = () => {},
): Promise<void> {
  const progress = ({ phase }: { readonly phase: string }) => {
    if (phase === 'syncing') acknowledged();
  };
  if (work.kind === 'open') await backend.search({ limit: 1 });
  else if (work.kind === 'create')
    await backend.createIndex({ definition: work.definition, base_dir: '/' });
  else if (work.kind === 'rename') await backend.renameIndex({ ...INDEX, name: 'renamed' });
  else if (work.kind === 'clone') await backend.cloneIndex({ ...INDEX, name: 'clone' });
  else if (work.kind === 'drop') await backend.dropIndex({ index: 't' });
  else if (work.kind === 'compact') await backend.compact({});
  else if (work.kind === 'rollback') await backend.rollbackIndex({});
  else if (work.kind === 'upgrade') await backend.upgrade({});
  else if (work.kind === 'tiers' || work.kind === 'window') await moveOrBuild(backend, work.kind);
  else if (work.kind === 'erase') await erase(backend, work.ids);
  else if (work.kind === 'backup') await backend.backup({ ...INDEX, ...backupsOf(backend) });
  else if (work.kind === 'restore') await restoreCopy(backend);
  else if (work.kind === 'repair') await backend.verify({ repair: true });
  else if (work.kind === 'reshard') await backend.applyReshard({ shards: work.shards });
  else if (work.kind === 'alter')
    await backend.alterIndex({ definition_yaml: work.definition, apply: true });
  else if (work.kind === 'reindex') await backend.reindex({ as_of: work.as_of });
  else if (work.kind === 'resume') await resume(backend);
  else await backend.sync({ until: work.until }, { progress });
}

/** The index of a stage, which a restored copy leaves ambiguous. */
export const INDEX = { index: 't' } as const;
/** The name under which a backup is restored. */
export const COPY = 'copy';

/** Where the backups of a data folder are. */
export const backupsOf = ({ dataDir }: LocalEngine) => ({ target: join(dataDir, 'backups') });

async function restoreCopy(backend: LocalEngine): Promise<void> {
  const names = (await backend.listIndexes()).map(({ name }) => name);
  if (names.includes(COPY)) return;
  await backend.restore({ ...INDEX, ...backupsOf(backend), as: COPY });
}

async function moveOrBuild(backend: LocalEngine, kind: 'tiers' | 'window'): Promise<void> {
  const { windows } = await backend.windowStatus({});
  const names = windows.map(({ window }) => window);
  if (kind === 'window') {
    for (const window of names) await backend.reindexWindow({ window });
    return;
  }
  await backend.moveWindows({ cool: names });
  await backend.moveWindows({ warm: names });
}

async function erase(backend: LocalEngine, ids: readonly number[]): Promise<void> {
  const keys = ids.map((id) => ({ identifier: [{ name: 'id', value: String(id) }] }));
  const { report } = await backend.runErasure({ keys });
  if (!report.clean) throw new Error(`remains: ${JSON.stringify(report.remains)}`);
}

/** Continues a build if there is one to continue, else begins one. */
async function resume(backend: LocalEngine): Promise<void> {
  const [newest] = await backend.listJobs();
  await backend.reindex({ resume: newest?.resumable === true });
}
