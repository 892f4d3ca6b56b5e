import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { encodeAvro } from '../src/avro/write-container.ts';
import { formatJson, type JsonValue, parseJson } from '../src/base/json.ts';
import { loadTable } from '../src/catalog/load-table.ts';
import {
  encodeThrift,
  i64,
  list,
  struct,
  type ThriftOut,
} from '../src/parquet/encodings/thrift-writer.ts';
import { plainParquet } from '../src/parquet/plain-file.ts';
import type { PositionSet } from '../src/puffin/position-set.ts';
import { encodeVectorFile } from '../src/puffin/puffin-file.ts';
import type { PartitionSpec } from '../src/schema/partition-spec.ts';
import type { Field, Schema, StructValue, Value } from '../src/schema/type.ts';
import type { CatalogConfig } from '../src/source-table.ts';
import { commitTable } from '../src/write/commit/commit.ts';
import type { NewDeleteFile } from '../src/write/commit/manifest-writer.ts';
import { type SnapshotChange, snapshotMetadata } from '../src/write/commit/snapshot-commit.ts';
import type { NewDataFile } from '../src/write/files/data-files.ts';
import { writeTable } from '../src/write/table-writer.ts';

/** A required long, string or binary column of a crafted file: few values, each in many rows. */
export interface CraftedColumn {
  readonly field: Field;
  /** Values and how many rows in a row have each of them; longs get a plain page. */
  readonly runs: readonly (readonly [value: bigint | string | Uint8Array, rows: number])[];
  /** Writes every value of a row out instead of a reference to a dictionary. */
  readonly plain?: boolean;
  /** Members of the SchemaElement instead of those of the field's type. */
  readonly stored?: readonly (readonly [id: number, value: ThriftOut])[];
}

/** A Parquet file of one row group, with pages in zstd: as small as a hostile writer makes it. */
export function craftParquet(
  columns: readonly CraftedColumn[],
  keyValues: Readonly<Record<string, string>> = {},
): Uint8Array {
  const rows = columns[0].runs.reduce((sum, [, count]) => sum + count, 0);
  const parts: Uint8Array[] = [Buffer.from('PAR1')];
  let offset = 4;
  const push = (bytes: Uint8Array) => {
    parts.push(bytes);
    offset += bytes.length;
  };
  const chunks = columns.map((column) => {
    const start = offset;
    const physical = column.field.type.kind === 'long' ? 2 : 6;
    const inDictionary = physical === 6 && column.plain !== true;
    if (inDictionary) {
      const values = column.runs.map(([value]) => lengthPrefixed(value as string));
      push(page(Buffer.concat(values), 2, [7, struct([1, values.length], [2, 0])]));
    }
    const data = offset;
    const body = inDictionary ? references(column) : plainValues(column);
    const encoding = inDictionary ? 8 : 0;
    push(page(body, 0, [5, struct([1, rows], [2, encoding], [3, 3], [4, 3])]));
    const meta = struct(
      [1, physical],
      [2, list([0, 8])],
      [3, list([column.field.name])],
      [4, 6],
      [5, i64(rows)],
      [6, i64(offset - start)],
      [7, i64(offset - start)],
      [9, i64(data)],
      [11, inDictionary ? i64(start) : undefined],
    );
    return struct([2, i64(start)], [3, meta]);
  });
  return withFooter(Buffer.concat(parts), columns, chunks, rows, keyValues);
}

/** A Parquet file that claims `rows` rows of one column, and holds a page of none. */
export function claimingParquet(field: Field, rows: number): Uint8Array {
  const made = craftParquet([{ field, runs: [[0n, 0]] }]);
  const length = Buffer.from(made.subarray(-8)).readUInt32LE(0);
  const head = made.subarray(0, made.length - 8 - length);
  const meta = struct(
    [1, 2],
    [2, list([0, 8])],
    [3, list([field.name])],
    [4, 6],
    [5, i64(rows)],
    [6, i64(head.length - 4)],
    [7, i64(head.length - 4)],
    [9, i64(4)],
  );
  return withFooter(head, [{ field }], [struct([2, i64(4)], [3, meta])], rows);
}

