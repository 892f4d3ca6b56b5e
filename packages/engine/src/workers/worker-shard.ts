import type { Awaitable, Shard, ShardOperation } from '../shard/shard.ts';
import type { CommitSource } from './messages.ts';
import { CommitUnopened } from './search-thread.ts';
import type { WorkerPool } from './worker-pool.ts';

type Request<K extends ShardOperation> = Parameters<Shard[K]>[0];
type Answer<K extends ShardOperation> = Awaited<ReturnType<Shard[K]>>;

/** A shard whose operations run in search threads. */
export interface WorkerShardOptions {
  readonly pool: WorkerPool;
  readonly source: CommitSource;
  readonly shard: number;
  /** The same shard in this thread: it answers when the commit's files are gone for new readers. */
  readonly local: Shard;
  readonly signal?: AbortSignal | undefined;
}

/** One shard of an open commit, by the threads of a pool. */
export class WorkerShard implements Shard {
  readonly #options: WorkerShardOptions;

  constructor(options: WorkerShardOptions) {
    this.#options = options;
  }

  statistics(request: Request<'statistics'>) {
    return this.#run('statistics', request);
  }

  search(request: Request<'search'>) {
    return this.#run('search', request);
  }

  nearest(request: Request<'nearest'>) {
    return this.#run('nearest', request);
  }

  aggregate(request: Request<'aggregate'>) {
    return this.#run('aggregate', request);
  }

  suggest(request: Request<'suggest'>) {
    return this.#run('suggest', request);
  }

  keys(request: Request<'keys'>) {
    return this.#run('keys', request);
  }

  explain(request: Request<'explain'>) {
    return this.#run('explain', request);
  }

  fetch(request: Request<'fetch'>) {
    return this.#run('fetch', request);
  }

  async #run<K extends ShardOperation>(operation: K, request: Request<K>): Promise<Answer<K>> {
    const { pool, source, shard, local, signal } = this.#options;
    try {
      return (await pool.run({ source, shard, operation, request, signal })) as Answer<K>;
    } catch (error) {
      if (!(error instanceof CommitUnopened)) throw error;
      const call = local[operation] as (request: Request<K>) => Awaitable<Answer<K>>;
      return call.call(local, request);
    }
  }
}
