import { crc32 } from 'node:zlib';
import type { RandomAccessFile } from '../base/files/random-access-file.ts';
import { type FaultPlace, parquetFault } from '../parquet/fault.ts';
import type { ColumnChunk, Footer } from '../parquet/footer.ts';
import { type PageHeader, readPageHeader } from '../parquet/page-header.ts';
import type { LeafNode } from '../parquet/schema-tree.ts';
import { type ChunkPages, PageSizes } from './page-sizes.ts';

/** A file that is named `place` in errors. */
export interface PlacedFile {
  readonly place: FaultPlace;
  readonly open: () => Promise<RandomAccessFile>;
}

/**
 * Walks the pages of columns before DuckDB decodes them: every header must be sound and within the
 * limits (so that a few bytes cannot ask for gigabytes), and a page that carries a CRC-32 must
 * match it, which DuckDB does not look at. Costs about a tenth of the decoding. What comes back
 * bounds what the pages grow to (chunk-weight.ts).
 */
export async function checkPages(
  { place, open }: PlacedFile,
  footer: Footer,
  leaves: readonly LeafNode[],
): Promise<readonly ChunkPages[]> {
  const file = await open();
  const checked: ChunkPages[] = [];
  try {
    for (const group of footer.rowGroups) {
      for (const leaf of leaves) {
        const chunk = group.chunks[leaf.column];
        const sizes = new PageSizes({ leaf, codec: chunk.codec, place }, leaves.length);
        await checkChunk(file, chunk, leaf, place, sizes);
        checked.push(sizes.chunk(group, chunk));
      }
    }
  } finally {
    await file.close();
  }
  return checked;
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
    const stored = () => read(at + header.headerBytes, header.storedBytes);
    if (header.crc !== null && crc32(await stored()) !== header.crc >>> 0) {
      throw parquetFault(place, `a page of "${leaf.path}" does not match its checksum`);
    }
    await sizes.add(header, stored);
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
