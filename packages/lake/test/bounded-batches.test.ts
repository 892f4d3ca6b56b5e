// @module-tag campaign
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../test/support/effort.ts';
import { LIMITS } from '../src/base/limits.ts';
import { type Batch, openTable, type SourceTable, valueAt } from '../src/index.ts';
import type { Field } from '../src/schema/type.ts';
import { CraftedTable, claimingParquet } from './crafted-table.ts';

const MIB = 2 ** 20;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lake-bounded-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ID: Field = { id: 1, name: 'id', required: true, type: { kind: 'long' } };
const text = (id: number): Field => ({
  id,
  name: `t${id}`,
  required: true,
  type: { kind: 'string' },
});

async function open(
  name: string,
  engine: 'auto' | 'duckdb' | 'own' = 'auto',
): Promise<SourceTable> {
  const catalog = { type: 'filesystem', warehouse: folder } as const;
  return openTable({ catalog, table: `b.${name}` }, { engine });
}

async function crafted(name: string, fields: readonly Field[]): Promise<CraftedTable> {
  const table = new CraftedTable(folder, `b.${name}`);
  await table.create(fields);
  return table;
}

/** Bytes of the texts of a batch. */
function weight(batch: Batch): number {
  return batch.columns.reduce(
    (sum, column) => sum + (column.kind === 'utf8' ? column.bytes.length : 0),
    0,
  );
}

describe('a batch holds at most 64 MiB', () => {
  it.each([
    ['own', 300],
    ['auto', 9000],
    ['duckdb', 300],
  ] as const)('where references to one value are many (%s, %i rows)', async (engine, rows) => {
    const name = `references_${engine}`;
    const table = await crafted(name, [ID, text(2), text(3)]);
    const [large, other] = ['x'.repeat(MIB), 'yz'.repeat(MIB)];
    await table.addParquet([
      { field: ID, runs: [[0n, rows]] },
      {
        field: text(2),
        runs: [
          [large, rows - 1],
          ['last', 1],
        ],
      },
      {
        field: text(3),
        runs: [
          ['first', 100],
          [other, 1],
          ['rest', rows - 101],
        ],
      },
    ]);
    let seen = 0;
    for await (const batch of (await open(name, engine)).scan()) {
      expect(weight(batch)).toBeLessThanOrEqual(LIMITS.batchBytes);
      for (let row = 0; row < batch.rows; row++, seen++) {
        const [id, first, second] = batch.columns.map((column) => valueAt(column, row));
        expect([batch.positions[row], id]).toEqual([seen, BigInt(seen)]);
        expect(first === (seen === rows - 1 ? 'last' : large)).toBe(true);
        expect(second === (seen < 100 ? 'first' : seen === 100 ? other : 'rest')).toBe(true);
      }
      if (seen > 400 && seen < rows - 100) break;
    }
    expect(seen).toBeGreaterThanOrEqual(Math.min(rows, 400));
  });

  it('where DuckDB takes the file, and long texts are few (9,000 rows)', async () => {
    const table = await crafted('few', [ID, text(2)]);
    const large = 'f'.repeat(MIB);
    await table.addParquet([
      { field: ID, runs: [[0n, 9000]] },
      {
        field: text(2),
        runs: [
          ['short', 4000],
          [large, 30],
          ['short again', 4970],
        ],
      },
    ]);
    let seen = 0;
    for await (const batch of (await open('few')).scan()) {
      expect(weight(batch)).toBeLessThanOrEqual(LIMITS.batchBytes);
      for (let row = 0; row < batch.rows; row++, seen++) {
        const value = valueAt(batch.columns[1], row) as string;
        const expected = seen < 4000 ? 'short' : seen < 4030 ? large : 'short again';
        expect(value === expected).toBe(true);
      }
    }
    expect(seen).toBe(9000);
  });

  it('where each row has a large text of its own', async () => {
    const table = await crafted('plain', [ID, text(2)]);
    const texts = Array.from({ length: 40 }, (_, i) => String(i).padStart(2 * MIB, '.'));
    await table.addParquet([
      { field: ID, runs: [[0n, texts.length]] },
      { field: text(2), runs: texts.map((value) => [value, 1]), plain: true },
    ]);
    await table.addAvro(texts.map((value, i) => ({ id: BigInt(i), t2: value })));
    let seen = 0;
    for await (const batch of (await open('plain')).scan()) {
      expect(weight(batch)).toBeLessThanOrEqual(LIMITS.batchBytes);
      for (let row = 0; row < batch.rows; row++, seen++) {
        expect(batch.positions[row]).toBe(seen % texts.length);
        expect(valueAt(batch.columns[1], row) === texts[seen % texts.length]).toBe(true);
      }
    }
    expect(seen).toBe(2 * texts.length);
  });

  it('where a default is large', async () => {
    const large = 'd'.repeat(4 * MIB);
    const added: Field = { ...text(2), required: false, initialDefault: large };
    const table = await crafted('default', [ID, added]);
    await table.addParquet([{ field: ID, runs: [[0n, 40]] }]);
    for (const columns of [['id', 't2'], ['t2']]) {
      let seen = 0;
      for await (const batch of (await open('default')).scan({ columns })) {
        expect(weight(batch)).toBeLessThanOrEqual(LIMITS.batchBytes);
        expect(batch.positions[0]).toBe(seen);
        seen += batch.rows;
        const last = valueAt(batch.columns[columns.length - 1], batch.rows - 1);
        expect(last === large).toBe(true);
      }
      expect(seen).toBe(40);
    }
  });

  it('where rows at places are read', async () => {
    const large = 'p'.repeat(MIB);
    const table = await crafted('places', [ID, text(2)]);
    const rows = 32_768 * 200;
    await table.addParquet([
      { field: ID, runs: [[0n, rows]] },
      { field: text(2), runs: [[large, rows]] },
    ]);
    const source = await open('places');
    const { files } = await source.files(source.currentSnapshotId);
    const only = Int32Array.from({ length: 150 }, (_, i) => i * 1000);
    const places: number[] = [];
    for await (const batch of source.read([{ scan: files[0], only }], { columns: ['t2', 'id'] })) {
      expect(weight(batch)).toBeLessThanOrEqual(LIMITS.batchBytes);
      expect(valueAt(batch.columns[1], 0)).toBe(BigInt(batch.positions[0]));
      places.push(...batch.positions);
    }
    expect(places).toEqual([...only]);
  });
});

