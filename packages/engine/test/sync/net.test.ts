// @module-tag campaign
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SyncResponse } from '@lakehouse-search/engine';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { byEffort, seedOfDay } from '../../../../test/support/effort.ts';
import { changeColumns } from '../../../../test/support/maintenance/index.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { FollowedIndex } from './schedules/followed-index.ts';
import { changes } from './schedules/operations.ts';
import { RealTable } from './schedules/real-table.ts';

const CASES = Number(process.env.LHS_SCHEDULES ?? byEffort(6, 60, 5000));
const SEED = Number(process.env.LHS_SEED ?? byEffort(4, seedOfDay()));

const schedule = fc.record({
  formatVersion: fc.constantFrom(2 as const, 3 as const, 1 as const),
  partitioned: fc.boolean(),
  shards: fc.constantFrom(1, 3),
  operations: changes(),
});
type Changes = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

const QUERIES = ['title:fig', 'title:(plum every)', 'title:"pear plum"', 'kind:a OR title:sloe'];

/**
 * Everything that a reader sees: documents, digest, hits with their scores. Deleted documents count
 * in scores until they are merged away.
 */
async function seen({ backend }: FollowedIndex, { doc_count, snapshot }: SyncResponse) {
  await backend.compact({});
  const documents = await Array.fromAsync(backend.exportDocuments({}));
  const found = await Promise.all(QUERIES.map((query) => backend.search({ query, limit: 100 })));
  const near = await backend.semantic({
    ...{ query_text: 'fig plum', k: 10, vector_field: 'meaning' },
  });
  const hits = [...found, near].map((answer) =>
    answer.hits.map(({ coordinates, score }) => ({ coordinates, score })),
  );
  const known = await backend.verify({}).catch(({ code }) => ({ digest: code }));
  return { doc_count, snapshot, documents, hits, digest: known.digest };
}

/** Changes a table, and compares an index that follows in one step with one that goes one by one. */
async function compare({ shards, operations, ...options }: Changes): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-net-'));
  const table = new RealTable(join(folder, 'lake'));
  const open: FollowedIndex[] = [];
  try {
    await table.create(options);
    await table.run({ op: 'append', keys: [0, 1, 2, 3, 4, 5, 6, 7], salt: 0 });
    for (const name of ['single', 'net']) {
      const more = `sharding: { shards: ${shards} }`;
      const index = await FollowedIndex.create(join(folder, name), table.warehouse, more);
      open.push(index);
      await index.backend.reindex({});
    }
    for (const operation of operations) await table.run(operation);
    const answers = [];
    for (const [net, index] of [
      [false, open[0]],
      [true, open[1]],
    ] as const)
      answers.push(await seen(index, await index.backend.sync({ net })));
    expect(answers[1]).toEqual(answers[0]);
  } finally {
    for (const index of open) await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const lakes: SmallLake[] = [];
afterEach(async () => {
  for (const lake of lakes.splice(0)) await lake.close();
});

const SCHEMA = schemaOf({ id: 'long', text: 'string' });
const row = (id: number, text = `t${id}`) => ({ id: BigInt(id), text });

/** A table of 3 rows that is indexed, and then `count` appends of a row each. */
async function behind(count: number): Promise<SmallLake> {
  const lake = await openSmallLake();
  lakes.push(lake);
  await lake.create(SCHEMA, { rows: [row(0), row(1), row(2)] });
  await lake.build('key: { identifier: [id] }\nfields: [{ name: text, type: KEYWORD }]');
  for (let i = 0; i < count; i++) await lake.append([row(10 + i)]);
  return lake;
}

describe('a catch-up in one step', () => {
  it(`is that of one by one after any changes (${CASES} cases, seed ${SEED})`, async () => {
    await fc.assert(fc.asyncProperty(schedule, compare), {
      numRuns: CASES,
      seed: SEED,
      path: process.env.LHS_PATH ?? '',
    });
  }, 3_600_000);

  it('is taken for more than 16 snapshots, or as required', async () => {
    const commits = async (lake: SmallLake, net?: boolean) => {
      let steps = 0;
      const progress = () => steps++;
      const { snapshots_applied: applied } = await lake.backend.sync({ net }, { progress });
      return { steps, applied };
    };
    expect(await commits(await behind(16))).toEqual({ steps: 16, applied: 16 });
    expect(await commits(await behind(17))).toEqual({ steps: 1, applied: 17 });
    expect(await commits(await behind(17), false)).toEqual({ steps: 17, applied: 17 });
    expect(await commits(await behind(2), true)).toEqual({ steps: 1, applied: 2 });
    expect(await commits(await behind(1), true)).toEqual({ steps: 1, applied: 1 });
  });

  it('counts each key once, and what files were rewritten', async () => {
    const lake = await behind(0);
    await lake.append([row(3), row(4)]);
    for (const text of ['a', 'b', 'c'])
      await upsertRows(lake.source, { kind: 'rows', rows: [row(0, text), row(3, text)] });
    await deleteRows(lake.source, 'id = 1 OR id = 4');
    const done = await lake.backend.sync({ net: true });
    expect(done).toMatchObject({ inserted: 1, updated: 1, deleted: 1, skipped_replace: 0 });
    expect(done.healed).toBeUndefined();
    await lake.expectRebuilt();
  });

  it('has reached the snapshots on its way', async () => {
    const lake = await behind(20);
    const table = await lake.table();
    await table.close();
    await lake.backend.sync({ net: true });
    for (const { id } of table.snapshots) {
      const query = { query: '*:*', min_snapshot: String(id) };
      expect((await lake.backend.search(query)).total).toBe(23);
    }
    const { table_uuid, schema, files } = await lake.backend.getCheckpoint({});
    const [first, middle] = table.snapshots.map(({ id }) => String(id));
    const to = { schema, files, snapshot_id: middle, sequence: '2' };
    const batch = { version: 1 as const, table_uuid, from: first, to, parts: [] };
    expect(await lake.backend.applyBatch({ batch })).toMatchObject({ applied: false });
  });

  it('goes as far as it can where the target cannot be indexed', async () => {
    const lake = await behind(18);
    const good = await lake.head();
    await lake.append([row(1, 'again')]);
    await expect(lake.backend.sync({})).rejects.toMatchObject({ code: 'source_invalid' });
    expect((await lake.backend.describeIndex({})).snapshot).toBe(String(good));
    expect((await lake.documents()).size).toBe(21);
  });

  it('goes as far as the table has the columns of the index', async () => {
    const lake = await behind(18);
    const good = await lake.head();
    await changeColumns(lake.source, { kind: 'drop', name: 'text' });
    await lake.append([{ id: 99n }]);
    await expect(lake.backend.sync({})).rejects.toMatchObject({ code: 'schema_changed' });
    expect((await lake.backend.describeIndex({})).snapshot).toBe(String(good));
  });
});
