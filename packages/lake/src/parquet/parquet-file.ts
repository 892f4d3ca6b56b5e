/**
 * An open Parquet file: its footer is read once, the page directory of a column chunk when it is
 * first needed, pages through a cache. Nothing else is read.
 */
import { type FileStore, localFiles } from '../base/files/file-store.ts';
import type { FileRole, RandomAccessFile } from '../base/files/random-access-file.ts';
import { LIMITS } from '../base/limits.ts';
import type { PageValues } from './encodings/page-values.ts';
import { type FaultPlace, parquetFault, parquetLimit } from './fault.ts';
import { type ByteRange, type Footer, readFooter, readKeyValue } from './footer.ts';
import { joinPages } from './join-pages.ts';
import { decodeDictionary, decodePage, type LeafPage, type PageContext } from './page.ts';
import { newCacheOwner, PageCache } from './page-cache.ts';
import {
  type PageBounds,
  type PageDirectory,
  pageOf,
  parseColumnIndex,
  readPageDirectory,
} from './page-directory.ts';
import { readPageHeader } from './page-header.ts';
import type { RowCache } from './row-cache.ts';
import type { LeafNode, SchemaTree } from './schema-tree.ts';

/** Bytes and requests that reads have cost; the caller's object is added to. */
export interface ByteCost {
  bytes: number;
  requests: number;
}

/** Pages of one column, decoded, and the rows that they hold. Rows count from the file's start. */
export interface LoadedPage {
  readonly firstRow: number;
  readonly rows: number;
  readonly page: LeafPage;
  /** Entry at which each row begins, `rows + 1` of them; null if entry i is row i. */
  readonly rowStarts: Int32Array | null;
  /** Memory that the pages take, with the dictionary that they refer to. */
  readonly bytes: number;
}

/** How a file is opened. */
export interface OpenOptions {
  /** Default `data`: errors are then `data_file_*`. */
  readonly role?: FileRole;
  /** Shared between files; default a small one of the file's own. */
  readonly pages?: PageCache;
  /** Rows that `readKeptRows` read, shared between files; default none are kept. */
  readonly rows?: RowCache;
  readonly cost?: ByteCost;
  /** Where the file is; default a disk of this machine. */
  readonly store?: FileStore;
}

const OWN_CACHE_BYTES = 16 * 1024 * 1024;

/**
 * Opens a Parquet file and reads its footer. Throws `data_file_missing`, `data_file_invalid` (or
 * `delete_file_*`), `limit_exceeded` or `unsupported` (encryption).
 */
export async function openParquet(path: string, options: OpenOptions = {}): Promise<ParquetFile> {
  const { role = 'data', store = localFiles } = options;
  return openParquetFile(await store.open(path, role), options);
}

