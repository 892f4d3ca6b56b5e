import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTable, type SourceTable } from '../src/index.ts';
import { positionSet } from '../src/puffin/position-set.ts';
import type { ParquetEngine } from '../src/scan/file-rows.ts';
import type { PartitionSpec } from '../src/schema/partition-spec.ts';
import { encodeSingleValue } from '../src/schema/single-value.ts';
import type { Transform } from '../src/schema/transform.ts';
import type { Field, Value } from '../src/schema/type.ts';
import { appendRows, deleteRows } from '../src/write/writing.ts';
import { CraftedTable } from './crafted-table.ts';

/**
 * Counts, bounds and summaries are recorded by writers, and no reader has compared them with rows.
 * The tables here have wrong ones; the rows are known.
 */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lake-unchecked-facts-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ID: Field = { id: 1, name: 'id', required: false, type: { kind: 'long' } };
const NAME: Field = { id: 2, name: 's', required: false, type: { kind: 'string' } };
const THREE = [[1n, 2n, 3n]];

let tables = 0;
async function tableOf(fields: readonly Field[], formatVersion: 2 | 3): Promise<CraftedTable> {
  const table = new CraftedTable(folder, `f.t${tables++}`);
  await table.create(fields, { formatVersion });
  return table;
}

async function idsOf(source: SourceTable, where?: string): Promise<Value[]> {
  const ids: Value[] = [];
  for await (const batch of source.scan({ columns: ['id'], where })) {
    const [column] = batch.columns;
    if (column.kind === 'int64') ids.push(...column.values);
  }
  return ids;
}

/** Every way to the rows: both readers, look-ups by locator and by key. */
async function expectLive(table: CraftedTable, live: readonly bigint[]): Promise<void> {
  for (const engine of ['duckdb', 'own'] as const satisfies readonly ParquetEngine[]) {
    const source = await openTable(table.config, { engine });
    expect(await idsOf(source), engine).toEqual(live);
    const { files } = await source.files(source.currentSnapshotId);
    const locators = [0, 1, 2].map((position) => ({ file: files[0].data.path, position }));
    const rows = await source.lookup(locators, ['id']);
    expect(rows.flatMap((row) => (row === null ? [] : [row.id]))).toEqual(live);
    const keys = await source.lookupKeys(['id'], [[1n], [2n], [3n]], ['id']);
    expect(keys.flatMap((found) => (found === null ? [] : [found.row.id]))).toEqual(live);
    await source.close();
  }
}

describe('deletes beyond the end of a file', () => {
  const PAST: readonly (readonly [positions: readonly bigint[], live: readonly bigint[]])[] = [
    [[0n, 2n, 999n], [2n]],
    [
      [0n, 5n, 7n, 999n],
      [2n, 3n],
    ],
    [
      [5n, 6n, 7n],
      [1n, 2n, 3n],
    ],
    [[0n, 1n, 2n, 9n], []],
    [
      [1n, 2n ** 31n, 2n ** 40n],
      [1n, 3n],
    ],
  ];

  it('delete nothing else, as positions', async () => {
    for (const [positions, live] of PAST) {
      const table = await tableOf([ID], 2);
      await table.addPositionDelete(await table.addRows(THREE), positions);
      await expectLive(table, live);
    }
  });

  it('delete nothing else, as vectors', async () => {
    for (const [positions, live] of PAST.slice(0, 4)) {
      const table = await tableOf([ID], 3);
      await table.addVector(await table.addRows(THREE), positionSet(positions.map(Number)));
      await expectLive(table, live);
    }
  });

  it('are positions that the engine gets only as far as the file has them', async () => {
    const table = await tableOf([ID], 2);
    await table.addPositionDelete(await table.addRows(THREE), [0n, 2n, 999n]);
    const source = await openTable(table.config);
    const { files } = await source.files(source.currentSnapshotId);
    expect([...(await source.deadPositions(files[0]))]).toEqual([0, 2]);
    await source.close();
  });

  it('stay out of a later delete, which names living rows alone', async () => {
    for (const version of [2, 3] as const) {
      const table = await tableOf([ID], version);
      const data = await table.addRows(THREE);
      if (version === 2) await table.addPositionDelete(data, [0n, 999n]);
      else await table.addVector(data, positionSet([0, 999]));
      await deleteRows(table.config, 'id = 3');
      await expectLive(table, [2n]);
    }
  });
});

