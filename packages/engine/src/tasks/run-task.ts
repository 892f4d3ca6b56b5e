/**
 * A task of a build: reads the rows of its splits and makes their segments, in a temporary folder,
 * by the same code as a reindex. They travel to the store of the index as one bundle; the result is
 * an object beside it. A task that has run already returns that result: retries and twins do no
 * harm, and a build that goes on does only what is missing. A merge fetches the segments of other
 * tasks in place of rows, and refuses or settles rows of them that share a key.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { FilePart, SourceTable } from '@lakehouse-search/lake';
import type { OpenEmbedder } from '../embed/embedder.ts';
import { bundleKey } from '../home/chain.ts';
import { commitInputs, makeBundle } from '../home/make-bundle.ts';
import { openHome } from '../home/repository.ts';
import { type Home, readStored } from '../home/stored-json.ts';
import { cachedFields } from '../home/writing/compose-commit.ts';
import { COMMIT_FILE } from '../index/commits/commit.ts';
import { openSnapshot } from '../index/index-snapshot.ts';
import { coordinatesOf, formatKey } from '../schema/keys/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import { registeredDefinition } from '../schema/parse/resolve-definition.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { fromSource, refuseAborted } from '../source/source-errors.ts';
import { openSource } from '../source/source-table.ts';
import { damagedHome, inStore } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { makeFolder } from '../storage/make-folder.ts';
import { mappingOver } from '../sync/build/build-generation.ts';
import type { BuildResources } from '../sync/build/build-resources.ts';
import { type RebuildResult, rebuildIndex } from '../sync/build/rebuild.ts';
import { restrictedTable } from '../sync/build/scratch-index.ts';
import {
  type BuildTask,
  firstSegment,
  plannedAt,
  type ReadSplit,
  readResult,
  resultObject,
  type Split,
  type TaskResult,
  taskBundle,
  taskName,
} from './lines.ts';
import { requirePlanned } from './plan-faults.ts';
import { scansByPath, spanOf } from './split-files.ts';
import { fillFromSome } from './take-results.ts';

/** What a task runs with. */
export interface TaskHost {
  readonly openEmbedder: OpenEmbedder;
  /** One thread with this memory. */
  readonly resources: (memoryBytes: number) => BuildResources;
}

const RESULT_BYTES = 256 * 2 ** 20;

/** The result of a task in the store; null: there is none, or its bundle is gone. */
async function storedResult(
  home: Home,
  task: BuildTask,
  signal: AbortSignal | undefined,
): Promise<TaskResult | null> {
  const check = (json: unknown) => readResult(JSON.stringify(json));
  const kind = { maxBytes: RESULT_BYTES, check, fault: damagedHome };
  const key = bundleKey(task.family, { object: resultObject(task) });
  const found = await readStored(home, key, kind, signal);
  if (found === null || found.value.build !== task.build) return null;
  const { bundle } = found.value;
  const there = await home.store.head(bundleKey(task.family, bundle), signal);
  return there?.size === bundle.size ? found.value : null;
}

/**
 * Runs a task. Throws source_changed if the table has forgotten the snapshot, and as `openSource`,
 * `rebuildIndex` and `inStore`.
 */
export async function runTask(
  task: BuildTask,
  host: TaskHost,
  call: CallContext,
): Promise<TaskResult> {
  const { signal } = call;
  const home = await inStore(() => openHome(task.storage));
  const known = await inStore(() => storedResult(home, task, signal));
  if (known !== null) return known;
  const { source } = registeredDefinition(task.definition);
  const table = await openSource(source, task.base_dir, signal);
  const folder = join(tmpdir(), `lhs-task-${randomUUID()}`);
  try {
    makeFolder(folder);
    const result = await build({ task, host, home, table, folder }, call);
    const key = bundleKey(task.family, { object: resultObject(task) });
    await inStore(() => home.store.put(key, Buffer.from(JSON.stringify(result)), { signal }));
    return result;
  } finally {
    for (const path of [folder, cacheBeside(folder)])
      rmSync(path, { recursive: true, force: true });
    await table.close();
  }
}

/** A task under way. */
interface RunningTask {
  readonly task: BuildTask;
  readonly host: TaskHost;
  readonly home: Home;
  readonly table: SourceTable;
  /** Where its segments are made. */
  readonly folder: string;
}

/** The folder of embeddings where that of the plan is not there. */
const cacheBeside = (folder: string): string => `${folder}.cache`;

/** Makes the segments and sends them. */
async function build(running: RunningTask, call: CallContext): Promise<TaskResult> {
  const { task, home, table, folder } = running;
  const started = { at: performance.now(), cpu: process.cpuUsage() };
  const directory = openLocalDirectory(folder);
  const parts = await partsOf(table, task);
  const mapping = mappingOver(registeredDefinition(task.definition), table);
  const built = await buildSegments(running, { parts, mapping, directory }, call);
  const splits =
    task.results?.flatMap((result) => result.splits) ?? (await readSplits(table, parts));
  const sent = await send(home, task, directory, built, call.signal);
  const { user, system } = process.cpuUsage(started.cpu);
  return {
    ...taskName(task),
    splits,
    docs: built.docs,
    ...whatWasLeft(built),
    ...built.vectors,
    ...sent,
    segments: segmentsIn(directory, mapping),
    took_ms: Math.round(performance.now() - started.at),
    cpu_ms: Math.round((user + system) / 1000),
  };
}

