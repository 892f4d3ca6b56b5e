/**
 * The footer of a Parquet file (parquet-format README, parquet.thrift):
 *
 *   "PAR1", column chunks, indexes, FileMetaData (thrift compact), u32 LE length of it, "PAR1"
 */

import type { RandomAccessFile } from '../base/files/random-access-file.ts';
import { LIMITS } from '../base/limits.ts';
import {
  bytesAt,
  listAt,
  numberAt,
  readThrift,
  structAt,
  type ThriftStruct,
  type ThriftValue,
  textAt,
} from './encodings/thrift.ts';
import { type FaultPlace, parquetFault, parquetLimit, parquetUnsupported } from './fault.ts';
import { buildSchemaTree, PHYSICAL, type SchemaTree } from './schema-tree.ts';

const MAGIC = 'PAR1';
const ENCRYPTED_MAGIC = 'PARE';
const TAIL_BYTES = 8;
const FIRST_READ_BYTES = 64 * 1024;

/** One column's bytes in one row group. Offsets are of the file. */
export interface ColumnChunk {
  readonly codec: number;
  readonly valueCount: number;
  /** Where the first page, dictionary included, begins; how long all pages together are. */
  readonly start: number;
  readonly length: number;
  readonly offsetIndex: ByteRange | null;
  readonly columnIndex: ByteRange | null;
}
/** A range of the file, in bytes. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Adjacent rows of the file. `firstRow` is an ordinal of the file. */
export interface RowGroup {
  readonly firstRow: number;
  readonly rows: number;
  readonly chunks: readonly ColumnChunk[];
}

/** The footer, checked against the file's size and itself. */
export interface Footer {
  readonly rows: number;
  readonly createdBy: string | null;
  readonly schema: SchemaTree;
  readonly rowGroups: readonly RowGroup[];
}

/**
 * Reads the footer. Throws the file's `*_invalid` error, `limit_exceeded`, or `unsupported` when
 * encrypted.
 */
export async function readFooter(file: RandomAccessFile, place: FaultPlace): Promise<Footer> {
  return parseFooter(await readMetadata(file, place), file.size, place);
}

/** The text that a writer stored under a key of the file's metadata, or null. Throws as above. */
export async function readKeyValue(
  file: RandomAccessFile,
  key: string,
  place: FaultPlace,
): Promise<string | null> {
  const pairs = listAt(await readMetadata(file, place), 5);
  const pair = pairs.find((value) => value instanceof Map && textAt(value, 1) === key);
  return pair instanceof Map ? textAt(pair, 2) : null;
}

async function readMetadata(file: RandomAccessFile, place: FaultPlace): Promise<ThriftStruct> {
  return readThrift(await readMetadataBytes(file, place), 0, place).struct;
}

/** The bytes of the FileMetaData. Throws as `readFooter`. */
export async function readMetadataBytes(
  file: RandomAccessFile,
  place: FaultPlace,
): Promise<Uint8Array> {
  if (file.size < MAGIC.length + TAIL_BYTES) {
    throw parquetFault(place, `it has only ${file.size} bytes`);
  }
  const tailStart = Math.max(0, file.size - FIRST_READ_BYTES);
  const tail = await file.read(tailStart, file.size - tailStart);
  const magic = latin1(tail.subarray(tail.length - 4));
  if (magic === ENCRYPTED_MAGIC) throw parquetUnsupported(place, 'encryption');
  if (magic !== MAGIC) throw parquetFault(place, 'it does not end with "PAR1"');
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const length = view.getUint32(tail.length - TAIL_BYTES, true);
  const start = file.size - TAIL_BYTES - length;
  if (start < MAGIC.length) {
    throw parquetFault(place, `its footer of ${length} bytes does not fit in ${file.size} bytes`);
  }
  if (length > LIMITS.parquetFooterBytes) throw parquetLimit(place, `a footer of ${length} bytes`);
  return start >= tailStart
    ? tail.subarray(start - tailStart, tail.length - TAIL_BYTES)
    : file.read(start, length);
}

