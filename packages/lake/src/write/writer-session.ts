import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DuckDBAppender } from '@duckdb/node-api';
import { eachOf } from '../base/each-of.ts';
import { LakeError } from '../base/errors.ts';
import type { FileStore } from '../base/files/file-store.ts';
import type { TableFiles } from '../base/files/table-files.ts';
import { WorkFolder } from '../base/files/work-folder.ts';
import { LIMITS } from '../base/limits.ts';
import { isObjectPath } from '../base/object-storage.ts';
import { controlGroupMemory, memoryShare } from '../base/usable-memory.ts';
import { type OpenDuckDb, openDuckDb } from '../scan/duckdb/open-duckdb.ts';
import { memoryFault } from './memory-fault.ts';
import { sqlFault } from './sql-fault.ts';
import { type WriteProgress, type WriteWatch, watched } from './write-progress.ts';

/** What a session may read and how it works. */
export interface SessionOptions {
  /** Input files: absolute paths. */
  readonly inputs: readonly string[];
  /** The local folder in which it works (`workFolderOf`); made if it is missing. */
  readonly folder: string;
  /** Default: as many as there are cores, four at most. */
  readonly threads?: number;
  readonly watch?: WriteWatch;
}

/** The share of a stage for the following statements: progress runs from `from` to `to`. */
export interface Stage {
  readonly phase: WriteProgress['phase'];
  readonly rows: number;
  readonly from: number;
  readonly to: number;
}

/** Files that are uploaded at a time. */
const UPLOADS = 4;

/** The local folder for a write into a table: that of its data, or of copies of a remote table. */
export const workFolderOf = ({ store, record, resolve }: TableFiles): Promise<string> =>
  store.workParent(resolve(record('data')));

/** Less than this is not enough for the buffers of DuckDB's threads. */
const LEAST_MEMORY = 128 * 2 ** 20;
/** Memory of the process besides the memory of DuckDB: 66 to 101 MiB were measured. */
const PROCESS_MEMORY = 112 * 2 ** 20;

/** Memory of DuckDB that two threads exceed: 323 MiB were measured in a process with half of it. */
const TWO_THREADS = 256 * 2 ** 20;

const usualThreads = (memoryBytes: number): number =>
  memoryBytes < TWO_THREADS ? 1 : Math.min(4, availableParallelism());

/** The memory of DuckDB in a write. */
export const writerMemory = (watch: WriteWatch | undefined): number =>
  watch?.memoryBytes ?? Math.max(LEAST_MEMORY, memoryShare(LIMITS.writerMemoryBytes, 1 / 2));

/**
 * The same. Throws invalid_argument for less than 128 MiB, and limit_exceeded if the control group
 * allows less than the process needs.
 */
function memoryOf(watch: WriteWatch | undefined): number {
  const bytes = writerMemory(watch);
  if (bytes < LEAST_MEMORY) {
    const message = `a writer needs at least 128 MiB of memory, not ${bytes} bytes`;
    throw new LakeError('invalid_argument', message);
  }
  const allowed = controlGroupMemory();
  if (allowed === null || bytes + PROCESS_MEMORY <= allowed) return bytes;
  const [needed, most] = [bytes + PROCESS_MEMORY, allowed].map((b) => Math.floor(b / 2 ** 20));
  const message = `a writer with ${Math.floor(bytes / 2 ** 20)} MiB of memory needs ${needed} MiB`;
  throw new LakeError(
    'limit_exceeded',
    `${message} in all, and the control group (container) of this process allows ${most} MiB`,
  );
}

/**
 * A DuckDB of its own for one write. It reads the input files and writes into a work folder inside
 * `folder`, nothing else (`openDuckDb`). Finished files are moved to their places
 * by `publish`; the rest is deleted by `close`, or by the next write if this process is killed.
 */
export class WriterSession {
  readonly #folder: WorkFolder;
  readonly #duckdb: OpenDuckDb;
  readonly #options: SessionOptions;
  /** The memory that DuckDB may use. */
  readonly memoryBytes: number;
  #stage: Stage | null = null;

  private constructor(
    folder: WorkFolder,
    duckdb: OpenDuckDb,
    options: SessionOptions,
    memoryBytes: number,
  ) {
    this.memoryBytes = memoryBytes;
    this.#folder = folder;
    this.#duckdb = duckdb;
    this.#options = options;
  }