describe('a wrong record count', () => {
  it('is an error also if every counted row is deleted', async () => {
    for (const recordCount of [0, 2, 4]) {
      const table = await tableOf([ID], 2);
      const data = await table.addRows(THREE, { recordCount });
      if (recordCount === 2) await table.addPositionDelete(data, [0n, 1n]);
      const source = await openTable(table.config);
      const wrong = { reason: 'data_file_invalid', message: /has 3 rows, its manifest says/ };
      await expect(idsOf(source)).rejects.toMatchObject({ reason: wrong.reason });
      await expect(source.lookupKeys(['id'], [[3n]], ['id'])).rejects.toThrow(wrong.message);
      await source.close();
    }
  });
});

describe('inverted bounds of a data file', () => {
  it('hide no row from conditions and keys', async () => {
    const table = await tableOf([ID, NAME], 2);
    const bound = (value: Value) => new Map([[1, encodeSingleValue(ID.type, value)!]]);
    const facts = { lowerBounds: bound(9n), upperBounds: bound(0n) };
    await table.addRows(
      [
        [1n, 2n],
        ['b', 'c'],
      ],
      facts,
    );
    const source = await openTable(table.config);
    for (const where of ['id = 2', 'id > 1', 'id < 3 AND id > 1', 'id IN (2, 77)']) {
      expect(await idsOf(source, where), where).toEqual([2n]);
    }
    const [found] = await source.lookupKeys(['id'], [[2n]], ['s']);
    expect(found?.row).toEqual({ s: 'c' });
    await source.close();
  });
});

describe('a partition value that does not fit its type', () => {
  const TIME: Field = { id: 2, name: 't', required: false, type: { kind: 'timestamp' } };
  const NUMBER: Field = { id: 2, name: 'n', required: false, type: { kind: 'int' } };
  const by = (transform: Transform): PartitionSpec => ({
    specId: 0,
    fields: [{ fieldId: 1000, name: 'p', sourceIds: [2], transform }],
  });
  const FAR = 2_174_000_000n * 3_600_000_000n;

  it('hides no row', async () => {
    const table = new CraftedTable(folder, `f.t${tables++}`);
    await table.create([ID, TIME], { spec: by({ kind: 'hour' }) });
    const partition = [2_174_000_000 - 2 ** 32];
    await table.addRows([[7n], [FAR]], { partition });
    const source = await openTable(table.config);
    expect(await idsOf(source, "t > TIMESTAMP '2020-01-01'")).toEqual([7n]);
    expect(await idsOf(source, "t < TIMESTAMP '2020-01-01'")).toEqual([]);
    await source.close();
  });

  it('is not written', async () => {
    const table = new CraftedTable(folder, `f.t${tables++}`);
    await table.create([ID, NUMBER], { spec: by({ kind: 'truncate', width: 10 }) });
    const write = (n: number) => appendRows(table.config, { kind: 'rows', rows: [{ id: 8, n }] });
    await write(2_147_483_647);
    await expect(write(-2_147_483_648)).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe('a summary without totals', () => {
  it('gets none from a later commit', async () => {
    const table = await tableOf([ID], 2);
    const input = { kind: 'rows', rows: [{ id: 1 }] } as const;
    await appendRows(table.config, input);
    await table.bendMetadata((json) => {
      const [snapshot] = json.snapshots as { summary: Record<string, string> }[];
      snapshot.summary['total-records'] = 'many';
      delete snapshot.summary['total-data-files'];
    });
    await appendRows(table.config, input);
    const source = await openTable(table.config);
    const { summary } = source.snapshot(source.currentSnapshotId!);
    expect(summary['total-records']).toBeUndefined();
    expect(summary['total-data-files']).toBeUndefined();
    expect(summary['total-delete-files']).toBe('0');
    expect(await idsOf(source)).toEqual([1n, 1n]);
    await source.close();
  });
});
