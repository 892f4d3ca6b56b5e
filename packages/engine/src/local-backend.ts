/**
 * The embedded engine: a `BackendApi` over a data folder of this machine.
 *
 *     <data folder>/registry.db          which indexes there are (registry/registry.ts)
 *     <data folder>/indexes/<uuid>/ one index: CURRENT, generations, lock (open/index-folder.ts)
 *
 * An index is opened with its first use, and again after each commit of this process or another.
 * The code of an operation is loaded with its first call, so that a single search starts fast.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AlterIndexRequest,
  CallContext,
  DefinitionApi,
  FollowEvent,
  FollowRequest,
  Hit,
  HitReader,
  HitsRequest,
  IndexRequest,
  Job,
  JobRequest,
  StartJobRequest,
} from '@lakehouse-search/contract';
import {
  type BackendApi,
  checkCall,
  checkUpgradeRequest,
  eachHit,
} from '@lakehouse-search/contract/internal';
import { engineClosed } from './base/engine-closed.ts';
import { lazily } from './base/lazily.ts';
import { hasScheme, locationUrl } from './base/location-url.ts';
import { SYSTEM_CLOCK } from './base/time/clock.ts';
import type { CachedParts } from './local/cache/answer-text.ts';
import { type RepeatedRequest, recallAnswer } from './local/cache/recall.ts';
import type { ResultCacheFigures } from './local/cache/result-cache.ts';
import type { IndexFinding, IndexUsage } from './local/diagnose/findings.ts';
import { defining, type Items, later } from './local/engine-calls.ts';
import { EngineReads } from './local/engine-reads.ts';
import type { RunTasks, TaskBuildRequest, TaskResults } from './local/jobs/build-by-tasks.ts';
import { type EngineOptions, requireDataFolder } from './local/local-options.ts';
import type { NodeReads } from './local/node/node-reads.ts';
import type { SourceLayout } from './local/source-layout.ts';
import type { FilterCache } from './shard/execute/filter-cache.ts';
import { openLocalDirectory } from './storage/local-directory.ts';
import type { TaskResult } from './tasks/lines.ts';

const aliases = lazily(() => import('./local/writes/aliases.ts'));
const backups = lazily(() => import('./local/writes/backups.ts'));
const byTasks = lazily(() => import('./local/jobs/build-by-tasks.ts'));
const define = lazily(() => import('./local/writes/define.ts'));
const describe = lazily(() => import('./local/reads/describe.ts'));
const erasure = lazily(() => import('./local/writes/erasure.ts'));
const ingest = lazily(() => import('./local/writes/ingest.ts'));
const pits = lazily(() => import('./local/reads/point-in-time.ts'));
const queries = lazily(() => import('./local/reads/saved-queries.ts'));
const windows = lazily(() => import('./local/writes/windows.ts'));

/**
 * Opens a data folder, or by location a published index (`s3://bucket/prefix/INDEX`) or all of a
 * place (`s3://bucket/prefix`) for reading. Throws not_found if the folder is missing and `create`
 * is not set, index_not_found, invalid_argument, io_error, corrupt_index, unsupported, unreachable.
 */
export async function openEngine(
  dataDir: string,
  options: EngineOptions = {},
): Promise<LocalEngine> {
  const location = locationOf(dataDir);
  if (location !== null) {
    const { openPublished } = await import('./home/reading/open-published.ts');
    const { openDirectory = openLocalDirectory, clock = SYSTEM_CLOCK, only, asPlace } = options;
    const reader = await openPublished(location, { openDirectory, clock, only, asPlace });
    return new LocalEngine(reader.folder, { ...options, reader });
  }
  requireDataFolder(dataDir, options);
  return new LocalEngine(dataDir, options);
}

/** Runs a task of a build, a line of text; it needs no data folder. Throws as `runTask`. */
export const runTaskLine = async (line: string, call: CallContext): Promise<TaskResult> =>
  (await byTasks()).runLine(line, call);

/** The location of a published index as a URL; null: it is the path of a data folder. */
function locationOf(path: string): string | null {
  const has = (...names: readonly string[]) => existsSync(join(path, ...names));
  const isFolder = has() && (has('registry.db') || !has('repository.json'));
  const isPublished = hasScheme(path) || (!isFolder && (has() || has('..', 'repository.json')));
  return isPublished ? locationUrl(path) : null;
}