describe('a file without an end', () => {
  it('of a billion rows of which no column is read is scanned in small batches', async () => {
    const table = await crafted('claims', [ID, { ...text(2), required: false }]);
    await table.addData('parquet', claimingParquet(ID, 1_000_000_000), 1_000_000_000);
    let seen = 0;
    for await (const { rows, positions } of (await open('claims')).scan({ columns: ['t2'] })) {
      expect(rows).toBeLessThanOrEqual(2048);
      expect(positions[0]).toBe(seen);
      seen += rows;
      if (seen > 10_000) break;
    }
    expect(seen).toBeGreaterThan(10_000);
  });
});

describe('values beyond the limits of a batch', () => {
  it('a row is refused by the file', async () => {
    const fields = [2, 3, 4].map(text);
    const table = await crafted('row', fields);
    const large = 'r'.repeat(100 * MIB);
    const file = await table.addParquet(fields.map((field) => ({ field, runs: [[large, 2]] })));
    const read = Array.fromAsync((await open('row')).scan());
    await expect(read).rejects.toMatchObject({
      code: 'limit_exceeded',
      file,
      message: expect.stringMatching(/row 0 takes more than 268435456 bytes/),
    });
    const [batch] = await Array.fromAsync((await open('row')).scan({ columns: ['t3'] }));
    expect(batch.rows).toBe(1);
  });

  it('the rows of a look-up are refused by the file', async () => {
    const table = await crafted('lookup', [ID, text(2)]);
    const large = 'l'.repeat(MIB);
    const file = await table.addParquet([
      { field: ID, runs: [[0n, 1000]] },
      { field: text(2), runs: [[large, 1000]] },
    ]);
    const source = await open('lookup');
    const { files } = await source.files(source.currentSnapshotId);
    const at = (rows: number) =>
      Array.from({ length: rows }, (_, position) => ({ file: files[0].data.path, position }));
    await expect(source.lookup(at(600), ['t2'])).rejects.toMatchObject({
      code: 'limit_exceeded',
      file,
      message: expect.stringMatching(/read fewer rows at a time/),
    });
    const rows = await source.lookup(at(400), ['t2']);
    expect(rows.every((row) => row?.t2 === large)).toBe(true);
    await source.close();
  });

  // writes a file of 1.2 GiB
  it.skipIf(byEffort(true, false))(
    'the pages that the columns of a scan hold are refused',
    async () => {
      const fields = Array.from({ length: 20 }, (_, i) => text(i + 2));
      const table = await crafted('pages', fields);
      const large = 'g'.repeat(60 * MIB);
      const columns = fields.map((field) => ({
        field,
        runs: [
          [large, 1],
          ['', 1],
        ] as const,
      }));
      const file = await table.addParquet(columns.map((column) => ({ ...column, plain: true })));
      const read = Array.fromAsync((await open('pages')).scan({ snapshotId: undefined }));
      await expect(read).rejects.toMatchObject({ code: 'limit_exceeded', file });
    },
  );
});

describe('equality deletes', () => {
  it('of many references to one large value are read in small batches', async () => {
    const table = await crafted('equality', [ID, text(2)]);
    const large = 'e'.repeat(MIB);
    await table.addParquet([
      { field: ID, runs: [[0n, 4]] },
      {
        field: text(2),
        runs: [
          ['a', 1],
          [large, 2],
          ['b', 1],
        ],
      },
    ]);
    await table.addEqualityDelete([{ field: text(2), runs: [[large, 200]] }]);
    const batches = await Array.fromAsync((await open('equality')).scan({ columns: ['id'] }));
    const ids = batches.flatMap((batch) =>
      Array.from({ length: batch.rows }, (_, row) => valueAt(batch.columns[0], row)),
    );
    expect(ids).toEqual([0n, 3n]);
  });
});
