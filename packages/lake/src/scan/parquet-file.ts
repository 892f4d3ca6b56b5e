import type { LakeError } from '../base/errors.ts';
import type { FileStore, LocalCopies } from '../base/files/file-store.ts';
import { openLocalFile, type RandomAccessFile } from '../base/files/random-access-file.ts';
import { withoutFieldIds } from '../base/without-field-ids.ts';
import type { FaultPlace } from '../parquet/fault.ts';
import { type Footer, readFooter } from '../parquet/footer.ts';
import type { ParquetNode } from '../parquet/schema-tree.ts';
import { mappedField, type NameMapping } from '../schema/name-mapping.ts';
import type { Field } from '../schema/type.ts';
import { checkPages } from './check-pages.ts';
import { chunksFit } from './chunk-weight.ts';
import { duckReads, leavesOf } from './duckdb/parquet-plan.ts';
import { heaviestRows, scanParquet } from './duckdb/parquet-scan.ts';
import type { ScanDuckDb } from './duckdb/pool.ts';
import type { FileRows, OpenFile, RowSpan } from './file-rows.ts';
import { type OwnRead, readOwnParquet, readOwnRows } from './own-parquet.ts';

/** Location of a Parquet file, and its readers. */
export interface ParquetSource {
  readonly place: FaultPlace;
  readonly store: FileStore;
  readonly nameMapping: NameMapping | null;
  /** Local copies of the scan's files; null: the file is read by range. */
  readonly copies: LocalCopies | null;
  /** The scan's DuckDB; null: always our own reader. */
  readonly duckdb: ScanDuckDb | null;
  /** Files with fewer rows than this go through our own reader. */
  readonly duckdbFromRows: number;
}

/** An open Parquet file and its length. */
export interface ParquetOpenFile extends OpenFile {
  readonly bytes: number;
}

/**
 * Opens a Parquet data or delete file. Our own reader reads the footer and refuses damaged,
 * encrypted and oversized files. Then `duckReads` decides for the whole file whether DuckDB or our
 * own reader reads the pages. If DuckDB fails midway, or its 2,048 rows exceed the bytes of a
 * batch, our own reader continues from the next row. If it fails too, its error is reported.
 */
export async function openParquetRows(source: ParquetSource): Promise<ParquetOpenFile> {
  const { footer, bytes } = await footerOf(source);
  const nodes = topLevelNodes(footer, source.nameMapping);
  const inPlace = () => source.store.open(source.place.path, source.place.role);
  if (nodes.size === 0 && !hasIds(footer.schema.root) && source.nameMapping === null) {
    throw withoutFieldIds('parquet', source.place.path);
  }
  return {
    bytes,
    rowCount: footer.rows,
    has: (fieldId) => nodes.has(fieldId),
    read: (fields, span) =>
      span === undefined
        ? readRows(source, footer, nodes, fields)
        : readSpan({ ...source, fields, open: inPlace }, span),
    readAt: (fields, positions) => readOwnRows({ ...source, fields, open: inPlace }, positions),
  };
}

async function footerOf({ place, store }: ParquetSource) {
  const file = await store.open(place.path, place.role);
  try {
    return { footer: await readFooter(file, place), bytes: file.size };
  } finally {
    await file.close();
  }
}

/** Top-level columns by field id; names count only in files that have no id at all. */
function topLevelNodes(
  footer: Footer,
  nameMapping: NameMapping | null,
): ReadonlyMap<number, ParquetNode> {
  const { root } = footer.schema;
  const mapping = hasIds(root) ? null : nameMapping;
  const nodes = new Map<number, ParquetNode>();
  for (const node of root.children) {
    const mapped = mapping === null ? null : mappedField(mapping, node.name);
    const id = node.fieldId ?? mapped?.fieldId ?? null;
    if (id !== null && !nodes.has(id)) nodes.set(id, node);
  }
  return nodes;
}

function hasIds(node: ParquetNode): boolean {
  return node.fieldId !== null || (node.kind === 'group' && node.children.some(hasIds));
}

async function* readRows(
  source: ParquetSource,
  footer: Footer,
  nodes: ReadonlyMap<number, ParquetNode>,
  fields: readonly Field[],
): AsyncGenerator<FileRows> {
  const { place } = source;
  const columns = fields.map((field) => ({ field, node: nodes.get(field.id)! }));
  if (fields.length === 0) {
    yield* rowsWithoutColumns(footer.rows);
    return;
  }
  const { duckdb, path, open } = await wholeFile(source);
  let done = 0;
  const large = footer.rows >= source.duckdbFromRows;
  if (duckdb !== null && large && duckReads(path, footer, columns)) {
    const leaves = columns.flatMap(({ node }) => leavesOf(node));
    const pages = await checkPages({ place, open }, footer, leaves);
    try {
      const db = await duckdb.get();
      const named = columns.map(({ field, node }) => ({ field, name: node.name }));
      const fits = await chunksFit(footer.schema.root, pages, (heavy) =>
        heaviestRows(db, path, heavy),
      );
      for await (const rows of fits ? scanParquet(db, path, named) : []) {
        done = rows.firstRow + rows.rows;
        yield rows;
      }
      if (done === footer.rows) return;
    } catch (error) {
      if (!isDuckDbError(error)) throw error;
    }
  }
  yield* readOwnParquet({ ...source, fields, open }, done);
}

/** How a file is read from its first row to its last. */
interface WholeFile {
  /** null if there is no local copy for it to open. */
  readonly duckdb: ScanDuckDb | null;
  /** The path of the local copy. */
  readonly path: string;
  readonly open: () => Promise<RandomAccessFile>;
}

async function wholeFile({ place, store, copies, duckdb }: ParquetSource): Promise<WholeFile> {
  if (copies === null || !(await copies.make(place.path, place.role))) {
    return { duckdb: null, path: place.path, open: () => store.open(place.path, place.role) };
  }
  const path = await copies.pathOf(place.path);
  return { duckdb, path, open: () => openLocalFile(path, place.role, place.path) };
}

function readSpan(read: OwnRead, [from, to]: RowSpan): AsyncGenerator<FileRows> {
  return read.fields.length === 0 ? rowsWithoutColumns(to, from) : readOwnParquet(read, from, to);
}

const BLOCK_ROWS = 2048;

/** Rows of which no column is read: a footer may claim billions of them. */
async function* rowsWithoutColumns(end: number, from = 0): AsyncGenerator<FileRows> {
  for (let firstRow = from; firstRow < end; firstRow += BLOCK_ROWS) {
    yield { firstRow, rows: Math.min(BLOCK_ROWS, end - firstRow), columns: [] };
  }
}

/**
 * Whether DuckDB gave up; an error thrown into the generator by its consumer is not ours to
 * swallow.
 */
function isDuckDbError(error: unknown): boolean {
  return error instanceof Error && (error as LakeError).code === undefined;
}
