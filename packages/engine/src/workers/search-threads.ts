import { requestText } from '../base/request-text.ts';
import type { Deadline, TimeLeft } from '../base/time/deadline.ts';
import { inTurns } from '../base/turns.ts';
import { encodeCommit } from '../index/commits/commit-format.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { OpenIndex } from '../open/open-index.ts';
import { type AnswerOf, type RequestOf, type RunOperation, shardFrom } from '../shard/bytes.ts';
import type { Awaitable, Shard, ShardOperation } from '../shard/shard.ts';
import { type LongAnswer, readingAnswer } from './long-answer.ts';
import {
  type CommitSource,
  type ExportTexts,
  type ExportWork,
  fromBytes,
  type ReadName,
  toBytes,
} from './messages.ts';
import { CommitUnopened } from './search-thread.ts';
import { type PoolCall, WorkerPool } from './worker-pool.ts';

/** Whose work runs in the threads, and until when it is wanted. */
export type Caller = Pick<PoolCall, 'signal' | 'share'>;

/** A read that a thread may answer whole. */
export interface ThreadRead {
  readonly read: ReadName;
  /** A request that was checked. */
  readonly request: object;
  readonly tenant: string | undefined;
  readonly deadline: Deadline;
  /** Whose turn of the threads the read takes. */
  readonly share: string;
}

/**
 * The search threads of an engine, and the commits that they know. A read that needs only the
 * shards of a commit runs in one thread as a whole. Of other reads, and of reads of several shards
 * while threads are idle, the operations of single shards run in the threads.
 */
export class SearchThreads {
  readonly #pool: WorkerPool;
  readonly #sources = new WeakMap<IndexSnapshot, CommitSource>();
  #commits = 0;

  /**
   * `threads`: how many threads, 1 or more, each with a heap of `heapBytes`. None is started
   * before the first call. Calls end when
   * `closing` is aborted.
   */
  constructor(threads: number, closing: AbortSignal, heapBytes?: number) {
    this.#pool = new WorkerPool({ threads, heapBytes });
    closing.addEventListener('abort', () => this.#pool.stop());
  }

  /**
   * The response to a read, without what only the engine knows (the lag); null: it is not to run in
   * a thread as a whole. Throws what the read throws.
   */
  async read(open: OpenIndex, { deadline, share, ...work }: ThreadRead): Promise<object | null> {
    const source = this.#sourceOf(open);
    if (source === null || this.#spreads(open)) return null;
    const request = requestText(work.request);
    try {
      const answer = await this.#pool.run({
        source,
        time: deadline.left,
        signal: deadline.signal,
        share,
        work: (time) => ({ kind: 'read', ...work, request, time: time as TimeLeft }),
      });
      if (answer === null) return null;
      if (typeof answer === 'string') return JSON.parse(answer) as object;
      return await inTurns(readingAnswer(answer as LongAnswer));
    } catch (error) {
      if (error instanceof CommitUnopened) return null;
      throw error;
    }
  }

  /** A page of an export; null: it is not to run in a thread. Throws what its search throws. */
  async exportPage(open: OpenIndex, work: ExportWork, caller: Caller): Promise<ExportTexts | null> {
    const source = this.#sourceOf(open);
    if (source === null) return null;
    try {
      const isPatient = true;
      const answer = await this.#pool.run({ source, ...caller, isPatient, work: () => work });
      return answer as ExportTexts | null;
    } catch (error) {
      if (error instanceof CommitUnopened) return null;
      throw error;
    }
  }

  /**
   * The shards of an open commit, whose operations run in the threads. `local`: the same shards in
   * this thread, which answer when the commit's files are gone for new readers.
   */
  shardsOf(open: OpenIndex, local: readonly Shard[], caller: Caller): readonly Shard[] {
    const source = this.#sourceOf(open);
    if (source === null) return local;
    return local.map((own, shard) => shardFrom(this.#operations(source, shard, own, caller)));
  }

  /**
   * True when the shards of a commit would answer side by side: several threads have no task, and
   * no segment would be read by several shards.
   */
  #spreads({ snapshot }: OpenIndex): boolean {
    const isShared = snapshot.commit.segments.some(({ parts }) => parts !== undefined);
    return snapshot.shards.length > 1 && !isShared && this.#pool.idle > 1;
  }

  /** What the threads have read of cold windows. */
  get coldFigures(): readonly Float64Array[] {
    return this.#pool.coldFigures;
  }

  /** Ends all threads. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  #operations(source: CommitSource, shard: number, local: Shard, caller: Caller): RunOperation {
    return async <Name extends ShardOperation>(operation: Name, request: RequestOf<Name>) => {
      const { time: limit } = request as { readonly time?: TimeLeft };
      const work = (time: TimeLeft | undefined) => {
        const timed = time === undefined ? request : { ...request, time };
        return { kind: 'shard', shard, operation, request: toBytes(timed) } as const;
      };
      try {
        const answer = await this.#pool.run({ source, time: limit, ...caller, work });
        return fromBytes(answer as Uint8Array) as AnswerOf<Name>;
      } catch (error) {
        if (!(error instanceof CommitUnopened)) throw error;
        const call = local[operation] as (request: RequestOf<Name>) => Awaitable<AnswerOf<Name>>;
        return call.call(local, request);
      }
    };
  }

  /** What a thread opens; null: the commit has no files. */
  #sourceOf({ snapshot, mapping }: OpenIndex): CommitSource | null {
    const known = this.#sources.get(snapshot);
    if (known !== undefined) return known;
    const path = snapshot.segments[0]?.path;
    if (path === undefined) return null;
    const id = ++this.#commits;
    const { generation, commit } = snapshot;
    const bytes = encodeCommit(commit);
    const source = { id, path, generation, bytes, definition: mapping.definition };
    this.#sources.set(snapshot, source);
    snapshot.whenReleased(() => this.#pool.release(id));
    return source;
  }
}