/** The local `BackendApi`. Close it when done: it holds mapped files and the registry. */
export class LocalEngine extends EngineReads implements BackendApi, HitReader {
  /** Figures of the cache of answers; null: none is kept. */
  get resultCache(): ResultCacheFigures | null {
    return this.indexes.results?.figures ?? null;
  }

  readonly createIndex: DefinitionApi['createIndex'] = defining(
    this.change(
      'createIndex',
      later(async () => (await define()).createLocal),
    ),
  );
  readonly listIndexes: BackendApi['listIndexes'] = this.ownRead(
    'listIndexes',
    later(async () => (await describe()).listLocal),
  );
  readonly describeIndex: BackendApi['describeIndex'] = this.read(
    later(async () => (await describe()).describeLocal),
  );
  readonly getDefinition: BackendApi['getDefinition'] = this.ownRead(
    'getDefinition',
    later(async () => (await describe()).definitionLocal),
  );
  readonly alterIndex: DefinitionApi['alterIndex'] = defining(
    this.work('alterIndex', async (indexes, request: AlterIndexRequest, call) => {
      const { alterLocal } = await import('./local/jobs/alter.ts');
      return alterLocal(indexes, request, call, await this.jobs());
    }),
  );
  readonly rollbackIndex: BackendApi['rollbackIndex'] = this.job('rollbackIndex', 'rollback');
  readonly planReshard: BackendApi['planReshard'] = this.ownRead(
    'planReshard',
    later(async () => (await import('./local/jobs/reshard.ts')).planReshardLocal),
  );
  readonly applyReshard: BackendApi['applyReshard'] = this.work(
    'applyReshard',
    async (indexes, request, call) => {
      const { applyReshardLocal } = await import('./local/jobs/reshard.ts');
      return applyReshardLocal(indexes, request, call, await this.jobs());
    },
  );
  readonly moveBucket: BackendApi['moveBucket'] = this.work(
    'moveBucket',
    async (indexes, request, call) => {
      const { moveBucketLocal } = await import('./local/jobs/reshard.ts');
      return moveBucketLocal(indexes, request, call, await this.jobs());
    },
  );
  readonly rehearseAlter: DefinitionApi['rehearseAlter'] = defining(
    this.work(
      'rehearseAlter',
      later(async () => (await import('./local/jobs/rehearse.ts')).rehearseLocal),
    ),
  );
  readonly dropIndex: BackendApi['dropIndex'] = this.change(
    'dropIndex',
    later(async () => (await define()).dropLocal),
  );
  /** `dropIndex` here alone: what the index has published stays. Not an operation. */
  readonly leaveIndex: BackendApi['dropIndex'] = this.change(
    'dropIndex',
    later(async () => (await define()).leaveLocal),
  );
  readonly renameIndex: BackendApi['renameIndex'] = this.change(
    'renameIndex',
    later(async () => (await import('./local/writes/rename.ts')).renameLocal),
  );
  readonly moveIndex: BackendApi['moveIndex'] = this.change(
    'moveIndex',
    later(async () => (await import('./local/writes/move.ts')).moveLocal),
  );
  readonly cloneIndex: BackendApi['cloneIndex'] = this.work(
    'cloneIndex',
    later(async () => (await import('./local/writes/clone.ts')).cloneLocal),
  );
  readonly validateDefinition: DefinitionApi['validateDefinition'] = defining(
    this.ownRead(
      'validateDefinition',
      later(async () => (await define()).validateLocal),
    ),
  );

