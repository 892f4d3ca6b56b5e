// @module-tag campaign
import { createHash } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Coordinates } from '@lakehouse-search/contract';
import {
  compactTable,
  deleteRows,
  openTable,
  type Schema,
  upsertRows,
} from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import { seededNumbers } from '../../../../test/support/random.ts';
import { hasShared } from '../../../../test/support/shared-tables.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { openTruthTable } from './in-step/truth-table.ts';

/** `n` may repeat; every write of a row gives it another `stamp`. */
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'n', required: false, type: { kind: 'long' } },
    { id: 2, name: 'stamp', required: true, type: { kind: 'long' } },
    { id: 3, name: 'words', required: false, type: { kind: 'string' } },
  ],
};
const DEFINITION = `key: row
fields:
  - { name: n, type: LONG, cached: true }
  - { name: stamp, type: LONG, cached: true }
  - { name: words, type: TEXT, cached: true }`;
const SEED = Number(process.env.LHS_SEED ?? byEffort(4, seedOfDay()));
const STEPS = byEffort(6, 25, 300);

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
});
afterEach(() => lake.close());

/** The live stamps of a table, changed as its rows are. */
class Model {
  readonly live = new Map<number, { readonly n: number }>();
  #stamp = 0;

  rows(count: number, pick: (i: number) => number) {
    return Array.from({ length: count }, (_, i) => {
      const n = pick(i);
      const stamp = this.#stamp++;
      this.live.set(stamp, { n });
      return { n, stamp, words: `row ${n} of stamp${stamp}` };
    });
  }

  remove(gone: (n: number, stamp: number) => boolean): void {
    for (const [stamp, { n }] of this.live) if (gone(n, stamp)) this.live.delete(stamp);
  }
}

/** One random commit to the table. */
async function change(model: Model, random: () => number): Promise<void> {
  const below = (most: number) => Math.floor(random() * most);
  const kind = below(5);
  if (kind <= 1 || model.live.size < 5) {
    const rows = model.rows(1 + below(40), () => below(60));
    await lake.append(rows);
  } else if (kind === 2) {
    const [n, stamp] = [below(60), below(200)];
    model.remove((own, at) => own === n || at === stamp);
    await deleteRows(lake.source, `n = ${n} OR stamp = ${stamp}`);
  } else if (kind === 3) {
    const n = below(60);
    model.remove((own) => own === n);
    const rows = model.rows(1, () => n);
    await upsertRows(lake.source, { kind: 'rows', rows }, ['n']);
  } else await compactTable(lake.source, { all: true });
}

/** The documents: stamp by key. */
async function documents(): Promise<ReadonlyMap<string, number>> {
  const all = await Array.fromAsync(lake.backend.exportDocuments({ index: 't' }));
  const pairs = all.map(({ coordinates, fields }): [string, number] => {
    expect(coordinates.identifier).toHaveLength(1);
    return [coordinates.identifier[0].value, Number((fields as { stamp: unknown }).stamp)];
  });
  expect(new Set(pairs.map(([key]) => key)).size).toBe(pairs.length);
  return new Map(pairs);
}

/** What DuckDB reads from the data files: stamp by file and position, of live stamps alone. */
async function byDuckDb(model: Model): Promise<ReadonlyMap<string, number>> {
  const table = await openTable(lake.source);
  const { files } = await table.files(table.currentSnapshotId);
  await table.close();
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  const found = new Map<string, number>();
  for (const { data } of files) {
    const prefix = createHash('sha256').update(data.path.replace(/^file:(\/\/)?/, ''));
    const digest = prefix.digest('hex').slice(0, 16);
    const sql = `SELECT file_row_number, stamp FROM read_parquet('${data.path.replace(
      /^file:(\/\/)?/,
      '',
    )}', file_row_number = true)`;
    for (const [position, stamp] of (await connection.runAndReadAll(sql)).getRows()) {
      if (model.live.has(Number(stamp))) found.set(`${digest}:${position}`, Number(stamp));
    }
  }
  connection.closeSync();
  duckdb.closeSync();
  return found;
}

const keyOf = (name: string, value: string): Coordinates => ({ identifier: [{ name, value }] });

/** Every document is found, hydrated, explained and fetched by the key that its hit has. */
async function expectReadable(model: Model, column: string, random: () => number): Promise<void> {
  const { backend } = lake;
  const stamps = [...model.live.keys()];
  const stamp = stamps[Math.floor(random() * stamps.length)];
  const { hits } = await backend.search({ query: `words:stamp${stamp}`, hydrate: true });
  expect(hits).toMatchObject([{ row: { n: Number(model.live.get(stamp)!.n), stamp } }]);
  const [{ coordinates, row }] = hits;
  expect(Object.keys(row!)).toEqual(['n', 'stamp', 'words']);
  const { rows } = await backend.getKeys({ keys: [coordinates] });
  expect(rows).toMatchObject([{ key: coordinates, fields: { stamp } }]);
  const explained = await backend.explain({ query: `words:stamp${stamp}`, coordinates });
  expect(explained).toMatchObject({ found: true, matched: true });
  const absent = keyOf(column, column === '_row' ? '0123456789abcdef:0' : '999999');
  expect((await backend.getKeys({ keys: [absent] })).rows).toEqual([]);
}

