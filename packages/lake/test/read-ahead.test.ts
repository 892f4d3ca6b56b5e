import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type FileRange,
  openLocalFile,
  type RandomAccessFile,
} from '../src/base/files/random-access-file.ts';
import { openParquetFile, type ParquetFile } from '../src/parquet/parquet-file.ts';
import { planColumns } from '../src/parquet/read-plan.ts';
import { fieldOf } from './parquet-oracle.ts';
import { readRows } from './read-parquet.ts';

const TABLES = fileURLToPath(new URL('../../../fixtures/tables/', import.meta.url));

/** The first Parquet file of each table of the fixtures. */
const FILES = readdirSync(TABLES).flatMap((table) => {
  const names = readdirSync(join(TABLES, table), { recursive: true, withFileTypes: true });
  const files = names.filter(({ name }) => /^[^.].*\.parquet$/.test(name) && !/delete/.test(name));
  return files.slice(0, 1).map(({ parentPath, name }) => join(parentPath, name));
});

/** A local file that records reads, and the ranges that are requested ahead of them. */
class RecordedFile implements RandomAccessFile {
  readonly #file: RandomAccessFile;
  readonly size: number;
  readonly path: string;
  /** Reads since the last `readAhead`. */
  readonly reads: string[] = [];
  readonly ahead: string[] = [];
  readonly calls = { begun: 0, dropped: 0 };

  constructor(file: RandomAccessFile) {
    this.#file = file;
    this.size = file.size;
    this.path = file.path;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    this.reads.push(`${offset}+${length}`);
    return this.#file.read(offset, length);
  }

  readonly readAhead = (ranges: readonly FileRange[]) => {
    this.calls.begun++;
    this.reads.length = 0;
    this.ahead.push(...ranges.map(({ offset, length }) => `${offset}+${length}`));
    return () => void this.calls.dropped++;
  };

  close(): Promise<void> {
    return this.#file.close();
  }
}

function rowsOf(file: ParquetFile, positions: Int32Array) {
  const fields = file.schema.root.children.flatMap((node, i) => fieldOf(node, i) ?? []);
  return readRows(file, planColumns(file.schema, fields, { by: 'name' }, file.place), positions);
}

describe.each(FILES)('rows of %s, each read of which costs a request', (path) => {
  it('have all their pages requested together before one is read', async () => {
    const recorded = new RecordedFile(await openLocalFile(path));
    const near = await openParquetFile(await openLocalFile(path));
    const far = await openParquetFile(recorded);
    const positions = Int32Array.from(new Set([0, far.rows >> 1, far.rows - 1]));
    const truth = await rowsOf(near, positions);
    expect(truth[0]).toHaveLength(positions.length);
    expect(await rowsOf(far, positions)).toEqual(truth);
    expect(recorded.calls).toEqual({ begun: 1, dropped: 1 });
    expect(recorded.reads.length).toBeGreaterThan(0);
    expect(recorded.reads.filter((range) => !recorded.ahead.includes(range))).toEqual([]);
    // pages that are kept decoded are not requested again
    recorded.ahead.length = 0;
    expect(await rowsOf(far, positions)).toEqual(truth);
    expect(recorded.ahead).toEqual([]);
    await far.close();
    await near.close();
  });
});