  /**
   * Opens a session. Throws as `memoryOf`, as `makeFolder` if the folder cannot be written, and
   * out_of_memory if the system has none for DuckDB.
   */
  static async open(options: SessionOptions): Promise<WriterSession> {
    const memoryBytes = memoryOf(options.watch);
    const folder = await WorkFolder.make(options.folder);
    try {
      const duckdb = await openDuckDb({
        reads: options.inputs,
        threads: options.threads ?? usualThreads(memoryBytes),
        memoryBytes,
        spillBytes: LIMITS.writerSpillBytes,
        folder,
      });
      return new WriterSession(folder, duckdb, options, memoryBytes);
    } catch (error) {
      folder.remove();
      throw memoryFault(error);
    }
  }

  /** A new path in the work folder, for a file or a folder. */
  newPath(extension = ''): string {
    return join(this.#folder.path, randomUUID() + extension);
  }

  /** What the following statements are part of, for progress. */
  enter(stage: Stage): void {
    this.#stage = stage;
    this.#report(0);
  }

  /** Runs a statement. Throws as `sqlFault`, and AbortError when the watch's signal aborts. */
  async run(sql: string): Promise<void> {
    await this.#guard(() => this.#duckdb.connection.run(sql));
  }

  /** All rows of a small result, as JavaScript values of DuckDB's node API. Throws as `run`. */
  async rows(sql: string) {
    return this.#guard(async () => (await this.#duckdb.connection.runAndReadAll(sql)).getRows());
  }

  /** The rows of a result in chunks of at most 2,048. Throws as `run`. */
  async *chunks(sql: string) {
    const result = await this.#guard(() => this.#duckdb.connection.stream(sql));
    for (;;) {
      const chunk = await this.#guard(() => result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) return;
      yield chunk.getRows();
    }
  }

  /**
   * Appends rows to a table while other results of the session are read: an appender on their
   * connection would end them without a word. `fill` gets the appender.
   */
  async append(table: string, fill: (to: DuckDBAppender) => Promise<void>): Promise<void> {
    await this.#duckdb.use(async () => {
      const connection = await this.#duckdb.instance.connect();
      try {
        const appender = await connection.createAppender(table);
        await fill(appender);
        appender.closeSync();
      } finally {
        connection.closeSync();
      }
    });
  }

  /** Moves files to their places in a store. If one fails, none stays there. */
  async publish(
    moves: readonly { readonly from: string; readonly to: string }[],
    store: FileStore,
  ): Promise<void> {
    const isUpload = moves.some(({ to }) => isObjectPath(to));
    if (isUpload) this.enter({ phase: 'uploading', rows: 0, from: 0, to: 1 });
    let done = 0;
    try {
      await eachOf(moves, isUpload ? UPLOADS : 1, async ({ from, to }) => {
        await store.write(to, { file: from }, this.#options.watch?.signal);
        if (isUpload) this.#report(++done / moves.length);
      });
    } catch (error) {
      await store.remove(moves.map(({ to }) => to));
      throw error;
    }
  }

  /** Interrupts what runs, frees the instance and deletes the work folder. */
  close(): void {
    this.#duckdb.close();
    this.#folder.remove();
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    const { watch, inputs } = this.#options;
    watch?.signal?.throwIfAborted();
    const onShare = watch?.onProgress && ((share: number) => this.#report(share));
    try {
      const { connection } = this.#duckdb;
      const done = this.#duckdb.use(() => watched(connection, watch?.signal, onShare, work));
      return await Promise.race([done, aborted(watch?.signal)]);
    } catch (cause) {
      watch?.signal?.throwIfAborted();
      throw sqlFault(cause, inputs, this.memoryBytes);
    }
  }

  #report(share: number): void {
    if (this.#stage === null) return;
    const { phase, rows, from, to } = this.#stage;
    this.#options.watch?.onProgress?.({ phase, rows, share: from + share * (to - from) });
  }
}

/**
 * Rejects when the signal aborts: DuckDB cannot be interrupted while it plans a statement, which
 * takes minutes for thousands of columns. `close` waits for the statement before it frees DuckDB.
 */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