  readonly reindex: BackendApi['reindex'] = this.job('reindex', 'reindex');
  /** The tasks of a build. This and what follows are no operations: tasks run on any machine. */
  readonly planBuild = this.work(
    'reindex',
    later(async () => (await byTasks()).planLocal),
  );
  /** The tasks that merge segments of results. */
  readonly planMerges = this.work(
    'reindex',
    later(async () => (await byTasks()).planMergesLocal),
  );
  /** A reindex whose segments tasks make. */
  readonly reindexByTasks = this.work(
    'reindex',
    async (indexes, request: TaskBuildRequest & { readonly run: RunTasks }, call) =>
      (await byTasks()).reindexByTasks(indexes, request, call, await this.jobs()),
  );
  /** Makes a generation of the results of planned tasks the live one. */
  readonly commitBuild = this.work('reindex', async (indexes, request: TaskResults, call) =>
    (await byTasks()).commitResults(indexes, request, call, await this.jobs()),
  );
  readonly sync: BackendApi['sync'] = this.work(
    'sync',
    later(async () => (await ingest()).syncLocal),
  );
  /** Ends when the engine is closed, as when the call is aborted. */
  readonly follow: Items<FollowRequest, FollowEvent> = this.stream(
    'follow',
    async (indexes, request, call) => {
      const { followLocal } = await import('./local/writes/follow.ts');
      return followLocal(indexes, request, call, this.jobs);
    },
    false,
  );
  readonly applyBatch: BackendApi['applyBatch'] = this.work(
    'applyBatch',
    later(async () => (await ingest()).applyLocal),
  );
  readonly getCheckpoint: BackendApi['getCheckpoint'] = this.ownRead(
    'getCheckpoint',
    later(async () => (await ingest()).checkpointLocal),
  );
  readonly status: BackendApi['status'] = this.ownRead(
    'status',
    later(async () => (await import('./local/reads/status.ts')).statusOf),
  );
  /** A data folder that cannot be written is examined without the record of a job. */
  readonly verify: BackendApi['verify'] = this.work('verify', async (indexes, request, call) => {
    const { isUnwritable } = await import('./storage/io-errors.ts');
    try {
      return await (await this.jobs()).run('verify', request, call);
    } catch (error) {
      if (!isUnwritable(error) || request.repair === true) throw error;
      return (await import('./local/writes/verify.ts')).verifyLocal(indexes, request, call);
    }
  });
  readonly compact: BackendApi['compact'] = this.job('compact', 'compact');
  readonly upgrade: BackendApi['upgrade'] = this.work('upgrade', async (indexes, request, call) => {
    const checked = checkUpgradeRequest(request);
    if (checked.plan !== true) return (await this.jobs()).run('upgrade', checked, call);
    const { upgradePlan } = await import('./local/writes/upgrade.ts');
    return upgradePlan(indexes, checked, call);
  });

  readonly startJob: DefinitionApi['startJob'] = defining(
    this.change('startJob', async (_, request: StartJobRequest, call) =>
      (await this.jobs()).start(request, call),
    ),
  );
  readonly getJob: BackendApi['getJob'] = this.ownRead('getJob', async (_, request, call) =>
    (await this.jobs()).get(request, call),
  );
  readonly listJobs: BackendApi['listJobs'] = this.ownRead('listJobs', async (_, request, call) =>
    (await this.jobs()).list(request, call),
  );
  readonly cancelJob: BackendApi['cancelJob'] = this.change('cancelJob', async (_, request, call) =>
    (await this.jobs()).cancel(request, call),
  );
  /** Throws interrupted when the call is aborted, closed when the engine is closed. */
  readonly watchJob: Items<JobRequest, Job> = this.stream(
    'watchJob',
    async (_, request, call) => (await this.jobs()).watch(request, call),
    true,
  );

  readonly backup: BackendApi['backup'] = this.job('backup', 'backup');
  readonly backupStatus: BackendApi['backupStatus'] = this.ownRead(
    'backupStatus',
    later(async () => (await backups()).backupStatusLocal),
  );
  readonly listBackups: BackendApi['listBackups'] = this.ownRead(
    'listBackups',
    later(async () => (await backups()).listBackupsLocal),
  );
  readonly pruneBackups: BackendApi['pruneBackups'] = this.work(
    'pruneBackups',
    later(async () => (await backups()).pruneBackupsLocal),
  );
  readonly restore: DefinitionApi['restore'] = defining(this.job('restore', 'restore'));

  readonly windowStatus: BackendApi['windowStatus'] = this.ownRead(
    'windowStatus',
    later(async () => (await windows()).windowStatusLocal),
  );
  readonly reindexWindow: BackendApi['reindexWindow'] = this.job('reindexWindow', 'reindex_window');
  readonly moveWindows: BackendApi['moveWindows'] = this.job('moveWindows', 'move_windows');