/** Before a sync: a key leads to its row if the table has it under this key, else to none. */
async function expectOwnRows(
  model: Model,
  column: string,
  known: ReadonlyMap<string, number>,
): Promise<void> {
  const keys = [...known.keys()].map((key) => keyOf(column, key));
  const { rows } = await lake.backend.getKeys({ keys, columns: ['stamp', column] });
  for (const { key, fields } of rows) {
    const [{ value }] = key.identifier;
    expect([Number(fields.stamp), String(fields[column])]).toEqual([known.get(value), value]);
  }
  const alive = [...known.values()].filter((stamp) => model.live.has(stamp));
  if (column === '_row_id') expect(rows).toHaveLength(alive.length);
}

describe.each([
  ['positions', 2 as const, '_row', ''],
  ['row ids of format 3', 3 as const, '_row_id', '\nsharding: { shards: 3 }'],
])('an index with key: row, of %s', (_, formatVersion, column, more) => {
  it('is in step with random appends, deletes, updates and rewrites', async () => {
    const random = seededNumbers(SEED);
    const model = new Model();
    const keyOfStamp = new Map<number, string>();
    let known: ReadonlyMap<string, number> = new Map();
    await lake.create(schema, { formatVersion });
    await lake.define(DEFINITION + more);
    await change(model, random);
    await lake.backend.reindex({});
    for (let step = 0; step < STEPS; step++) {
      await change(model, random);
      if (step > 0) await expectOwnRows(model, column, known);
      await lake.backend.sync({});
      const found = await documents();
      known = found;
      expect([...found.values()].sort(), `seed ${SEED}, step ${step}`).toEqual(
        [...model.live.keys()].sort(),
      );
      if (formatVersion === 2) expect(found).toEqual(await byDuckDb(model));
      for (const [key, stamp] of found) {
        if (formatVersion === 3) expect(keyOfStamp.get(stamp) ?? key).toBe(key);
        keyOfStamp.set(stamp, key);
      }
      if (step % 3 === 0) {
        await expectReadable(model, column, random);
        const verified = await lake.backend.verify({ index: 't' });
        expect(verified).toMatchObject({ equal: true });
      }
    }
    expect(await lake.backend.verify({ deep: true })).toMatchObject({ equal: true });
    await lake.expectRebuilt();
  });
});

/** Tables of Spark and PyIceberg: copies on write, deletes of each kind, Avro, format 3. */
const FOREIGN = {
  tickets_cow: 0,
  reviews_mor: 0,
  inbox_eq_part: 0,
  journal_dv: 0,
  formats_avro: 0,
  py_notes: 0,
  // the snapshots before format 3 have no row ids
  upgraded_v2_v3: 4,
} as const;

describe.skipIf(!hasShared)('an index with key: row over a table of other writers', () => {
  it.each(everyNth(Object.entries(FOREIGN), byEffort(3, 1), seedOfDay()))(
    'has the rows of each snapshot: %s',
    async (name, from) => {
      const { backend } = lake;
      const table = await openTruthTable(name);
      const key = `key: { identifier: [${table.key.join(', ')}] }`;
      await backend.createIndex({ definition: table.definition });
      const definition = table.definition.replace('index: t', 'index: r').replace(key, 'key: row');
      await backend.createIndex({ definition });
      const fieldsOf = async (index: string) => {
        const all = await Array.fromAsync(backend.exportDocuments({ index }));
        return all.map(({ fields }) => JSON.stringify(fields)).sort();
      };
      const keysOf = async () => {
        const all = await Array.fromAsync(backend.exportDocuments({ index: 'r' }));
        return all.map(({ coordinates }) => JSON.stringify(coordinates));
      };
      const ancestors = table.truth.snapshots.filter((one) => one.is_current_ancestor).slice(from);
      const [first, ...later] = ancestors.map(({ snapshot_id }) => snapshot_id);
      for (const index of ['t', 'r']) await backend.reindex({ index, as_of: first });
      expect(await fieldsOf('r')).toEqual(await fieldsOf('t'));
      for (const until of later) {
        for (const index of ['t', 'r']) await backend.sync({ index, until });
        expect(await fieldsOf('r'), until).toEqual(await fieldsOf('t'));
        expect(await backend.verify({ index: 'r' })).toMatchObject({ equal: true });
      }
      const keys = await keysOf();
      expect(new Set(keys).size).toBe(table.truth.snapshots.at(-1)!.row_count);
      await backend.reindex({ index: 'r', as_of: later.at(-1)! });
      expect(await keysOf()).toEqual(keys);
      await table.source.close();
    },
  );
});
