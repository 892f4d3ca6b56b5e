/** A column chunk made of the pages of others, with its indexes (parquet.thrift). */
import { bytesAt, listAt, numberAt, structAt, type ThriftStruct } from './encodings/thrift.ts';
import { encodeThrift, i64, list, struct, type ThriftOut } from './encodings/thrift-writer.ts';
import { type FaultPlace, parquetFault } from './fault.ts';
import { readPageHeader } from './page-header.ts';
import type { LeafNode } from './schema-tree.ts';

/** A chunk that becomes part of another: its metadata, and its pages. */
export interface ChunkPart {
  /** Its first row in the file. */
  readonly firstRow: number;
  readonly rows: number;
  /** ColumnChunk. */
  readonly chunk: ThriftStruct;
  readonly bytes: Uint8Array;
}

/** A chunk that was joined. */
export interface JoinedChunk {
  readonly rows: number;
  /** Where it begins in the file, its bytes, and those of its pages once decompressed. */
  readonly offset: number;
  readonly bytes: number;
  readonly plainBytes: number;
  /** ColumnMetaData. */
  readonly metadata: ThriftOut;
  readonly offsetIndex: Uint8Array;
  /** null where the bounds of a page are not known, or long. */
  readonly columnIndex: Uint8Array | null;
}

/** A page by its place in the joined chunk. */
interface Page {
  readonly at: number;
  readonly length: number;
  /** Counted from the row group's start. */
  readonly firstRow: number;
  readonly bounds: Bounds;
}

/** What is known of some values: `null` where it is not. */
interface Bounds {
  readonly nulls: number | null;
  readonly min: Uint8Array | null;
  readonly max: Uint8Array | null;
  /** Entries, nulls among them. */
  readonly values: number;
}

/**
 * The chunk of all parts, in order, which begins at `offset` of its file; null if a part has a
 * dictionary, or pages of rows that are not known.
 */
export function joinChunk(
  leaf: LeafNode,
  parts: readonly ChunkPart[],
  offset: number,
  place: FaultPlace,
): JoinedChunk | null {
  const pages: Page[] = [];
  let at = 0;
  for (const part of parts) {
    const own = pagesOf(leaf, part, parts[0].firstRow, at, place);
    if (own === null) return null;
    pages.push(...own);
    at += part.bytes.length;
  }
  const metas = parts.map(({ chunk }) => metaOf(chunk));
  const sum = (id: number) => metas.reduce((total, meta) => total + (numberAt(meta, id) ?? 0), 0);
  const encodings = new Set(metas.flatMap((meta) => listAt(meta, 2) as readonly number[]));
  const metadata = struct(
    [1, numberAt(metas[0], 1) ?? undefined],
    [2, list([...encodings])],
    [3, list(listAt(metas[0], 3) as readonly Uint8Array[])],
    [4, numberAt(metas[0], 4) ?? undefined],
    [5, i64(sum(5))],
    [6, i64(sum(6))],
    [7, i64(at)],
    [9, i64(offset)],
    [12, statisticsOf(leaf, metas.map(boundsOf))],
  );
  const rows = parts.reduce((total, part) => total + part.rows, 0);
  const indexes = { offsetIndex: offsetIndexOf(pages, offset), columnIndex: columnIndexOf(pages) };
  return { rows, offset, bytes: at, plainBytes: sum(6), metadata, ...indexes };
}

const metaOf = (chunk: ThriftStruct): ThriftStruct => structAt(chunk, 3) ?? new Map();

function boundsOf(meta: ThriftStruct): Bounds {
  const statistics = structAt(meta, 12) ?? new Map();
  return {
    nulls: numberAt(statistics, 3),
    min: bytesAt(statistics, 6),
    max: bytesAt(statistics, 5),
    values: numberAt(meta, 5) ?? 0,
  };
}