/** As `openParquet`, over a file that is open already; the ParquetFile then owns it. */
export async function openParquetFile(
  file: RandomAccessFile,
  options: OpenOptions = {},
): Promise<ParquetFile> {
  const place = { path: file.path, role: options.role ?? 'data' };
  try {
    const counted = countingFile(file, options.cost);
    const footer = await readFooter(counted, place);
    return new ParquetFile(file, place, footer, options.pages, options.rows);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A Parquet file that stays open until `close`; made by `openParquet`. */
export class ParquetFile {
  readonly place: FaultPlace;
  readonly footer: Footer;
  readonly #file: RandomAccessFile;
  readonly #pages: PageCache;
  readonly #owner: string;
  readonly #rowCache: RowCache | null;
  #pagesDecoded = 0;
  readonly #directories = new Map<string, Promise<PageDirectory>>();

  constructor(
    file: RandomAccessFile,
    place: FaultPlace,
    footer: Footer,
    pages = new PageCache(OWN_CACHE_BYTES),
    rowCache: RowCache | null = null,
  ) {
    this.#file = file;
    this.place = place;
    this.footer = footer;
    this.#pages = pages;
    this.#owner = newCacheOwner();
    this.#rowCache = rowCache;
  }

  get path(): string {
    return this.place.path;
  }
  /** Bytes of the whole file. */
  get size(): number {
    return this.#file.size;
  }
  get rows(): number {
    return this.footer.rows;
  }
  /** The text that a writer stored under a key of the file's metadata, or null. */
  keyValue(key: string): Promise<string | null> {
    return readKeyValue(this.#file, key, this.place);
  }
  get schema(): SchemaTree {
    return this.footer.schema;
  }

  /**
   * The cache of the file's rows, and the prefix of the keys of rows that are read as `columns`
   * describes them; null if rows are not kept.
   */
  keptRows(columns: string): { readonly cache: RowCache; readonly prefix: string } | null {
    if (this.#rowCache === null) return null;
    return { cache: this.#rowCache, prefix: `${this.#owner}${columns}/` };
  }

  /** Pages that were not in the cache so far. */
  get pagesDecoded(): number {
    return this.#pagesDecoded;
  }

  /** The index of the row group that holds `row`. */
  groupOf(row: number): number {
    const groups = this.footer.rowGroups;
    let low = 0;
    let high = groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (groups[middle].firstRow <= row) low = middle;
      else high = middle - 1;
    }
    // empty groups share their first row with the one that follows
    return low;
  }

  /** The page list of a column chunk. */
  directory(group: number, column: number, cost?: ByteCost): Promise<PageDirectory> {
    const key = `${group}/${column}`;
    let directory = this.#directories.get(key);
    if (directory === undefined) {
      const { chunks, rows } = this.footer.rowGroups[group];
      const leaf = this.schema.leaves[column];
      const chunk = { chunk: chunks[column], leaf, rows, place: this.place };
      directory = readPageDirectory(chunk, (offset, length) => this.#read(offset, length, cost));
      this.#directories.set(key, directory);
      directory.catch(() => this.#directories.delete(key));
    }
    return directory;
  }

  /** Whether each read costs a request: then `readAhead` is worth its work. */
  get readsAhead(): boolean {
    return this.#file.readAhead !== undefined;
  }

  /**
   * Begins to read the pages of rows in some leaves: page lists side by side, then pages and
   * dictionaries side by side. Pages that are kept decoded are left out.
   * Returns a function that drops what was not read.
   */
  async readAhead(
    leaves: readonly LeafNode[],
    rows: Int32Array,
    cost?: ByteCost,
  ): Promise<() => void> {
    const { readAhead } = this.#file;
    if (readAhead === undefined) return () => {};
    const groups = new Map<number, number[]>();
    for (const row of rows) {
      const group = this.groupOf(row);
      const list = groups.get(group);
      if (list === undefined) groups.set(group, [row]);
      else list.push(row);
    }
    const places = [...groups].flatMap(([group, own]) =>
      leaves.map(({ column }) => ({ group, column, own })),
    );
    const ranges = await Promise.all(
      places.map(({ group, column, own }) => this.#rangesOf(group, column, own, cost)),
    );
    return readAhead(ranges.flat());
  }

  /** The ranges of the pages of rows of a chunk that are not kept decoded. */
  async #rangesOf(
    group: number,
    column: number,
    rows: readonly number[],
    cost: ByteCost | undefined,
  ): Promise<readonly ByteRange[]> {
    const directory = await this.directory(group, column, cost);
    const { firstRow } = this.footer.rowGroups[group];
    const pages = new Set(rows.map((row) => pageOf(directory, row - firstRow)));
    const key = `${this.#owner}${group}/${column}/`;
    const absent = [...pages].filter((index) => !this.#pages.has(`${key}${index}`));
    const ranges = absent.flatMap((index) => directory.pages[index]?.ranges ?? []);
    const { dictionary } = directory;
    if (ranges.length === 0 || dictionary === null) return ranges;
    return this.#pages.has(`${key}dictionary`) ? ranges : [dictionary, ...ranges];
  }

  /** The bounds of a chunk's pages, or null if the file keeps none. */
  async bounds(group: number, column: number, cost?: ByteCost): Promise<PageBounds | null> {
    const range = this.footer.rowGroups[group].chunks[column].columnIndex;
    if (range === null || range.length > LIMITS.parquetFooterBytes) return null;
    const { pages } = await this.directory(group, column, cost);
    const bytes = await this.#read(range.offset, range.length, cost);
    return parseColumnIndex(bytes, pages.length, this.place);
  }

  /** Page `index` of a chunk's directory, decoded. */
  async page(group: number, column: number, index: number, cost?: ByteCost): Promise<LoadedPage> {
    const key = `${this.#owner}${group}/${column}/${index}`;
    return this.#pages.get(key, async () => {
      const loaded = await this.#loadPage(group, column, index, cost);
      return { value: loaded, bytes: loaded.page.bytes + (loaded.rowStarts?.byteLength ?? 0) };
    });
  }

  /** Closes the file; its pages leave the cache. */
  async close(): Promise<void> {
    this.#pages.forget(this.#owner);
    this.#rowCache?.forget(this.#owner);
    await this.#file.close();
  }

  async #loadPage(
    group: number,
    column: number,
    index: number,
    cost: ByteCost | undefined,
  ): Promise<LoadedPage> {
    this.#pagesDecoded++;
    const directory = await this.directory(group, column, cost);
    const ref = directory.pages[index];
    const parts: LeafPage[] = [];
    let bytes = 0;
    for (const range of ref.ranges) {
      const { header, stored } = await this.#stored(range, cost);
      const inDictionary = header.encoding === 2 || header.encoding === 8;
      const dictionary = inDictionary
        ? await this.#dictionary(group, column, directory.dictionary, cost)
        : null;
      const part = await decodePage(this.#context(group, column), header, stored, dictionary);
      bytes += part.bytes;
      if (bytes > LIMITS.loadedPagesBytes) throw this.#tooLarge(column);
      if (parts.push(part) === 1) bytes += dictionary?.bytes ?? 0;
    }
    const page =
      parts.length === 1 ? parts[0] : joinPages(parts, this.schema.leaves[column].definition);
    const firstRow = this.footer.rowGroups[group].firstRow + ref.firstRow;
    const rowStarts = this.#rowStarts(column, page, ref.rows);
    bytes += rowStarts?.byteLength ?? 0;
    return { firstRow, rows: ref.rows, page, rowStarts, bytes };
  }

  #tooLarge(column: number): Error {
    const { path } = this.schema.leaves[column];
    const most = LIMITS.loadedPagesBytes;
    return parquetLimit(
      this.place,
      `rows of "${path}" lie in pages of more than ${most} bytes; leave the column out, or ` +
        'rewrite the file with an offset index or smaller row groups',
    );
  }

  async #dictionary(
    group: number,
    column: number,
    range: ByteRange | null,
    cost: ByteCost | undefined,
  ): Promise<PageValues | null> {
    if (range === null) return null;
    return this.#pages.get(`${this.#owner}${group}/${column}/dictionary`, async () => {
      const { header, stored } = await this.#stored(range, cost);
      if (header.kind !== 'dictionary') {
        throw parquetFault(this.place, `a ${header.kind} page stands where a dictionary belongs`);
      }
      const value = await decodeDictionary(this.#context(group, column), header, stored);
      return { value, bytes: value.bytes };
    });
  }

  async #stored(range: ByteRange, cost: ByteCost | undefined) {
    if (range.length > LIMITS.parquetPageBytes) {
      throw parquetFault(this.place, `a page of ${range.length} bytes`);
    }
    const bytes = await this.#read(range.offset, range.length, cost);
    const header = readPageHeader(bytes, this.place);
    const end = header.headerBytes + header.storedBytes;
    if (end > bytes.length) {
      throw parquetFault(this.place, `a page needs ${end} bytes, its index says ${bytes.length}`);
    }
    return { header, stored: bytes.subarray(header.headerBytes, end) };
  }

  #context(group: number, column: number): PageContext {
    const { codec } = this.footer.rowGroups[group].chunks[column];
    return { leaf: this.schema.leaves[column], codec, place: this.place };
  }

  #rowStarts(column: number, page: LeafPage, rows: number): Int32Array | null {
    const leaf = this.schema.leaves[column];
    const starts = page.repetition === null ? null : new Int32Array(rows + 1);
    let found = page.entries;
    if (starts !== null && page.repetition !== null) {
      found = 0;
      for (let entry = 0; entry < page.entries; entry++) {
        if (page.repetition[entry] !== 0) continue;
        if (found < rows) starts[found] = entry;
        found++;
      }
      starts[rows] = page.entries;
    }
    if (found !== rows || (starts !== null && rows > 0 && starts[0] !== 0)) {
      throw parquetFault(this.place, `a page of "${leaf.path}" holds ${found} rows, not ${rows}`);
    }
    return starts;
  }

  async #read(offset: number, length: number, cost: ByteCost | undefined): Promise<Uint8Array> {
    return countingFile(this.#file, cost).read(offset, length);
  }
}

function countingFile(file: RandomAccessFile, cost: ByteCost | undefined): RandomAccessFile {
  if (cost === undefined) return file;
  return {
    path: file.path,
    size: file.size,
    async read(offset, length) {
      cost.bytes += length;
      cost.requests++;
      return file.read(offset, length);
    },
    close: () => file.close(),
  };
}
