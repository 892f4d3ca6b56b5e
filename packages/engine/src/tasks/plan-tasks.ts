import { VERSION } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { bundlePrefix, plannedMs } from '../home/chain.ts';
import type { Home } from '../home/stored-json.ts';
import { BUILD_MS } from '../home/sweep.ts';
import type { Definition } from '../schema/definition.ts';
import { definitionDigest } from '../schema/definition-digest.ts';
import { fromSource } from '../source/source-errors.ts';
import { type BuildTask, buildName, MOST_TASKS, resultObject } from './lines.ts';
import { recordsOf, splitFiles } from './split-files.ts';

/** Rows of a task unless a request names their number, or that of the tasks. */
const ROWS_PER_TASK = 1_000_000;
/** A task has a row per so many bytes of its memory, at most: what it knows of each document. */
const BYTES_PER_ROW = 512;

/** Into how many tasks a build is divided. */
export interface TaskCount {
  readonly tasks?: number | undefined;
  readonly rowsPerTask?: number | undefined;
  /** As many at least, if their number is not named. */
  readonly least?: number | undefined;
}

/** A build whose tasks are planned. */
export interface PlannedBuild {
  readonly definition: Definition;
  readonly definitionVersion: number;
  readonly baseDir: string;
  /** The number of the live generation; 0: there is none. Each build has another one. */
  readonly after: number;
  readonly table: SourceTable;
  readonly snapshotId: bigint | null;
  /** Paths of the data files to read; undefined: all. */
  readonly missing?: ReadonlySet<string> | undefined;
  /** The UUID of the index in its store. */
  readonly family: string;
  readonly home: Home;
  /** The folder of the index, with its embedding cache. */
  readonly cache: string;
  readonly memoryBytes: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The tasks of a build; none of an empty table. If some tasks of a former plan of the same build
 * have run, it is that plan: then only the others have something to do.
 */
export async function planTasks(
  build: PlannedBuild,
  { tasks, rowsPerTask, least = 1 }: TaskCount,
): Promise<readonly BuildTask[]> {
  const { definition, table, snapshotId, missing, family } = build;
  if (snapshotId === null) return [];
  const { files } = await fromSource(() => table.files(snapshotId));
  const wanted = files.filter(({ data }) => missing?.has(data.path) ?? true);
  const most = rowsPerTask ?? Math.min(ROWS_PER_TASK, build.memoryBytes / BYTES_PER_ROW);
  const count = tasks ?? Math.max(least, Math.ceil(recordsOf(wanted) / most));
  const all = await splitFiles(table, wanted, Math.min(MOST_TASKS, count));
  const definition_digest = definitionDigest(definition);
  const snapshot = String(snapshotId);
  const what = [VERSION, family, definition_digest, snapshot, build.after, all];
  const tasksAt = (plannedMs: number): readonly BuildTask[] => {
    const name = buildName(plannedMs, what);
    return all.map(({ splits, rows }, task) => ({
      ...{ format: 1, build: name, task, tasks: all.length, index: definition.index, family },
      ...{ definition_digest, definition_version: build.definitionVersion, snapshot },
      ...{ definition: definition.text, base_dir: build.baseDir, storage: build.home.place },
      ...{ cache: build.cache, memory_bytes: build.memoryBytes, rows, splits },
    }));
  };
  return (await begunTasks(build, tasksAt)) ?? tasksAt(build.now - (build.now % 1000));
}

/** The tasks of a plan of which some have run, the newest one; null: there is none. */
async function begunTasks(
  { home, family, now }: PlannedBuild,
  tasksAt: (plannedMs: number) => readonly BuildTask[],
): Promise<readonly BuildTask[] | null> {
  const prefix = bundlePrefix(family);
  const names = new Set<string>();
  const plans = new Set<number>();
  for await (const { key } of home.store.list(`${prefix}9`)) {
    const name = key.slice(prefix.length);
    names.add(name);
    plans.add(plannedMs(Number.parseInt(name, 10)) ?? 0);
  }
  for (const planned of [...plans].sort((a, b) => b - a)) {
    if (now - planned > BUILD_MS) return null;
    const tasks = tasksAt(planned);
    if (tasks.some((task) => names.has(resultObject(task)))) return tasks;
  }
  return null;
}
