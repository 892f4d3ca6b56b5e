import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { OpenIndex } from '../open/open-index.ts';
import type { Shard } from '../shard/shard.ts';
import type { CommitSource } from './messages.ts';
import { WorkerPool } from './worker-pool.ts';
import { WorkerShard } from './worker-shard.ts';

/** The search threads of an engine, and the commits that they know. */
export class SearchThreads {
  readonly #pool: WorkerPool;
  readonly #sources = new WeakMap<IndexSnapshot, CommitSource>();
  #commits = 0;

  /** `threads`: how many threads, 1 or more. None is started before the first call. */
  constructor(threads: number) {
    this.#pool = new WorkerPool({ threads });
  }

  /**
   * The shards of an open commit, whose operations run in the threads. `local`: the same shards in
   * this thread. `signal` aborts their operations.
   */
  shardsOf(
    open: OpenIndex,
    local: readonly Shard[],
    signal: AbortSignal | undefined,
  ): readonly Shard[] {
    const source = this.#sourceOf(open);
    if (source === null) return local;
    return local.map((shard, number) => {
      return new WorkerShard({ pool: this.#pool, source, shard: number, local: shard, signal });
    });
  }

  /** Ends all threads. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** What a thread opens; null: the commit has no files. */
  #sourceOf({ snapshot, mapping }: OpenIndex): CommitSource | null {
    const known = this.#sources.get(snapshot);
    if (known !== undefined) return known;
    const path = snapshot.segments[0]?.path;
    if (path === undefined) return null;
    const id = ++this.#commits;
    const { generation, commit } = snapshot;
    const source = { id, path, generation, commit, definition: mapping.definition };
    this.#sources.set(snapshot, source);
    snapshot.whenReleased(() => this.#pool.release(id));
    return source;
  }
}
