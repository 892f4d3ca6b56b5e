/**
 * A search thread: it opens the commits that it is told to open, and runs operations of their
 * shards, one message after the other. A task that was canceled ends at the next look at the clock.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { divideKeptBytes } from '../base/cache-budget.ts';
import { SYSTEM_CLOCK } from '../base/clock.ts';
import { LIMITS } from '../base/limits.ts';
import { IndexSnapshot, openSegments } from '../index/index-snapshot.ts';
import { analyzersOf } from '../open/definition-analyzers.ts';
import { withMapping } from '../open/open-index.ts';
import { answerToPlain, errorToPlain } from '../shard/bytes.ts';
import { FilterCache } from '../shard/execute/filter-cache.ts';
import { localShards } from '../shard/local-shard.ts';
import type { Shard } from '../shard/shard.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { Verification } from '../storage/verification.ts';
import {
  type CommitSource,
  type FromThread,
  fromBytes,
  type ThreadCall,
  type ThreadSettings,
  type ToThread,
  toBytes,
} from './messages.ts';

interface OpenCommit {
  readonly source: CommitSource;
  readonly snapshot: IndexSnapshot;
  readonly shards: readonly Shard[];
}

const { threads, canceled } = workerData as ThreadSettings;
divideKeptBytes(threads);
const filters = new FilterCache(Math.floor(LIMITS.filterCacheBytes / threads));
const commits = new Map<number, OpenCommit>();
let running = 0;

/** For a task that was canceled the time is over. */
const clock = {
  ticks: () => (Atomics.load(canceled, 0) === running ? Infinity : SYSTEM_CLOCK.ticks()),
};

/** Opens a commit; its calls are answered by `unopened` when that fails. */
function open(source: CommitSource): void {
  const { path, generation, commit, definition } = source;
  const former = [...commits.values()].findLast((other) => other.source.path === path)?.snapshot;
  const directory = openLocalDirectory(path);
  const verification = new Verification(directory);
  try {
    const segments = openSegments(directory, commit, verification, former?.segments);
    const snapshot = new IndexSnapshot(generation, commit, segments, verification, () => {});
    const analyzerOf = analyzersOf(definition.analyzers);
    const { mapping } = withMapping(snapshot, String(source.id), definition, analyzerOf);
    const shards = localShards(snapshot, mapping, { filters, clock });
    commits.set(source.id, { source, snapshot, shards });
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
  }
}

function close(id: number): void {
  const gone = commits.get(id);
  if (gone === undefined) return;
  commits.delete(id);
  const left = [...commits.values()].flatMap(({ snapshot }) => snapshot.segments);
  filters.replaced(gone.snapshot.segments, left);
  gone.snapshot.release();
}

async function answer({
  task,
  commit,
  shard,
  operation,
  request,
}: ThreadCall): Promise<FromThread> {
  const found = commits.get(commit);
  if (found === undefined) return { kind: 'unopened', task };
  running = task;
  try {
    const call = found.shards[shard][operation] as (request: unknown) => unknown;
    const result = await call.call(found.shards[shard], fromBytes(request));
    return { kind: 'done', task, answer: toBytes(answerToPlain(operation, result)) };
  } catch (error) {
    return { kind: 'failed', task, error: errorToPlain(error) };
  }
}

async function handle(message: ToThread): Promise<void> {
  if (message.kind === 'open') open(message.source);
  else if (message.kind === 'close') close(message.commit);
  else parentPort?.postMessage(await answer(message));
}

let last = Promise.resolve();
parentPort?.on('message', (message: ToThread) => {
  last = last.then(() => handle(message));
});
