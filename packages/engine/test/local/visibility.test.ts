import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { openTable } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowedTable } from '../../../../test/support/followed-table.ts';
import { setRef } from '../../../../test/support/maintenance/index.ts';
import { RestCatalog } from '../../../../test/support/rest-catalog.ts';

/** A clock that stands until it is told how much time has passed. */
class HandClock {
  #now = Date.UTC(2025, 10, 21);
  readonly #sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  now = (): number => this.#now;
  ticks = this.now;
  random = (): number => 0;
  sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ until: this.#now + ms, wake });
    });

  /** How often something has slept. */
  get sleeps(): number {
    return this.#sleepers.length;
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const { until, wake } of this.#sleepers) if (until <= this.#now) wake();
  }
}

let table: FollowedTable;
let reader: LocalEngine;
let clock: HandClock;
beforeEach(async () => {
  table = await new FollowedTable().open();
  clock = new HandClock();
  reader = await openEngine(table.folder, { create: true, threads: 0, clock, freshnessMs: 0 });
});
afterEach(async () => {
  await reader.close();
  await table.dispose();
});

const head = async () => {
  const source = await openTable(table.config);
  await source.close();
  return String(source.currentSnapshotId);
};
const key = (id: number) => ({ identifier: [{ name: 'id', value: String(id) }] });

describe('freshness of every response', () => {
  it('says of which snapshot and generation it is, and how far the table is ahead', async () => {
    const start = await head();
    const fresh = { snapshot: start, index_generation: 1, lag_snapshots: 0 };
    expect(await reader.search({ query: '*:*' })).toMatchObject(fresh);
    expect(await reader.getKeys({ keys: [key(1)] })).toMatchObject(fresh);
    await table.append(4);
    await table.append(5);
    expect(await reader.search({ query: '*:*' })).toMatchObject({ ...fresh, lag_snapshots: 2 });
    expect(await reader.getKeys({ keys: [key(5)] })).toMatchObject({
      rows: [{ key: key(5) }],
      snapshot: await head(),
      index_generation: 1,
      lag_snapshots: 2,
    });
    await table.backend.sync({});
    await setRef(table.config, 'main', 'branch', BigInt(start));
    expect(await reader.search({ query: '*:*' })).toMatchObject({ total: 5, lag_snapshots: 1 });
  });

  it('says null where the table is away, at once, and finds it again', async () => {
    expect((await reader.search({ query: '*:*' })).lag_snapshots).toBe(0);
    const { warehouse } = table.config.catalog;
    renameSync(warehouse, `${warehouse}-away`);
    expect(await reader.search({ query: '*:*' })).toMatchObject({ total: 3, lag_snapshots: null });
    renameSync(`${warehouse}-away`, warehouse);
    clock.pass(5000);
    expect((await reader.search({ query: '*:*' })).lag_snapshots).toBe(0);
  });
});

describe('an engine that looks at its tables in the background', () => {
  let quick: LocalEngine;
  beforeEach(async () => {
    quick = await openEngine(table.folder, { create: true, threads: 0, clock });
  });
  afterEach(() => quick.close());
  const lag = async () => {
    const { lag_snapshots, lag_checked_ms } = await quick.search({ query: '*:*' });
    return [lag_snapshots, lag_checked_ms];
  };

  it('answers before the first look, then from the last one, and says its age', async () => {
    expect(await lag()).toEqual([null, undefined]);
    await expect.poll(lag).toEqual([0, 0]);
    await table.append(4);
    clock.pass(999);
    expect(await lag()).toEqual([0, 999]);
    clock.pass(1);
    expect(await lag()).toEqual([0, 1000]);
    await expect.poll(lag).toEqual([1, 0]);
    await table.backend.sync({});
    expect(await lag()).toEqual([0, 0]);
  });

  it('looks anew for a commit that is newer than the last look, once', async () => {
    await expect.poll(lag).toEqual([0, 0]);
    await table.append(4);
    await table.backend.sync({});
    clock.pass(10);
    expect(await lag()).toEqual([0, 0]);
    clock.pass(10);
    expect(await lag()).toEqual([0, 10]);
  });

  it('says null after a look that failed, and looks again', async () => {
    await expect.poll(lag).toEqual([0, 0]);
    const { warehouse } = table.config.catalog;
    renameSync(warehouse, `${warehouse}-away`);
    clock.pass(1000);
    await expect.poll(lag).toEqual([null, 0]);
    renameSync(`${warehouse}-away`, warehouse);
    clock.pass(1000);
    await expect.poll(lag).toEqual([0, 0]);
  });

  it('sends a catalog one request per look, however many searches there are', async () => {
    const catalog = new RestCatalog(join(table.config.catalog.warehouse, 'ops', 'notes'));
    const definition = `version: 1
index: remote
source: { catalog: { type: rest, uri: "${await catalog.listen()}" }, table: ops.notes }
freshness_ms: 60000
fields: [{ name: title, type: TEXT }]
`;
    await quick.createIndex({ definition });
    await quick.reindex({ index: 'remote' });
    const search = async () =>
      (await quick.search({ index: 'remote', query: '*:*' })).lag_snapshots;
    await expect.poll(search).toBe(0);
    catalog.answers.length = 0;
    clock.pass(59_999);
    for (let i = 0; i < 20; i++) expect(await search()).toBe(0);
    expect(catalog.answers).toEqual([]);
    clock.pass(1);
    for (let i = 0; i < 20; i++) expect(await search()).toBe(0);
    await expect.poll(() => catalog.answers).toEqual([200]);
    await quick.close();
    await catalog.close();
  });
});

