import { crc32 } from 'node:zlib';
import { openLocalFile, type RandomAccessFile } from '../base/random-access-file.ts';
import { type FaultPlace, parquetFault } from '../parquet/fault.ts';
import type { ColumnChunk, Footer } from '../parquet/footer.ts';
import { type PageHeader, readPageHeader } from '../parquet/page-header.ts';
import type { LeafNode } from '../parquet/schema-tree.ts';

/** The pages of a column chunk, as their headers describe them. */
export interface ChunkPages {
  readonly group: number;
  readonly leaf: LeafNode;
  readonly storedBytes: number;
  /** Uncompressed bytes of the dictionary page; 0 without one. */
  readonly dictionaryBytes: number;
  /** Values that refer to the dictionary. */
  readonly references: number;
  /** Uncompressed bytes of all other data pages. */
  readonly plainBytes: number;
  /** The most of those that the pages of `WINDOW_VALUES` values in a row have. */
  readonly windowBytes: number;
}

/** Rows of a chunk of DuckDB's. */
export const WINDOW_VALUES = 2048;

/**
 * Walks the pages of columns before DuckDB decodes them: every header must be sound and within the
 * limits (so that a few bytes cannot ask for gigabytes), and a page that carries a CRC-32 must
 * match it, which DuckDB does not look at. Costs about a tenth of the decoding.
 */
export async function checkPages(
  place: FaultPlace,
  footer: Footer,
  leaves: readonly LeafNode[],
): Promise<readonly ChunkPages[]> {
  const file = await openLocalFile(place.path, place.role);
  const checked: ChunkPages[] = [];
  try {
    for (const [group, { chunks }] of footer.rowGroups.entries()) {
      for (const leaf of leaves) {
        const chunk = chunks[leaf.column];
        const sizes = new PageSizes();
        await checkChunk(file, chunk, leaf, place, sizes);
        checked.push({ group, leaf, storedBytes: chunk.length, ...sizes.sums() });
      }
    }
  } finally {
    await file.close();
  }
  return checked;
}

/** Adds up what the page headers of a column chunk say. */
class PageSizes {
  #dictionaryBytes = 0;
  #references = 0;
  #plainBytes = 0;
  #windowBytes = 0;
  /** The pages that share a window with the next one: values and bytes of each. */
  readonly #window: { readonly values: number; readonly bytes: number }[] = [];
  #windowValues = 0;
  #windowSum = 0;

  add(header: PageHeader): void {
    if (header.kind === 'dictionary') this.#dictionaryBytes = header.plainBytes;
    if (header.kind !== 'v1' && header.kind !== 'v2') return;
    const refers = header.encoding === 2 || header.encoding === 8;
    const bytes = refers ? 0 : header.plainBytes;
    if (refers) this.#references += header.valueCount;
    this.#plainBytes += bytes;
    this.#window.push({ values: header.valueCount, bytes });
    this.#windowValues += header.valueCount;
    this.#windowSum += bytes;
    this.#windowBytes = Math.max(this.#windowBytes, this.#windowSum);
    for (let first = this.#window[0]; this.#windowValues - first.values >= WINDOW_VALUES; ) {
      this.#window.shift();
      this.#windowValues -= first.values;
      this.#windowSum -= first.bytes;
      first = this.#window[0];
    }
  }

  sums() {
    return {
      dictionaryBytes: this.#dictionaryBytes,
      references: this.#references,
      plainBytes: this.#plainBytes,
      windowBytes: this.#windowBytes,
    };
  }
}

/** Column chunks up to this size are read at once, larger ones page by page. */
const WHOLE_CHUNK_BYTES = 32 * 1024 * 1024;
/** Page headers hold statistics, which may hold long values; few are longer than the first. */
const HEADER_BYTES = [64 * 1024, 16 * 1024 * 1024] as const;

async function checkChunk(
  file: RandomAccessFile,
  chunk: ColumnChunk,
  leaf: LeafNode,
  place: FaultPlace,
  sizes: PageSizes,
): Promise<void> {
  const end = chunk.start + chunk.length;
  const whole =
    chunk.length <= WHOLE_CHUNK_BYTES ? await file.read(chunk.start, chunk.length) : null;
  const read = async (at: number, length: number): Promise<Uint8Array> => {
    const from = at - chunk.start;
    return whole?.subarray(from, from + length) ?? (await file.read(at, length));
  };
  let values = 0;
  for (let at = chunk.start; values < chunk.valueCount && at < end; ) {
    const header = await headerAt(read, at, end, place);
    const next = at + header.headerBytes + header.storedBytes;
    if (next > end) throw parquetFault(place, `a page of "${leaf.path}" leaves its column`);
    if (header.crc !== null) {
      const stored = await read(at + header.headerBytes, header.storedBytes);
      if (crc32(stored) !== header.crc >>> 0) {
        throw parquetFault(place, `a page of "${leaf.path}" does not match its checksum`);
      }
    }
    sizes.add(header);
    if (header.kind === 'v1' || header.kind === 'v2') values += header.valueCount;
    at = next;
  }
}

async function headerAt(
  read: (at: number, length: number) => Promise<Uint8Array>,
  at: number,
  end: number,
  place: FaultPlace,
): Promise<PageHeader> {
  const [first, most] = HEADER_BYTES;
  const bytes = await read(at, Math.min(first, end - at));
  try {
    return readPageHeader(bytes, place);
  } catch (error) {
    if (end - at <= first) throw error;
    return readPageHeader(await read(at, Math.min(most, end - at)), place);
  }
}
