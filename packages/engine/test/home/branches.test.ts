import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, setTableRef, upsertRows } from '@lakehouse-search/lake';
import { beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { storeLakes } from './store-lake.ts';

let now = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const clock = {
  now: () => now,
  ticks: () => now,
  sleep: () => Promise.resolve(),
  random: () => 0.5,
};
const store = storeLakes({ clock });
beforeEach(async () => {
  await store.lake.create(schemaOf({ id: 'string', title: 'string' }));
  await appendRows(store.lake.source, { kind: 'rows', rows: rows(0, 2000) });
  await store.lake.define(
    `storage: ${store.place}\nfields: [{ name: title, type: TEXT, cached: true }]`,
  );
  await store.lake.backend.reindex({ index: 't' });
});

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `k${from + i}`, title: `night train ${i % 97}` }));

const bytesThere = () => store.objects().reduce((sum, [, { bytes }]) => sum + bytes.length, 0);

/** What a reader with an empty disk exports. */
async function readAt(name: string): Promise<readonly unknown[]> {
  store.emptyCache();
  const engine = await openEngine(`${store.place}/${name}`, { threads: 0 });
  try {
    const all = await Array.fromAsync(engine.exportDocuments({ index: name }));
    return all.map((row) => JSON.stringify(row)).sort();
  } finally {
    await engine.close();
  }
}

/** Commits until the first ones are old enough for a sweep, then sweeps. */
async function sweep(name: string): Promise<void> {
  for (let n = 0; n < 4; n++) {
    await upsertRows(store.lake.source, { kind: 'rows', rows: rows(n, 1) });
    await store.lake.backend.sync({ index: name });
    now += 2 * HOUR;
  }
}

describe('a branch of an index in a store', () => {
  it('shares all objects, and is ready without a copy', async () => {
    const before = bytesThere();
    await store.lake.backend.cloneIndex({ index: 't', name: 'b' });
    expect(bytesThere() - before).toBeLessThan(10_000);
    expect(await readAt('b')).toEqual(await readAt('t'));
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(2000, 20) });
    await store.lake.backend.sync({ index: 'b' });
    expect(bytesThere() - before).toBeLessThan(before / 5);
    expect(await readAt('b')).toHaveLength(2020);
    expect(await readAt('t')).toHaveLength(2000);
  });

  it('follows a branch of the table, or stays at a tag', async () => {
    await setTableRef(store.lake.source, 'audit', { kind: 'branch' });
    await setTableRef(store.lake.source, 'v1', { kind: 'tag' });
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(2000, 5) });
    await store.lake.backend.sync({ index: 't' });
    await store.lake.backend.cloneIndex({ index: 't', name: 'tagged', ref: 'v1' });
    await store.lake.backend.cloneIndex({ index: 't', name: 'audited', ref: 'audit' });
    await appendRows(store.lake.source, { kind: 'rows', rows: rows(5000, 3) }, 'audit');
    for (const index of ['tagged', 'audited']) await store.lake.backend.sync({ index });
    expect(await readAt('tagged')).toHaveLength(2000);
    expect(await readAt('audited')).toHaveLength(2003);
    expect(await readAt('t')).toHaveLength(2005);
    const verified = await store.lake.backend.verify({ index: 'audited' });
    expect(verified).toMatchObject({ equal: true });
  });

  it('is refused for a branch that the table has not', async () => {
    await setTableRef(store.lake.source, 'audit', { kind: 'branch' });
    const clone = store.lake.backend.cloneIndex({ index: 't', name: 'b', ref: 'audti' });
    await expect(clone).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('"audti" is no snapshot, branch or tag'),
      hint: expect.stringContaining('audit'),
    });
    expect(await store.lake.backend.listIndexes()).toHaveLength(1);
    await store.lake.backend.cloneIndex({ index: 't', name: 'b', ref: 'audit' });
  });

  it('keeps what it needs when its index is compacted, swept and dropped', async () => {
    await store.lake.backend.cloneIndex({ index: 't', name: 'b' });
    const expected = await readAt('b');
    await store.lake.backend.cloneIndex({ index: 'b', name: 'c' });
    await store.lake.backend.reindex({ index: 't' });
    await sweep('t');
    expect(await readAt('b')).toEqual(expected);
    await store.lake.backend.dropIndex({ index: 't' });
    expect(await readAt('b')).toEqual(expected);
    // a branch of a branch needs the first index, too
    await store.lake.backend.dropIndex({ index: 'b' });
    expect(await readAt('c')).toEqual(expected);
    await store.lake.backend.sync({ index: 'c' });
    await store.lake.backend.dropIndex({ index: 'c' });
    const left = store.objects().map(([key]) => key.split('/').at(-1));
    expect(left.sort()).toEqual(['dropped', 'dropped', 'dropped']);
  });

  it('lets go of its index once it needs nothing of it', async () => {
    await store.lake.backend.cloneIndex({ index: 't', name: 'b' });
    const pins = () => store.objects().filter(([key]) => key.includes('/pins/')).length;
    expect(pins()).toBe(1);
    await store.lake.backend.reindex({ index: 'b' });
    await sweep('b');
    expect(pins()).toBe(0);
    expect(await readAt('b')).toHaveLength(2000);
    expect(await readAt('t')).toHaveLength(2000);
  });

  it('is refused under a name that the place has', async () => {
    await store.lake.backend.cloneIndex({ index: 't', name: 'b' });
    const other = await openEngine(join(store.work, 'other'), { create: true, threads: 0 });
    const at = `catalog: ${JSON.stringify(store.lake.source.catalog)}, table: a.t`;
    const definition = `version: 1\nindex: t\nsource: { ${at} }\nstorage: ${store.place}
fields: [{ name: title, type: TEXT, cached: true }]\n`;
    await other.createIndex({ definition, base_dir: store.lake.folder });
    await other.sync({ index: 't' });
    const refused = other.cloneIndex({ index: 't', name: 'b' });
    await expect(refused).rejects.toHaveProperty('code', 'already_exists');
    await other.close();
  });
});