interface Segments {
  readonly parts: readonly SplitParts[];
  readonly mapping: Mapping;
  readonly directory: Directory;
}

function buildSegments(
  { task, host, home, table, folder }: RunningTask,
  { parts, mapping, directory }: Segments,
  { signal, progress }: CallContext,
): Promise<RebuildResult> {
  const read = parts.flatMap((part) => part.parts);
  const cache = existsSync(task.cache) ? task.cache : cacheBeside(folder);
  const { openEmbedder } = host;
  return rebuildIndex({
    ...{ table: restrictedTable(table, read), mapping, directory, signal, progress },
    ...{ generation: 1, snapshotId: BigInt(task.snapshot) },
    definitionVersion: task.definition_version,
    models: { index: task.index, folder: cache, baseDir: task.base_dir, openEmbedder },
    saveMs: Number.POSITIVE_INFINITY,
    resources: host.resources(task.memory_bytes),
    part: { firstSegment: firstSegment(task), writtenMs: plannedAt(task) },
    fill: task.results && fillFromSome({ ...taken(home, task), uploaded: new Map() }),
  });
}

/** What a merge takes. */
const taken = (home: Home, { family, results = [] }: BuildTask) => ({
  ...{ home, family },
  results: async function* () {
    yield* results;
  },
});

interface SplitParts {
  readonly split: Split;
  readonly parts: readonly FilePart[];
}

async function partsOf(table: SourceTable, task: BuildTask): Promise<readonly SplitParts[]> {
  const id = BigInt(task.snapshot);
  requirePlanned(table, task);
  const { files } = await fromSource(() => table.files(id));
  const scans = scansByPath(files);
  return task.splits.map((split) => {
    const own = scans.get(split.path);
    if (own === undefined) {
      const message = `snapshot ${task.snapshot} has no data file "${split.path}"`;
      throw new LhsError('invalid_argument', message);
    }
    const span = spanOf(split);
    return { split, parts: own.map((scan) => ({ scan, only: null, span })) };
  });
}

/** The splits with their deleted rows: the scan has read the deletes. */
async function readSplits(
  table: SourceTable,
  all: readonly SplitParts[],
): Promise<readonly ReadSplit[]> {
  const read: ReadSplit[] = [];
  for (const { split, parts } of all) {
    const { from = 0, to = Number.POSITIVE_INFINITY } = split;
    let deleted = 0;
    for (const { scan } of parts) {
      if (scan.deletes.length === 0) continue;
      const dead = await fromSource(() => table.deadPositions(scan));
      deleted += dead.filter((position) => position >= from && position < to).length;
    }
    read.push({ ...split, deleted });
  }
  return read;
}

const whatWasLeft = ({ droppedDuplicates, skipped, leftOut }: RebuildResult) => ({
  ...(skipped.committed() === null ? {} : { skipped: skipped.part() }),
  ...(droppedDuplicates === 0 ? {} : { dropped_duplicates: droppedDuplicates }),
  ...(leftOut.size === 0 ? {} : { untyped_values: Object.fromEntries(leftOut) }),
});

/** Sends the segments. A twin may have sent the same bytes under the same name. */
async function send(
  home: Home,
  task: BuildTask,
  directory: Directory,
  { commit }: RebuildResult,
  signal: AbortSignal | undefined,
): Promise<Pick<TaskResult, 'bundle' | 'files'>> {
  const idle = () => undefined;
  const folder = directory.path;
  const bytes = directory.read(COMMIT_FILE);
  const copied = { commit, bytes, generation: 1, folder, renew: idle, release: idle };
  const cached = await cachedFields(task.definition, commit);
  const inputs = commitInputs(copied, openLocalDirectory, cached);
  const { ref, names, parts } = await makeBundle(inputs, () => refuseAborted(signal));
  const bundle = { ...ref, object: taskBundle(task, ref) };
  await inStore(() => home.store.put(bundleKey(task.family, bundle), parts, { signal }));
  return { bundle, files: names };
}

function segmentsIn(directory: Directory, { key }: Mapping): TaskResult['segments'] {
  const snapshot = openSnapshot(directory);
  try {
    const keyAt = ({ keys, docs }: SegmentReader, rank: number) =>
      formatKey(coordinatesOf(key, keys.key(keys.ranks?.indexOf(rank) ?? Math.min(rank, docs))));
    return snapshot.segments.map((segment) => ({
      id: segment.id,
      docs: segment.docs,
      keys: [keyAt(segment, 0), keyAt(segment, segment.docs - 1)],
    }));
  } finally {
    snapshot.release();
  }
}
