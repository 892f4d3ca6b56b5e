import { LakeError } from '../base/errors.ts';
import { warnOfLength } from '../base/files/file-length.ts';
import type { FileStore } from '../base/files/file-store.ts';
import type { TableFiles } from '../base/files/table-files.ts';
import { LIMITS } from '../base/limits.ts';
import { memoryShare } from '../base/usable-memory.ts';
import type { DataFile } from '../metadata/file-set.ts';
import { PageCache } from '../parquet/page-cache.ts';
import { type ByteCost, openParquet, type ParquetFile } from '../parquet/parquet-file.ts';
import { RowCache } from '../parquet/row-cache.ts';
import type { DeadRows } from '../scan/deletes.ts';
import type { ReadContext } from '../scan/read-context.ts';

/** What look-ups need of a table; all three live as long as the table object. */
export interface LookupTable {
  readonly context: ReadContext;
  readonly dead: DeadRows;
  readonly files: LookupFiles;
}

/** One budget each for all tables of the process, made for the memory that it may use then. */
let shared: { readonly pages: PageCache; readonly rows: RowCache } | undefined;
function sharedCaches() {
  shared ??= {
    pages: new PageCache(memoryShare(LIMITS.pageCacheBytes, 1 / 16)),
    rows: new RowCache(memoryShare(LIMITS.rowCacheBytes, 1 / 32)),
  };
  return shared;
}

/**
 * The Parquet data files that look-ups have open, the least recently used closed first, over one
 * cache of decoded pages. A file in use is closed only after its last user is done.
 */
export class LookupFiles {
  readonly #table: string;
  readonly #pages: PageCache;
  readonly #open = new Map<string, OpenFile>();
  /** Files that were dropped while in use, until they are closed. */
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  /**
   * `pageCacheBytes`: a cache of its own; default is the one that all tables of the process share.
   * `table`: the table's location, for warnings.
   */
  constructor(options: { readonly pageCacheBytes?: number; readonly table?: string } = {}) {
    this.#table = options.table ?? '';
    const { pageCacheBytes } = options;
    this.#pages =
      pageCacheBytes === undefined ? sharedCaches().pages : new PageCache(pageCacheBytes);
  }

  /**
   * Runs `run` over a data file of the table whose files are `files`. The file must match the
   * manifest entry `data`. After `close`, the file is opened for this call only. Throws
   * data_file_missing, data_file_invalid.
   */
  async use<T>(
    files: TableFiles,
    data: DataFile,
    cost: ByteCost | undefined,
    run: (file: ParquetFile) => Promise<T>,
  ): Promise<T> {
    const path = files.resolve(data.path);
    const entry = this.#entry({ path, store: files.store }, data, cost);
    entry.users++;
    if (this.#closed) this.#drop(path);
    try {
      return await run(await entry.file);
    } finally {
      entry.users--;
      if (entry.users === 0) {
        entry.unused();
        await entry.dropped;
      }
    }
  }

  /** Closes all files, those in use as soon as their users are done; it waits for them. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const path of [...this.#open.keys()]) this.#drop(path);
    while (this.#closing.size > 0) await Promise.all(this.#closing);
  }

  #entry(place: FilePlace, data: DataFile, cost: ByteCost | undefined): OpenFile {
    const { path } = place;
    const known = this.#open.get(path);
    if (known !== undefined) {
      this.#open.delete(path);
      this.#open.set(path, known);
      return known;
    }
    const entry: OpenFile = {
      file: openChecked(this.#table, place, data, this.#pages, cost),
      users: 0,
      dropped: null,
      unused: () => {},
    };
    entry.file.catch(() => this.#open.delete(path));
    this.#open.set(path, entry);
    if (this.#open.size > LIMITS.openDataFiles) {
      const [oldest] = this.#open.keys();
      this.#drop(oldest);
    }
    return entry;
  }

  #drop(path: string): void {
    const entry = this.#open.get(path);
    if (entry === undefined) return;
    this.#open.delete(path);
    const dropped = closedOnceUnused(entry).finally(() => this.#closing.delete(dropped));
    entry.dropped = dropped;
    this.#closing.add(dropped);
  }
}

interface FilePlace {
  readonly path: string;
  readonly store: FileStore;
}

interface OpenFile {
  readonly file: Promise<ParquetFile>;
  users: number;
  /** Fulfilled when the file is closed after its eviction. */
  dropped: Promise<void> | null;
  /** Called when the last user is done. */
  unused: () => void;
}

async function closedOnceUnused(entry: OpenFile): Promise<void> {
  if (entry.users > 0) {
    await new Promise<void>((resolve) => {
      entry.unused = resolve;
    });
  }
  try {
    await (await entry.file).close();
  } catch {
    // a file that could not be opened has nothing to close; its user has the error
  }
}

async function openChecked(
  table: string,
  { path, store }: FilePlace,
  data: DataFile,
  pages: PageCache,
  cost: ByteCost | undefined,
): Promise<ParquetFile> {
  const file = await openParquet(path, { pages, rows: sharedCaches().rows, cost, store });
  const { size: actual, rows } = file;
  if (rows === data.recordCount) {
    const recorded = data.fileSize;
    if (actual !== recorded) warnOfLength({ table, role: 'data', path, actual, recorded });
    return file;
  }
  await file.close();
  throw new LakeError(
    'data_file_invalid',
    `data file "${path}" has ${rows} rows, its manifest says ${data.recordCount}; ` +
      'restore it from a copy or rewrite the manifest',
    { file: path },
  );
}
