/**
 * Offsets and rows of the pages of a column chunk: from the offset index if the file has one
 * (parquet.thrift, OffsetIndex), else from the page headers, walked once without reading the pages.
 *
 * Pages of a repeated column may begin in the middle of a row when there is no offset index and
 * they are of version 1; then all pages of the chunk count as one.
 */

import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import { listAt, numberAt, readThrift, type ThriftValue } from './encodings/thrift.ts';
import { type FaultPlace, parquetFault, parquetLimit } from './fault.ts';
import type { ByteRange, ColumnChunk } from './footer.ts';
import { type PageHeader, readPageHeader } from './page-header.ts';
import type { LeafNode } from './schema-tree.ts';

/**
 * A run of rows and the pages (one, or all of the chunk) that hold them. Rows count from the row
 * group's start.
 */
export interface PageRef {
  readonly firstRow: number;
  readonly rows: number;
  readonly ranges: readonly ByteRange[];
}
/** The pages of a column chunk in row order, and its dictionary page if it has one. */
export interface PageDirectory {
  readonly pages: readonly PageRef[];
  readonly dictionary: ByteRange | null;
}

/** The index of the page that holds `row`, counted from the row group's start. */
export function pageOf({ pages }: PageDirectory, row: number): number {
  let low = 0;
  let high = pages.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (pages[middle].firstRow <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Reads a range of the file, counting its cost. */
export type ReadRange = (offset: number, length: number) => Promise<Uint8Array>;

/** What a directory is made from. */
export interface ChunkPlace {
  readonly chunk: ColumnChunk;
  readonly leaf: LeafNode;
  readonly rows: number;
  readonly place: FaultPlace;
}

/** The directory of a chunk. Throws the file's `*_invalid` error or `limit_exceeded`. */
export async function readPageDirectory(at: ChunkPlace, read: ReadRange): Promise<PageDirectory> {
  const directory =
    at.chunk.offsetIndex === null
      ? await walkPages(at, read)
      : fromOffsetIndex(at, await read(at.chunk.offsetIndex.offset, at.chunk.offsetIndex.length));
  let row = 0;
  for (const page of directory.pages) {
    if (page.firstRow !== row || page.rows < 0) throw broken(at, 'whose rows have gaps');
    row += page.rows;
  }
  if (row !== at.rows) throw broken(at, `for ${row} rows, its row group has ${at.rows}`);
  return directory;
}

function fromOffsetIndex(at: ChunkPlace, bytes: Uint8Array): PageDirectory {
  const { chunk, rows } = at;
  const end = chunk.start + chunk.length;
  const locations = listAt(readThrift(bytes, 0, at.place).struct, 1).map((location) => {
    if (!(location instanceof Map)) throw broken(at, 'that is no list');
    const offset = numberAt(location, 1) ?? -1;
    const length = numberAt(location, 2) ?? -1;
    if (offset < chunk.start || length <= 0 || offset + length > end) {
      throw broken(at, `with a page at ${offset} + ${length}, outside its chunk`);
    }
    return { range: { offset, length }, firstRow: numberAt(location, 3) ?? -1 };
  });
  const pages = locations.map(({ range, firstRow }, i) => ({
    firstRow,
    rows: (i + 1 < locations.length ? locations[i + 1].firstRow : rows) - firstRow,
    ranges: [range],
  }));
  const first = locations[0]?.range.offset ?? end;
  const dictionary =
    first > chunk.start ? { offset: chunk.start, length: first - chunk.start } : null;
  return { pages, dictionary };
}

interface WalkedPage {
  readonly header: PageHeader;
  readonly range: ByteRange;
}

async function walkPages(at: ChunkPlace, read: ReadRange): Promise<PageDirectory> {
  const walked = await walkHeaders(at, read);
  const data = walked.filter(({ header }) => header.kind === 'v1' || header.kind === 'v2');
  const dictionary = walked.find(({ header }) => header.kind === 'dictionary')?.range ?? null;
  if (at.leaf.repeat > 0 && data.some(({ header }) => header.kind === 'v1')) {
    const ranges = data.map(({ range }) => range);
    return { pages: [{ firstRow: 0, rows: at.rows, ranges }], dictionary };
  }
  let firstRow = 0;
  const pages = data.map(({ header, range }) => {
    const rows = header.kind === 'v2' ? header.rows : header.valueCount;
    firstRow += rows;
    return { firstRow: firstRow - rows, rows, ranges: [range] };
  });
  return { pages, dictionary };
}

async function walkHeaders(at: ChunkPlace, read: ReadRange): Promise<readonly WalkedPage[]> {
  const { chunk } = at;
  const end = chunk.start + chunk.length;
  const window = new Window(read, end);
  const walked: WalkedPage[] = [];
  let values = 0;
  for (let offset = chunk.start; offset < end && values < chunk.valueCount; ) {
    const header = await headerAt(at, window, offset);
    const length = header.headerBytes + header.storedBytes;
    window.reads(length < SMALL_PAGE_BYTES ? WINDOW_BYTES : HEADER_FIRST_BYTES);
    if (offset + length > end) throw broken(at, 'whose last page leaves its chunk');
    if (walked.length >= LIMITS.parquetPagesPerChunk) {
      throw parquetLimit(at.place, `more than ${walked.length} pages in a column chunk`);
    }
    walked.push({ header, range: { offset, length } });
    if (header.kind === 'v1' || header.kind === 'v2') values += header.valueCount;
    offset += length;
  }
  return walked;
}

const HEADER_FIRST_BYTES = 1024;

/** Headers do not say how long they are: a short piece is tried first, then longer ones. */
async function headerAt(at: ChunkPlace, window: Window, offset: number): Promise<PageHeader> {
  for (let length = HEADER_FIRST_BYTES; ; length *= 8) {
    const bytes = await window.bytes(offset, length);
    try {
      return readPageHeader(bytes, at.place);
    } catch (error) {
      const whole = bytes.length < length || length > LIMITS.parquetPageHeaderBytes;
      if (whole || !(error instanceof LakeError)) throw error;
    }
  }
}

const WINDOW_BYTES = 16 * 1024;
const SMALL_PAGE_BYTES = 4 * 1024;

/** Small neighbouring reads served from one larger one. */
class Window {
  readonly #read: ReadRange;
  readonly #end: number;
  #start = 0;
  #bytes = new Uint8Array(0);
  #size = WINDOW_BYTES;

  constructor(read: ReadRange, end: number) {
    this.#read = read;
    this.#end = end;
  }

  /** How much is read at a time: large pages need no more than their headers. */
  reads(size: number): void {
    this.#size = size;
  }

  /** Up to `length` bytes from `offset`; fewer at the chunk's end. */
  async bytes(offset: number, length: number): Promise<Uint8Array> {
    const to = Math.min(this.#end, offset + length);
    if (offset < this.#start || to > this.#start + this.#bytes.length) {
      const size = Math.min(this.#end - offset, Math.max(length, this.#size));
      this.#bytes = new Uint8Array(await this.#read(offset, size));
      this.#start = offset;
    }
    return this.#bytes.subarray(offset - this.#start, to - this.#start);
  }
}

/**
 * Least and greatest value of each page, as PLAIN bytes without a length; `null` for a page of
 * nulls only.
 */
export type PageBounds = readonly ({ readonly min: Uint8Array; readonly max: Uint8Array } | null)[];

/**
 * The column index of a chunk (parquet.thrift, ColumnIndex), or null if it does not fit the
 * pages.
 */
export function parseColumnIndex(
  bytes: Uint8Array,
  pageCount: number,
  place: FaultPlace,
): PageBounds | null {
  const { struct } = readThrift(bytes, 0, place);
  const nullPages = listAt(struct, 1);
  const mins = listAt(struct, 2);
  const maxs = listAt(struct, 3);
  if (nullPages.length !== pageCount || mins.length !== pageCount || maxs.length !== pageCount) {
    return null;
  }
  const bytesOf = (value: ThriftValue) => (value instanceof Uint8Array ? value : new Uint8Array(0));
  return nullPages.map((isNull, i) =>
    isNull === true ? null : { min: bytesOf(mins[i]), max: bytesOf(maxs[i]) },
  );
}

function broken(at: ChunkPlace, what: string): LakeError {
  return parquetFault(at.place, `column "${at.leaf.path}" has a page list ${what}`);
}