function pagesOf(
  leaf: LeafNode,
  { firstRow, rows, chunk, bytes }: ChunkPart,
  firstOfGroup: number,
  start: number,
  place: FaultPlace,
): readonly Page[] | null {
  const bounds = boundsOf(metaOf(chunk));
  const pages: Page[] = [];
  let row = 0;
  for (let at = 0; at < bytes.length; ) {
    const header = readPageHeader(bytes.subarray(at), place);
    const length = header.headerBytes + header.storedBytes;
    if (at + length > bytes.length) throw parquetFault(place, 'a page leaves its chunk');
    if (header.kind !== 'v1' && header.kind !== 'v2') return null;
    pages.push({ at: start + at, length, firstRow: firstRow - firstOfGroup + row, bounds });
    row += header.kind === 'v2' ? header.rows : header.valueCount;
    at += length;
  }
  const isKnown = pages.length === 1 || row === rows;
  return isKnown && (leaf.repeat === 0 || pages.length === 1) ? pages : null;
}

const offsetIndexOf = (pages: readonly Page[], offset: number): Uint8Array =>
  encodeThrift([
    [
      1,
      list(
        pages.map(({ at, length, firstRow }) =>
          struct([1, i64(offset + at)], [2, length], [3, i64(firstRow)]),
        ),
      ),
    ],
  ]);

/** Longer bounds would make the index larger than it is worth. */
const LONGEST_BOUND = 64;
const UNORDERED = 0;
const NOTHING = new Uint8Array(0);

function columnIndexOf(pages: readonly Page[]): Uint8Array | null {
  const isEmpty = pages.map(({ bounds: { nulls, values } }) => nulls === values);
  const isShort = (bound: Uint8Array | null) => bound !== null && bound.length <= LONGEST_BOUND;
  const isKnown = pages.every(
    ({ bounds: { min, max } }, i) => isEmpty[i] || (isShort(min) && isShort(max)),
  );
  if (!isKnown) return null;
  const bound = (which: 'min' | 'max') =>
    list(pages.map(({ bounds }, i) => (isEmpty[i] ? NOTHING : (bounds[which] ?? NOTHING))));
  return encodeThrift([
    [1, list(isEmpty)],
    [2, bound('min')],
    [3, bound('max')],
    [4, UNORDERED],
  ]);
}

/** The statistics of all values; undefined where nothing is known. */
function statisticsOf(leaf: LeafNode, parts: readonly Bounds[]): ThriftOut | undefined {
  if (parts.some(({ nulls }) => nulls === null)) return undefined;
  const nulls = parts.reduce((sum, part) => sum + (part.nulls ?? 0), 0);
  const full = parts.filter(({ nulls, values }) => nulls !== values);
  const outermost = (which: 'min' | 'max', sign: 1 | -1) => {
    const bounds = full.map((part) => part[which]);
    const known = bounds.filter((bound) => bound !== null);
    if (known.length < bounds.length || known.length === 0) return undefined;
    return known.reduce((a, b) => (sign * compareBounds(leaf, a, b) <= 0 ? a : b));
  };
  return struct([3, i64(nulls)], [5, outermost('max', -1)], [6, outermost('min', 1)]);
}

/** The order of two PLAIN values of a column (parquet.thrift, TypeDefinedOrder). */
function compareBounds({ physical, logical }: LeafNode, a: Uint8Array, b: Uint8Array): number {
  if (physical === 'byte_array' || physical === 'fixed') {
    const flip = logical.kind === 'decimal' && (a[0] ^ b[0]) & 128 ? -1 : 1;
    return flip * Buffer.compare(a, b);
  }
  const [x, y] = [a, b].map((bytes) => numberOf(physical, bytes));
  return x < y ? -1 : x > y ? 1 : 0;
}

function numberOf(physical: LeafNode['physical'], bytes: Uint8Array): number | bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (physical === 'boolean') return view.getUint8(0);
  if (physical === 'int32') return view.getInt32(0, true);
  if (physical === 'int64') return view.getBigInt64(0, true);
  return physical === 'float' ? view.getFloat32(0, true) : view.getFloat64(0, true);
}
