/** An index none of whose files but headers and deleted documents is on the local disk. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storing } from '../../../../test/support/stored-files.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { coolSegments } from '../../src/home/windows/move-window.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { WINDOW_FORM } from '../../src/segment/cool.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { FRAME_HEADER_BYTES } from '../../src/storage/frame.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { type ColdLake, coldStore, rows } from './cold-lake.ts';

const FORM = {
  isCold: ({ kind }: { readonly kind: string }) => kind !== 'live',
  resident: (...[kind, bytes]: Parameters<typeof WINDOW_FORM.resident>) =>
    kind === 'vector' ? WINDOW_FORM.resident(kind, bytes) : FRAME_HEADER_BYTES,
};

const store = coldStore();
let cold: ColdLake;
let engine: LocalEngine;
beforeAll(async () => {
  cold = await store.open();
  await cold.build(2);
  await deleteRows(cold.lake.source, "id = 'k5' OR id = 'k70'");
  for (const index of ['plain', 't']) await cold.backend.sync({ index });
  const { dataDir } = cold.backend;
  const { windows } = await cold.backend.windowStatus({ index: 't' });
  expect(windows.length).toBeGreaterThan(4);
  for (const uuid of readdirSync(join(dataDir, 'indexes'))) {
    const directory = openLocalDirectory(join(dataDir, 'indexes', uuid, 'gen-000001'));
    const { segments, windows } = readCommit(directory)!;
    if (windows === undefined) continue;
    await coolSegments(directory, segments, storing(directory, `${cold.place}/all`, 256), FORM);
  }
  const options = { openEmbedder: tinyModels().open, threads: 0 };
  engine = await openEngine(dataDir, { create: true, ...options });
});
beforeEach(() => evictColdBytes(0));
afterAll(async () => {
  await engine.close();
  await cold.close();
});

describe('an index whose files are in the store', () => {
  it('answers as one on the local disk does', async () => {
    expect(await cold.answersOf('t', engine)).toEqual(await cold.answersOf('plain'));
  });

  it('is verified, and compared with its table', async () => {
    expect(await engine.verify({ index: 't' })).toMatchObject({ equal: true, faults: [] });
    evictColdBytes(0);
    const deep = await engine.verify({ index: 't', deep: true });
    expect(deep).toMatchObject({ equal: true, faults: [] });
  });

  it('is described', async () => {
    const { fields, windows: _, ...own } = await engine.describeIndex({ index: 't' });
    const plain = await cold.backend.describeIndex({ index: 'plain' });
    expect(fields).toEqual(plain.fields);
    expect(own.num_docs).toBe(plain.num_docs);
  });

  it('has rows by key, and rows like them', async () => {
    const keys = rows(60, 80).map(({ id }) => ({ identifier: [{ name: 'id', value: id }] }));
    const own = await engine.getKeys({ index: 't', keys });
    const { rows: hot, missing } = await cold.backend.getKeys({ index: 'plain', keys });
    expect([own.rows, own.missing]).toEqual([hot, missing]);
    expect(missing.length).toBe(1);
    const like = { ast: { more_like_this: { fields: ['title'], keys: keys.slice(0, 2) } } };
    evictColdBytes(0);
    const found = await engine.search({ index: 't', ...like });
    expect(found.hits.length).toBeGreaterThan(0);
    expect(found.hits).toEqual((await cold.backend.search({ index: 'plain', ...like })).hits);
  });

  it('is exported', async () => {
    const exported = await Array.fromAsync(engine.exportDocuments({ index: 't' }));
    const plain = await Array.fromAsync(cold.backend.exportDocuments({ index: 'plain' }));
    expect(exported).toEqual(plain);
  });

  it('is searched for what has to be erased', async () => {
    const keys = [{ identifier: [{ name: 'id', value: 'k5' }] }];
    const { remains } = await engine.checkErasure({ index: 't', keys });
    expect(remains.map(({ place }) => place)).toContain('cold_window');
  });
});