  readonly checkErasure: BackendApi['checkErasure'] = this.work(
    'checkErasure',
    later(async () => (await erasure()).checkErasureLocal),
  );
  readonly runErasure: BackendApi['runErasure'] = this.job('runErasure', 'erase');
  readonly erasureKey: BackendApi['erasureKey'] = this.ownRead(
    'erasureKey',
    later(async () => (await erasure()).erasureKeyLocal),
  );
  readonly verifyReceipt: BackendApi['verifyReceipt'] = this.ownRead(
    'verifyReceipt',
    later(async () => (await erasure()).verifyReceiptLocal),
  );

  readonly openPit: BackendApi['openPit'] = this.change(
    null,
    later(async () => (await pits()).openPit),
  );
  readonly closePit: BackendApi['closePit'] = this.change(
    null,
    later(async () => (await pits()).closePit),
  );

  readonly listAliases: BackendApi['listAliases'] = this.ownRead(
    'listAliases',
    later(async () => (await aliases()).listAliases),
  );
  readonly setAlias: BackendApi['setAlias'] = this.change(
    'setAlias',
    later(async () => (await aliases()).setAlias),
  );
  readonly dropAlias: BackendApi['dropAlias'] = this.change(
    'dropAlias',
    later(async () => (await aliases()).dropAlias),
  );
  readonly listSavedQueries: BackendApi['listSavedQueries'] = this.read(
    later(async () => (await queries()).listSavedQueries),
  );
  readonly createSavedQuery: BackendApi['createSavedQuery'] = this.change(
    null,
    later(async () => (await queries()).createSavedQuery),
  );
  readonly replaceSavedQuery: BackendApi['replaceSavedQuery'] = this.change(
    null,
    later(async () => (await queries()).replaceSavedQuery),
  );
  readonly deleteSavedQuery: BackendApi['deleteSavedQuery'] = this.change(
    null,
    later(async () => (await queries()).deleteSavedQuery),
  );

  /** What a node of a cluster answers about the indexes of this engine; it ends with the engine. */
  async nodeReads(): Promise<NodeReads> {
    const { NodeReads } = await import('./local/node/node-reads.ts');
    return new NodeReads(this.indexes);
  }

  /**
   * The answer that the cache has to a request, at once; undefined: the read has to run. Not an
   * operation of a BackendApi: it is for servers. Throws as the read.
   */
  recall(request: RepeatedRequest, call?: CallContext): CachedParts | undefined {
    if (this.indexes.life.closed) throw engineClosed();
    if (this.indexes.looks?.begin() === true) return undefined;
    return recallAnswer(this.indexes, request, checkCall(call));
  }

  /** Cached matches of filters. */
  get filters(): FilterCache {
    return this.indexes.filters;
  }

  /**
   * What endangers an index or costs it disk, problems first. Not an operation: only
   * an embedded engine can read the files. Throws index_not_found, corrupt_index, io_error.
   */
  diagnose(request: IndexRequest, call: CallContext = {}): Promise<readonly IndexFinding[]> {
    return this.indexes.life.call(async () => {
      const { diagnoseLocal } = await import('./local/diagnose/diagnose.ts');
      return diagnoseLocal(this.indexes, request, call);
    });
  }

  /** As `usage` of a LocalBackend. */
  usage(request: IndexRequest, call: CallContext = {}): Promise<IndexUsage> {
    return this.indexes.life.call(async () => {
      const { usageLocal } = await import('./local/diagnose/usage.ts');
      return usageLocal(this.indexes, request, call);
    });
  }

  /** As `sourceLayout` of a LocalBackend. */
  sourceLayout(request: IndexRequest, mostFiles: number): Promise<SourceLayout> {
    return this.indexes.life.call(async () => {
      const { layoutLocal } = await import('./local/layout.ts');
      return layoutLocal(this.indexes, request, mostFiles);
    });
  }

  /**
   * Refuses new calls, ends followers and long work (code `closed`), waits for running calls, and
   * releases files and registry. Idempotent.
   */
  close(): Promise<void> {
    return this.indexes.close();
  }

  /** As `close`, at the end of a scope: `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  hits(request: HitsRequest, call?: CallContext): AsyncGenerator<Hit> {
    return eachHit(this, request, call);
  }
}