/** The footer of a file of `fileSize` bytes. Throws as `readFooter`. */
export function parseFooter(metadata: ThriftStruct, fileSize: number, place: FaultPlace): Footer {
  if (metadata.has(8)) throw parquetUnsupported(place, 'encryption');
  const schema = buildSchemaTree(listAt(metadata, 2), place);
  const rows = numberAt(metadata, 3) ?? -1;
  if (rows < 0) throw parquetFault(place, `it claims ${rows} rows`);
  if (rows > LIMITS.rowsPerFile) throw parquetLimit(place, `${rows} rows`);
  const rowGroups: RowGroup[] = [];
  let firstRow = 0;
  for (const value of listAt(metadata, 4)) {
    const group = parseRowGroup(value, firstRow, schema, fileSize, place);
    firstRow += group.rows;
    rowGroups.push(group);
  }
  if (firstRow !== rows) {
    throw parquetFault(place, `its row groups hold ${firstRow} rows, its footer says ${rows}`);
  }
  return { rows, createdBy: textAt(metadata, 6), schema, rowGroups };
}

function parseRowGroup(
  value: ThriftValue,
  firstRow: number,
  schema: SchemaTree,
  fileSize: number,
  place: FaultPlace,
): RowGroup {
  if (!(value instanceof Map)) throw parquetFault(place, 'a row group is broken');
  const rows = numberAt(value, 3) ?? -1;
  if (rows < 0) throw parquetFault(place, `a row group claims ${rows} rows`);
  const columns = listAt(value, 1);
  if (columns.length !== schema.leaves.length) {
    throw parquetFault(
      place,
      `a row group has ${columns.length} columns, the schema ${schema.leaves.length}`,
    );
  }
  const chunks = columns.map((column, i) => parseChunk(column, schema.leaves[i], fileSize, place));
  return { firstRow, rows, chunks };
}

function parseChunk(
  value: ThriftValue,
  leaf: SchemaTree['leaves'][number],
  fileSize: number,
  place: FaultPlace,
): ColumnChunk {
  if (!(value instanceof Map)) throw parquetFault(place, `column "${leaf.path}" is broken`);
  if (value.has(8)) throw parquetUnsupported(place, 'encryption');
  if (bytesAt(value, 1)?.length) throw parquetUnsupported(place, 'column chunks in other files');
  const meta = structAt(value, 3);
  if (meta === null) throw parquetFault(place, `column "${leaf.path}" has no metadata`);
  if (PHYSICAL[numberAt(meta, 1) ?? -1] !== leaf.physical) {
    throw parquetFault(place, `column "${leaf.path}" has another type than its schema`);
  }
  const range = pagesOf(meta);
  if (!fits(range, fileSize)) {
    throw parquetFault(
      place,
      `column "${leaf.path}" lies at ${range.offset} + ${range.length}, outside ${fileSize} bytes`,
    );
  }
  return {
    codec: numberAt(meta, 4) ?? 0,
    valueCount: Math.max(0, numberAt(meta, 5) ?? 0),
    start: range.offset,
    length: range.length,
    offsetIndex: indexRange(value, 4, fileSize),
    columnIndex: indexRange(value, 6, fileSize),
  };
}

function pagesOf(meta: ThriftStruct): ByteRange {
  const data = numberAt(meta, 9) ?? -1;
  const dictionary = numberAt(meta, 11) ?? 0;
  const offset = dictionary > 0 && dictionary < data ? dictionary : data;
  return { offset, length: numberAt(meta, 7) ?? -1 };
}

/** An index outside the file is ignored: the page headers are walked instead. */
function indexRange(chunk: ThriftStruct, id: number, fileSize: number): ByteRange | null {
  const offset = numberAt(chunk, id);
  const length = numberAt(chunk, id + 1);
  if (offset === null || length === null || length <= 0) return null;
  const range = { offset, length };
  return fits(range, fileSize) ? range : null;
}

function fits({ offset, length }: ByteRange, fileSize: number): boolean {
  return offset >= 0 && length >= 0 && offset + length <= fileSize;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
