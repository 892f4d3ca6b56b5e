/**
 * Joins small row groups of a Parquet file into larger ones: their pages, copied as they are,
 * become the pages of one column chunk. So a file of a writer that makes a page a chunk (DuckDB)
 * has small pages with an offset and a column index, in row groups of the usual size.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { openLocalFile, type RandomAccessFile } from '../base/files/random-access-file.ts';
import { writeFault } from '../base/files/write-fault.ts';
import { encodedFields, listAt, readThrift, type ThriftStruct } from './encodings/thrift.ts';
import {
  encoded,
  encodeThrift,
  i64,
  list,
  struct,
  type ThriftOut,
} from './encodings/thrift-writer.ts';
import type { FaultPlace } from './fault.ts';
import {
  type ByteRange,
  type Footer,
  parseFooter,
  type RowGroup,
  readMetadataBytes,
} from './footer.ts';
import { type JoinedChunk, joinChunk } from './joined-chunk.ts';

/** A row group has at most so many rows (as many as DuckDB likes), and stored bytes. */
const GROUP_ROWS = 122_880;
const GROUP_BYTES = 32_000_000;
const MAGIC = Buffer.from('PAR1', 'latin1');

/**
 * Writes a local file with joined row groups to `to`; returns its bytes, or null where the chunks
 * cannot be joined because they have dictionaries. Throws `data_file_invalid`, disk_full.
 */
export async function joinRowGroups(from: string, to: string): Promise<number | null> {
  const file = await openLocalFile(from);
  try {
    const source = await openSource(file);
    await using handle = await open(to, 'wx');
    return await writeJoined(source, new Output(handle));
  } catch (error) {
    throw writeFault(to, error);
  } finally {
    await file.close();
  }
}

/** The file that is joined: its metadata as bytes, as a struct and as a footer. */
interface Source {
  readonly file: RandomAccessFile;
  readonly place: FaultPlace;
  readonly bytes: Uint8Array;
  readonly metadata: ThriftStruct;
  readonly footer: Footer;
}

async function openSource(file: RandomAccessFile): Promise<Source> {
  const place: FaultPlace = { path: file.path, role: 'data' };
  const bytes = await readMetadataBytes(file, place);
  const metadata = readThrift(bytes, 0, place).struct;
  return { file, place, bytes, metadata, footer: parseFooter(metadata, file.size, place) };
}

/** A file that grows. */
class Output {
  readonly #handle: FileHandle;
  size = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async write(...parts: readonly Uint8Array[]): Promise<void> {
    const bytes = Buffer.concat(parts);
    await this.#handle.appendFile(bytes);
    this.size += bytes.length;
  }
}

async function writeJoined(source: Source, out: Output): Promise<number | null> {
  await out.write(MAGIC);
  const groups: (readonly JoinedChunk[])[] = [];
  for (const numbers of runsOf(source.footer.rowGroups)) {
    const chunks = await writeGroup(source, numbers, out);
    if (chunks === null) return null;
    groups.push(chunks);
  }
  const written: ThriftOut[] = [];
  for (const chunks of groups) written.push(await writeIndexes(chunks, out));
  const footer = encodeThrift(footerOf(source, written));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  await out.write(footer, length, MAGIC);
  return out.size;
}

const bytesOf = ({ chunks }: RowGroup): number =>
  chunks.reduce((sum, { length }) => sum + length, 0);

/** The numbers of the row groups that are joined, in order. */
function runsOf(groups: readonly RowGroup[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  let [rows, bytes] = [0, 0];
  groups.forEach((group, number) => {
    rows += group.rows;
    bytes += bytesOf(group);
    const last = runs.at(-1);
    if (last !== undefined && rows <= GROUP_ROWS && bytes <= GROUP_BYTES) last.push(number);
    else {
      runs.push([number]);
      [rows, bytes] = [group.rows, bytesOf(group)];
    }
  });
  return runs;
}

/** The bytes from the first to the last chunk of some row groups. */
function spanOf(groups: readonly RowGroup[]): ByteRange {
  const chunks = groups.flatMap((group) => group.chunks);
  const offset = chunks.reduce((least, { start }) => Math.min(least, start), Number.MAX_VALUE);
  const end = chunks.reduce((most, { start, length }) => Math.max(most, start + length), offset);
  return { offset, length: end - offset };
}

/** Writes the chunks of joined row groups; null: they have dictionaries. */
async function writeGroup(
  { file, place, metadata, footer }: Source,
  numbers: readonly number[],
  out: Output,
): Promise<readonly JoinedChunk[] | null> {
  const joined: JoinedChunk[] = [];
  const groups = numbers.map((number) => footer.rowGroups[number]);
  const { offset, length } = spanOf(groups);
  const bytes = await file.read(offset, length);
  for (const leaf of footer.schema.leaves) {
    const parts = groups.map(({ firstRow, rows, chunks }, i) => {
      const { start, length } = chunks[leaf.column];
      const group = listAt(metadata, 4)[numbers[i]] as ThriftStruct;
      const chunk = listAt(group, 1)[leaf.column] as ThriftStruct;
      const own = bytes.subarray(start - offset, start - offset + length);
      return { firstRow, rows, chunk, bytes: own };
    });
    const chunk = joinChunk(leaf, parts, out.size, place);
    if (chunk === null) return null;
    await out.write(...parts.map(({ bytes }) => bytes));
    joined.push(chunk);
  }
  return joined;
}

/** Writes the indexes of a row group, and returns its metadata. */
async function writeIndexes(chunks: readonly JoinedChunk[], out: Output): Promise<ThriftOut> {
  const columns: ThriftOut[] = [];
  for (const { offset, metadata, offsetIndex, columnIndex } of chunks) {
    const at = out.size;
    await out.write(offsetIndex, columnIndex ?? new Uint8Array(0));
    const index = columnIndex === null ? undefined : i64(at + offsetIndex.length);
    const fields = [
      [2, i64(offset)],
      [3, metadata],
      [4, i64(at)],
      [5, offsetIndex.length],
      [6, index],
      [7, columnIndex?.length],
    ] as const;
    columns.push(struct(...fields));
  }
  const sum = (of: (chunk: JoinedChunk) => number) =>
    i64(chunks.reduce((total, chunk) => total + of(chunk), 0));
  return struct(
    [1, list(columns)],
    [2, sum(({ plainBytes }) => plainBytes)],
    [3, i64(chunks[0].rows)],
    [5, i64(chunks[0].offset)],
    [6, sum(({ bytes }) => bytes)],
  );
}

/** The metadata of the file with other row groups; values are in the order of their types. */
function footerOf({ bytes, place, footer }: Source, groups: readonly ThriftOut[]) {
  const fields = encodedFields(bytes, place);
  const same = (id: number): readonly [number, ThriftOut | undefined] => {
    const field = fields.get(id);
    return [id, field === undefined ? undefined : encoded(field)];
  };
  const orders = footer.schema.leaves.map(() => struct([1, struct()]));
  return [
    same(1),
    same(2),
    same(3),
    [4, list(groups)],
    same(5),
    same(6),
    [7, list(orders)],
  ] as const;
}
