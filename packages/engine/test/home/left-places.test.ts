/** What stays in a place, and what goes, when an index leaves it. */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@lakehouse-search/contract';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { storedValue } from './stored-value.ts';

let lake: SmallLake;
beforeEach(async () => {
  lake = await openSmallLake();
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
  await lake.create(schemaOf({ id: 'string' }));
  await lake.define(`storage: ${lake.folder}/home\nfields: [{ name: id, type: KEYWORD }]`);
  await add('k0');
  await lake.backend.reindex({ index: 't' });
});
afterEach(async () => {
  await lake.close();
  vi.unstubAllEnvs();
});

const add = (id: string) => appendRows(lake.source, { kind: 'rows', rows: [{ id }] });

/** How many rows a reader of a place finds. */
async function rowsAt(place = 'home'): Promise<number | undefined> {
  const engine = await openEngine(`file://${lake.folder}/${place}/t`, { threads: 0 });
  try {
    return (await engine.search({ index: 't', query: '*' })).total;
  } finally {
    await engine.close();
  }
}

describe('a place of published indexes', () => {
  it.each(['./home', 'file://FOLDER/home'])(
    'begins at the folder of its definition: %s',
    async (place) => {
      await lake.backend.dropIndex({ index: 't' });
      await lake.define(`storage: ${place.replace('FOLDER', lake.folder)}
fields: [{ name: id, type: KEYWORD }]`);
      await lake.backend.reindex({ index: 't' });
      expect(await rowsAt()).toBe(1);
    },
  );

  it('keeps what another data folder has published when a copy is dropped', async () => {
    cpSync(join(lake.folder, 'data'), join(lake.folder, 'copy'), { recursive: true });
    await add('k1');
    await lake.backend.sync({ index: 't' });
    const copy = await openEngine(join(lake.folder, 'copy'), { threads: 0 });
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
    await copy.dropIndex({ index: 't' });
    await copy.close();
    expect(warned.mock.calls[0]![0]).toContain('another data folder has published "t"');
    warned.mockRestore();
    expect(await rowsAt()).toBe(2);
    await add('k2');
    await lake.backend.sync({ index: 't' });
    expect(await rowsAt()).toBe(3);
  });

  const objects = (place: string) =>
    readdirSync(join(lake.folder, place), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /commits\/|data\/./.test(name),
    );
  const keys = [{ identifier: [{ name: 'id', value: 'k0' }] }];
  const move = (storage?: string) =>
    lake.backend.moveIndex({ index: 't', ...(storage === undefined ? {} : { storage }) });

  it('is left for another one, for the data folder, and found again', async () => {
    for (let n = 0; n < 2; n++) {
      const moved = await move(`${lake.folder}/second`);
      expect(moved).toMatchObject({ previous_storage: `${lake.folder}/home` });
      await expect(rowsAt()).rejects.toHaveProperty('code', 'index_not_found');
      expect(await rowsAt('second')).toBe(1 + n);
      expect(await move()).toMatchObject({ storage: null });
      await expect(rowsAt('second')).rejects.toHaveProperty('code', 'index_not_found');
      await add(`m${n}`);
      await lake.backend.sync({ index: 't' });
      await move(`${lake.folder}/home`);
      expect(await rowsAt()).toBe(2 + n);
    }
  });

  it('is left by two moves at a time', async () => {
    const places = ['second', 'third'].map((name) => `${lake.folder}/${name}`);
    await Promise.all(places.map((place) => move(place)));
    const left = ['home', 'second', 'third'].filter((name) => objects(name).length > 0);
    expect(left).toHaveLength(1);
    expect(await rowsAt(left[0])).toBe(1);
  });

  it('has nothing of an index that was erased from after it had left', async () => {
    await add('k1');
    await lake.backend.sync({ index: 't' });
    // as an index that could not leave its place
    const [uuid] = readdirSync(join(lake.folder, 'data/indexes'));
    const left = readFileSync(join(lake.folder, 'data/indexes', uuid!, 'published'), 'utf8');
    cpSync(join(lake.folder, 'home'), join(lake.folder, 'then'), { recursive: true });
    await move(`${lake.folder}/other`);
    rmSync(join(lake.folder, 'home'), { recursive: true });
    renameSync(join(lake.folder, 'then'), join(lake.folder, 'home'));
    const stuck = JSON.stringify([{ ...JSON.parse(left), isStuck: true }]);
    writeFileSync(join(lake.folder, 'data/indexes', uuid!, 'published.left'), stuck);
    await deleteRows(lake.source, "id = 'k0'");
    await lake.backend.sync({ index: 't' });
    expect(await rowsAt()).toBe(2);
    const found = await lake.backend.checkErasure({ index: 't', keys });
    expect(found.remains.map(({ place }) => place)).toContain('published_commit');
    const { report } = await lake.backend.runErasure({ index: 't', keys });
    expect(report.remains).toEqual([]);
    await expect(rowsAt()).rejects.toMatchObject({ code: 'index_not_found' });
    expect(objects('home')).toEqual([]);
    expect(objects('other').map((name) => name.split('/').at(-2))).toEqual(['commits', 'data']);
    expect(await rowsAt('other')).toBe(1);
    expect(readdirSync(join(lake.folder, 'cache/opened'))).toHaveLength(1);
    await lake.backend.dropIndex({ index: 't' });
    expect([...objects('home'), ...objects('other')]).toEqual([]);
  });

  it('has nothing of an index that was dropped after it had left', async () => {
    await move(`${lake.folder}/other`);
    await lake.backend.sync({ index: 't' });
    await lake.backend.dropIndex({ index: 't' });
    expect([...objects('home'), ...objects('other')]).toEqual([]);
  });

  it('is examined after an erasure that could not delete', async () => {
    await deleteRows(lake.source, "id = 'k0'");
    await lake.backend.sync({ index: 't' });
    const before = objects('home');
    const found = await lake.backend.checkErasure({ index: 't', keys });
    expect(found.remains.filter(({ place }) => place === 'published_commit')).toHaveLength(1);
    const { receipt } = await lake.backend.runErasure({ index: 't', keys });
    const now = objects('home');
    expect(before.filter((name) => now.includes(name))).toEqual([]);
    const located = (names: readonly string[]) =>
      names.map((name) => `${lake.folder}/home/${name}`);
    const { deleted, written } = receipt.statement.objects!;
    expect(new Set(deleted)).toEqual(new Set(located(before)));
    expect(new Set(written)).toEqual(new Set(located(now)));
    const again: JsonObject = JSON.parse(JSON.stringify(receipt));
    expect(await lake.backend.verifyReceipt({ receipt: again })).toMatchObject({ valid: true });
    const { clean } = await lake.backend.checkErasure({ index: 't', keys });
    expect(clean).toBe(true);
  });

  /** Paths of objects in the place whose names match. */
  const objectsNamed = (pattern: RegExp) =>
    readdirSync(join(lake.folder, 'home'), { recursive: true, encoding: 'utf8' })
      .map((name) => join(lake.folder, 'home', name))
      .filter((path) => pattern.test(path));

  it.each([[/indexes$/], [/home\/families$|indexes$/]])(
    'has again what it lost: %s',
    async (lost) => {
      for (const path of objectsNamed(lost)) rmSync(path, { recursive: true });
      await expect(rowsAt()).rejects.toMatchObject({ code: 'index_not_found' });
      await lake.backend.sync({ index: 't' });
      expect(await rowsAt()).toBe(1);
      await add('k1');
      await lake.backend.sync({ index: 't' });
      expect(await rowsAt()).toBe(2);
    },
  );

  it('says which commit it cannot read', async () => {
    const [commit] = objectsNamed(/commits\/\d+$/);
    const text = readFileSync(commit!, 'utf8');
    writeFileSync(commit!, text.slice(0, 50));
    await expect(rowsAt()).rejects.toThrow(/of a published index is damaged: it is no JSON/);
    writeFileSync(commit!, JSON.stringify({ ...storedValue<object>(text), format: 2 }));
    await expect(rowsAt()).rejects.toMatchObject({
      code: 'unsupported',
      hint: 'a newer lhs wrote it: update lhs',
    });
  });

  it('names its indexes to who mistypes one', async () => {
    const open = (name: string) => openEngine(`file://${lake.folder}/home/${name}`);
    await expect(open('words')).rejects.toThrow(/has no index "words"; it has t$/);
  });

  it('cannot be opened without a folder for the cache, which the message names', async () => {
    vi.stubEnv('LHS_COLD_CACHE_DIR', '/proc/none');
    await expect(rowsAt()).rejects.toMatchObject({
      hint: expect.stringContaining('LHS_COLD_CACHE_DIR'),
    });
  });
});