function withFooter(
  head: Uint8Array,
  columns: readonly Pick<CraftedColumn, 'field' | 'stored'>[],
  chunks: readonly ThriftOut[],
  rows: number,
  keyValues: Readonly<Record<string, string>> = {},
): Uint8Array {
  const pairs = Object.entries(keyValues).map(([key, value]) => struct([1, key], [2, value]));
  const root = struct([4, 'table'], [5, columns.length]);
  const footer = encodeThrift([
    [1, 1],
    [2, list([root, ...columns.map(element)])],
    [3, i64(rows)],
    [4, list([struct([1, list(chunks)], [2, i64(head.length)], [3, i64(rows)])])],
    [5, pairs.length === 0 ? undefined : list(pairs)],
  ]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([head, footer, length, Buffer.from('PAR1')]);
}

function element({ field, stored }: Pick<CraftedColumn, 'field' | 'stored'>): ThriftOut {
  const text = field.type.kind === 'string';
  const physical = field.type.kind === 'long' ? 2 : 6;
  const meaning = stored ?? (text ? [[6, 0] as const, [10, struct([1, struct()])] as const] : []);
  const members = [[1, physical], [3, 0], [4, field.name], [9, field.id], ...meaning] as const;
  return struct(...members.toSorted(([a], [b]) => a - b));
}

function page(body: Uint8Array, kind: number, details: readonly [number, ThriftOut]): Uint8Array {
  const stored = zstdCompressSync(body);
  return Buffer.concat([
    encodeThrift([[1, kind], [2, body.length], [3, stored.length], details]),
    stored,
  ]);
}

function lengthPrefixed(value: string | Uint8Array): Uint8Array {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Runs of a hybrid encoding of 16 bits: varint of the count, doubled, then the index. */
function references({ runs }: CraftedColumn): Uint8Array {
  const bytes = [16];
  runs.forEach(([, rows], index) => {
    let count = rows * 2;
    for (; count >= 128; count = Math.floor(count / 128)) bytes.push((count % 128) | 128);
    bytes.push(count, index & 255, index >>> 8);
  });
  return Uint8Array.from(bytes);
}

function plainValues({ runs }: CraftedColumn): Uint8Array {
  const parts = runs.flatMap(([value, rows]) => {
    if (typeof value !== 'bigint')
      return new Array<Uint8Array>(rows).fill(lengthPrefixed(value as string));
    const longs = BigInt64Array.from({ length: rows }, (_, i) => value + BigInt(i));
    return [new Uint8Array(longs.buffer)];
  });
  return Buffer.concat(parts);
}

const POSITION_FIELDS: readonly Field[] = [
  { id: 2_147_483_546, name: 'file_path', required: true, type: { kind: 'string' } },
  { id: 2_147_483_545, name: 'pos', required: true, type: { kind: 'long' } },
];

/** Metadata to edit. */
type BentJson = { [key: string]: JsonValue };

/** A table whose files are made by hand. */
export class CraftedTable {
  readonly config: { readonly catalog: CatalogConfig; readonly table: string };
  #schema: Schema | null = null;

  constructor(warehouse: string, table: string) {
    this.config = { catalog: { type: 'filesystem', warehouse }, table };
  }

  async create(
    fields: readonly Field[],
    more: { readonly formatVersion?: 2 | 3; readonly spec?: PartitionSpec } = {},
  ): Promise<void> {
    this.#schema = { schemaId: 0, identifierFieldIds: [], fields };
    await writeTable(this.config.catalog, this.config.table, { schema: this.#schema, ...more });
  }

  /** Commits a data file of plain rows; `facts`: what its manifest says otherwise. */
  async addRows(
    columns: readonly (readonly Value[])[],
    facts: Partial<NewDataFile> = {},
  ): Promise<string> {
    const rows = columns[0].length;
    const bytes = plainParquet(this.#schema?.fields ?? [], columns, rows);
    return this.addData('parquet', bytes, rows, facts);
  }

  /** Commits a data file; where it lies. */
  async addParquet(columns: readonly CraftedColumn[]): Promise<string> {
    const rows = columns[0].runs.reduce((sum, [, count]) => sum + count, 0);
    return this.addData('parquet', craftParquet(columns), rows);
  }

  async addAvro(rows: readonly StructValue[]): Promise<string> {
    const fields = this.#schema?.fields ?? [];
    const bytes = encodeAvro({ kind: 'struct', fields }, rows, { name: 'row' });
    return this.addData('avro', bytes, rows.length);
  }

  async addData(
    format: 'parquet' | 'avro',
    bytes: Uint8Array,
    rows: number,
    facts: Partial<NewDataFile> = {},
  ): Promise<string> {
    const none = new Map<number, never>();
    const counts = { valueCounts: none, nullCounts: none, lowerBounds: none, upperBounds: none };
    const file = await this.#write(format, bytes);
    const own = { ...file, ...counts, format, partition: [], recordCount: rows };
    await this.#commit({ addedData: [{ ...own, ...facts }] });
    return file.real;
  }

  /** Commits a position delete file. */
  async addPositionDelete(dataFile: string, positions: readonly bigint[]): Promise<void> {
    const paths = positions.map(() => dataFile);
    const bytes = plainParquet(POSITION_FIELDS, [paths, positions], positions.length);
    const file = await this.#write('parquet', bytes);
    const more = { specId: 0, partition: [], recordCount: positions.length } as const;
    const deletes = { ...file, ...more, kind: 'position', referencedDataFile: null } as const;
    await this.#commit({ addedDeletes: [deletes] });
  }

  /** Commits a deletion vector. */
  async addVector(dataFile: string, positions: PositionSet): Promise<void> {
    const { bytes, entries } = encodeVectorFile([{ dataFile, positions }], 'test');
    const file = await this.#write('puffin', bytes);
    const { cardinality: recordCount, ...where } = entries[0];
    const more = { specId: 0, partition: [], recordCount, kind: 'vector' } as const;
    await this.#commit({ addedDeletes: [{ ...file, ...where, ...more }] });
  }

  /** Commits an equality delete over the columns of the file. */
  async addEqualityDelete(columns: readonly CraftedColumn[]): Promise<void> {
    const recordCount = columns[0].runs.reduce((sum, [, count]) => sum + count, 0);
    const file = await this.#write('parquet', craftParquet(columns));
    const equalityIds = columns.map(({ field }) => field.id);
    const more = { specId: 0, partition: [], recordCount };
    await this.#commit({ addedDeletes: [{ ...file, ...more, kind: 'equality', equalityIds }] });
  }

  /** Edits the newest metadata file in place. */
  async bendMetadata(edit: (json: BentJson) => void): Promise<void> {
    const { metadata } = await loadTable(this.config);
    const json = parseJson(readFileSync(metadata.file, 'utf8'));
    edit(json as BentJson);
    writeFileSync(metadata.file, formatJson(json));
  }

  async #write(extension: string, bytes: Uint8Array) {
    const { files } = await loadTable(this.config);
    const recorded = files.record(join('data', `${randomUUID()}.${extension}`));
    const real = files.resolve(recorded);
    mkdirSync(dirname(real), { recursive: true });
    writeFileSync(real, bytes);
    return { recorded, real, fileSize: bytes.length };
  }

  async #commit(change: {
    readonly addedData?: readonly NewDataFile[];
    readonly addedDeletes?: readonly NewDeleteFile[];
  }): Promise<void> {
    const whole: SnapshotChange = {
      operation: change.addedDeletes === undefined ? 'append' : 'delete',
      addedData: [],
      addedDeletes: [],
      removes: () => false,
      mayRemove: false,
      ...change,
    };
    await commitTable(await loadTable(this.config), ({ metadata, files }) =>
      snapshotMetadata(metadata, files, whole, 'main'),
    );
  }
}