describe('a table that is removed and restored', () => {
  it('leaves no file open', async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const { warehouse } = table.config.catalog;
    const counts: number[] = [];
    for (let outage = 0; outage < 6; outage++) {
      expect((await reader.getKeys({ keys: [key(1)] })).rows.length).toBe(1);
      renameSync(warehouse, `${warehouse}-away`);
      await expect(reader.getKeys({ keys: [key(1)] })).rejects.toMatchObject({
        code: 'source_unreachable',
      });
      renameSync(`${warehouse}-away`, warehouse);
      await table.append(10 + outage);
      counts.push(open());
    }
    expect(counts.at(-1)! - counts[1]).toBeLessThan(3);
  });
});

describe('a catalog that hangs', () => {
  it('keeps a search waiting for a second, the next ones not at all, and no end', async () => {
    const catalog = new RestCatalog(join(table.config.catalog.warehouse, 'ops', 'notes'));
    const uri = await catalog.listen();
    const definition = `version: 1
index: remote
source: { catalog: { type: rest, uri: "${uri}" }, table: ops.notes }
fields: [{ name: title, type: TEXT }]
`;
    await reader.createIndex({ definition });
    await reader.reindex({ index: 'remote' });
    const search = () => reader.search({ index: 'remote', query: '*:*' });
    expect((await search()).lag_snapshots).toBe(0);
    catalog.answers.length = 0;
    expect((await search()).lag_snapshots).toBe(0);
    expect(catalog.answers).toEqual([200]);
    catalog.hangs = true;
    const slow = search();
    await expect.poll(() => catalog.answers.at(-1)).toBe(0);
    for (let part = 0; part < 10; part++) {
      clock.pass(100);
      await setImmediate();
    }
    expect(await slow).toMatchObject({ total: 3, lag_snapshots: null });
    expect(await search()).toMatchObject({ total: 3, lag_snapshots: null });
    expect(catalog.answers).toEqual([200, 0]);
    const before = clock.sleeps;
    const status = reader.status({ index: 'remote' });
    await expect.poll(() => clock.sleeps).toBeGreaterThan(before);
    clock.pass(10_000);
    expect(await status).toMatchObject({
      num_docs: 3,
      source_error: { code: 'source_unreachable', message: expect.stringContaining('10 s') },
    });
    await reader.close();
    await catalog.close();
    reader = await openEngine(table.folder, { create: true, threads: 0 });
  });
});

describe('a search that wants a snapshot', () => {
  it('has it where the index holds it, as its own or from before', async () => {
    const first = await head();
    await table.append(4);
    await table.backend.sync({});
    const second = await head();
    for (const min_snapshot of [first, second]) {
      expect(await reader.search({ query: '*:*', min_snapshot })).toMatchObject({ total: 4 });
    }
    renameSync(table.config.catalog.warehouse, join(table.folder, 'away'));
    expect(await reader.search({ query: '*:*', min_snapshot: first })).toMatchObject({ total: 4 });
  });

  it('waits for the commit of whoever syncs', async () => {
    const patient = await openEngine(table.folder, { create: true, threads: 0 });
    await table.append(4);
    const wanted = { query: '*:*', min_snapshot: await head() };
    await expect(patient.search(wanted)).rejects.toMatchObject({ code: 'snapshot_not_reached' });
    const answer = patient.search({ ...wanted, wait_ms: 60_000 });
    await table.append(5);
    await table.backend.sync({});
    expect((await answer).total).toBeGreaterThanOrEqual(4);
    await patient.close();
  });

  it('gives up when its time is over', async () => {
    const wanted = { query: '*:*', min_snapshot: '77', wait_ms: 30_000 };
    await expect(table.backend.search(wanted)).rejects.toMatchObject({
      code: 'snapshot_not_reached',
      message: expect.stringContaining('not yet at 77, after a wait of 30000 ms'),
      details: { waited_ms: 30_000 },
    });
    expect(table.clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(30_000);
  });

  it('waits for no mistake, and not for ever', async () => {
    const wanted = { query: 'nope:x', min_snapshot: '77', wait_ms: 30_000 };
    await expect(reader.search(wanted)).rejects.toMatchObject({ code: 'invalid_query' });
    const long = { query: '*:*', min_snapshot: '77', wait_ms: 600_001 };
    await expect(reader.search(long)).rejects.toMatchObject({ code: 'limit_exceeded' });
  });
});
