/** What a data folder says of its commits in a store, and when it cannot write there. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows } from '@lakehouse-search/lake';
import { beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { storeLakes } from './store-lake.ts';
import { storedValue } from './stored-value.ts';

const store = storeLakes();
beforeEach(async () => {
  await store.lake.create(schemaOf({ id: 'string' }));
  await append('k0');
});

const append = (id: string) => appendRows(store.lake.source, { kind: 'rows', rows: [{ id }] });
const define = (where = store.place) =>
  store.lake.define(`storage: ${where}\nfields: [{ name: id, type: KEYWORD }]`);
const published = async (engine = store.lake.backend) => {
  const [status, description] = [
    await engine.status({ index: 't' }),
    await engine.describeIndex({ index: 't' }),
  ];
  expect(status.published).toEqual(description.published);
  return status.published;
};
const denied = () => ({ kind: 'status' as const, status: 403, code: 'AccessDenied' });

describe('the state of a publication', () => {
  it('is the place and the newest commit, for the writer and for readers', async () => {
    await define();
    const at = `${store.place}/t`;
    expect(await published()).toEqual({ place: at, commit: null, snapshot: null });
    await store.lake.backend.reindex({ index: 't' });
    const state = { place: at, commit: 1, snapshot: `${await store.lake.head()}` };
    expect(await published()).toEqual(state);
    const reader = await openEngine(at, { threads: 0, refreshMs: 0 });
    expect(await published(reader)).toEqual(state);
    await append('k1');
    expect(await reader.status({ index: 't' })).toMatchObject({ synced_by: 'publisher' });
    const min_snapshot = `${await store.lake.head()}`;
    await expect(reader.search({ index: 't', query: '*', min_snapshot })).rejects.toMatchObject({
      code: 'snapshot_not_reached',
      next: [{ step: 'show_status', index: 't' }],
    });
    await store.lake.backend.sync({ index: 't' });
    const next = { ...state, commit: 2, snapshot: `${await store.lake.head()}` };
    expect(await published()).toEqual(next);
    expect(await published(reader)).toEqual(next);
    await reader.close();
  });

  it('is pending while the store does not take what is done here', async () => {
    await store.lake.define('fields: [{ name: id, type: KEYWORD }]');
    await store.lake.backend.reindex({ index: 't' });
    expect(await published()).toBeUndefined();
    store.server.fault = ({ method }) => (method === 'PUT' ? denied() : null);
    const definition_yaml = `version: 1\nindex: t\nstorage: ${store.place}
source: { catalog: ${JSON.stringify(store.lake.source.catalog)}, table: a.t }
fields: [{ name: id, type: KEYWORD }]\n`;
    await store.lake.backend
      .alterIndex({ index: 't', definition_yaml, apply: true })
      .catch(() => {});
    await expect(store.lake.backend.sync({ index: 't' })).rejects.toMatchObject({
      code: 'permission_denied',
      hint: expect.stringContaining('the work is done here, and a sync publishes it'),
      next: [{ step: 'sync', index: 't' }],
    });
    const state = { place: `${store.place}/t`, commit: null, snapshot: null, pending: true };
    expect(await published()).toEqual(state);
    store.server.fault = () => null;
    await store.lake.backend.sync({ index: 't' });
    expect(await published()).toMatchObject({ commit: 1, snapshot: `${await store.lake.head()}` });
  });
});

describe('what an index takes', () => {
  it('is its files alone if its store refuses, and a finding says so', async () => {
    await define();
    await store.lake.backend.reindex({ index: 't' });
    store.server.fault = denied;
    const usage = await store.lake.backend.usage({ index: 't' });
    expect(usage.bytes.keys).toBeGreaterThan(0);
    expect(usage.objects).toBeUndefined();
    const findings = await store.lake.backend.diagnose({ index: 't' });
    const detail = expect.stringContaining('access denied');
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'published', detail }));
  });

  it('is its files by kind, its objects, and what the last reads fetched', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: `${i}-${(i * 7919) % 65_537}` }));
    await appendRows(store.lake.source, { kind: 'rows', rows });
    await store.lake.define(
      `storage: ${store.place}\nfields: [{ name: id, type: KEYWORD, fast: true }]`,
    );
    await store.lake.backend.reindex({ index: 't' });
    const { bytes, objects, reads } = await store.lake.backend.usage({ index: 't' });
    const { bytes: all } = await store.lake.backend.describeIndex({ index: 't' });
    expect(Object.values(bytes).reduce((sum, one) => sum + one, 0)).toBe(all);
    expect(bytes).toMatchObject({ stored: 0, vectors: 0 });
    const there = [...store.server.buckets.get('home')!].filter(([key]) =>
      `s3://home/${key}`.startsWith(`${store.place}/families/`),
    );
    const size = there.reduce((sum, [, { bytes: body }]) => sum + body.length, 0);
    expect(objects).toEqual({ count: there.length, bytes: size });
    expect(reads).toBeUndefined();
    let before = 0;
    for (const threads of [0, 1]) {
      rmSync(store.cache, { recursive: true, force: true });
      const first = await openEngine(`${store.place}/t`, { threads });
      await first.search({ index: 't', query: 'id:77*' });
      await first.close();
      const second = await openEngine(`${store.place}/t`, { threads: 0 });
      const { requests = 0 } = (await second.usage({ index: 't' })).reads ?? {};
      expect(requests).toBeGreaterThan(before);
      before = requests;
      await second.close();
    }
  });
});

describe('the receipt of an erasure', () => {
  const keys = [{ identifier: [{ name: 'id', value: 'k0' }] }];
  const objects = () =>
    [...store.server.buckets.get('home')!.keys()]
      .map((key) => `s3://home/${key}`)
      .filter((path) => path.startsWith(store.place) && /commits|data/.test(path));

  it('names the objects that stopped runs have deleted, too', async () => {
    await define();
    await store.lake.backend.reindex({ index: 't' });
    await append('k1');
    await deleteRows(store.lake.source, "id = 'k0'");
    await store.lake.backend.sync({ index: 't' });
    const before = objects();
    for (let run = 0; run < 2; run++) {
      const stop = new AbortController();
      store.server.fault = ({ method, query }) => {
        if (method === 'DELETE' || query?.has('delete')) stop.abort();
        return null;
      };
      const { signal } = stop;
      await expect(
        store.lake.backend.runErasure({ index: 't', keys }, { signal }),
      ).rejects.toMatchObject({ code: 'interrupted' });
      expect(objects().filter((path) => before.includes(path))).toEqual([]);
    }
    store.server.fault = () => null;
    const { receipt } = await store.lake.backend.runErasure({ index: 't', keys });
    const { deleted, written } = receipt.statement.objects!;
    expect(deleted).toEqual(expect.arrayContaining(before));
    expect(new Set(written)).toEqual(new Set(objects()));
    const { receipt: next } = await store.lake.backend.runErasure({ index: 't', keys });
    for (const path of before) expect(next.statement.objects!.deleted).not.toContain(path);
  });
});

describe('a move that does not end', () => {
  it.each(['commits/', 'indexes/'])('leaves no files where it led: no %s', async (denies) => {
    await define();
    await store.lake.backend.reindex({ index: 't' });
    const second = `${store.place}-second`;
    const there = () =>
      [...store.server.buckets.get('home')!.keys()].filter(
        (key) => `s3://home/${key}`.startsWith(second) && /(commits|data|indexes)\//.test(key),
      );
    store.server.fault = ({ method, key }) =>
      method === 'PUT' && key.includes(denies) ? denied() : null;
    await expect(
      store.lake.backend.moveIndex({ index: 't', storage: second }),
    ).rejects.toMatchObject({
      code: 'permission_denied',
    });
    expect(there().length).toBeGreaterThan(0);
    store.server.fault = () => null;
    await store.lake.backend.moveIndex({ index: 't', storage: store.place });
    expect(there()).toEqual([]);
    expect(await published()).toMatchObject({ place: `${store.place}/t` });
  });
});

const noBucket = () => ({ kind: 'status', status: 404, code: 'NoSuchBucket' }) as const;

describe('a build', () => {
  const faults = {
    'cannot be written': { fault: denied, code: 'permission_denied', message: /access denied/ },
    'ignores conditions': { fault: null, code: 'unsupported', message: /If-None-Match/ },
    'has no bucket': { fault: noBucket, code: 'not_found', message: /no bucket "home"/ },
  };

  it.each(Object.entries(faults))(
    'does not begin if its store.place %s',
    async (what, expected) => {
      const { fault, code, message } = expected;
      store.server.ignoresConditions = what === 'ignores conditions';
      store.server.fault = ({ method }) => (fault !== null && method === 'PUT' ? fault() : null);
      await define();
      await expect(store.lake.backend.reindex({ index: 't' })).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      const [uuid] = readdirSync(join(store.lake.folder, 'data', 'indexes'));
      expect(readdirSync(join(store.lake.folder, 'data', 'indexes', uuid!))).toEqual([]);
    },
  );

  it('leaves no trial behind', async () => {
    await define();
    await store.lake.backend.reindex({ index: 't' });
    const keys = [...store.server.buckets.get('home')!.keys()];
    expect(keys.filter((key) => key.includes('trial'))).toEqual([]);
  });
});

describe('a place of a newer version', () => {
  const update = { code: 'unsupported', hint: 'a newer lhs wrote it: update lhs' };
  const change = (end: string, to: (text: string) => string) => {
    const objects = store.server.buckets.get('home')!;
    const key = [...objects.keys()].find(
      (one) => `s3://home/${one}`.startsWith(store.place) && one.endsWith(end),
    )!;
    const object = objects.get(key)!;
    const changed = to(JSON.stringify(storedValue(object.bytes)));
    objects.set(key, { ...object, bytes: Buffer.from(changed) });
  };

  it.each([
    ['its mark', 'repository.json', '"version":2', '"version":3'],
    ['a commit', 'commits/000000000001', '"format":1', '"format":2'],
  ])('is neither read nor written: %s', async (_, end, from, to) => {
    await define();
    await store.lake.backend.reindex({ index: 't' });
    change(end, (text) => text.replace(from, to));
    for (const location of [`${store.place}/t`, store.place]) {
      await expect(openEngine(location), location).rejects.toMatchObject(update);
    }
    rmSync(join(store.lake.folder, 'data'), { recursive: true });
    const other = await openEngine(join(store.lake.folder, 'other'), { create: true, threads: 0 });
    const source = `source: { catalog: ${JSON.stringify(store.lake.source.catalog)}, table: a.t }`;
    const fields = 'fields: [{ name: id, type: KEYWORD }]';
    const definition = `version: 1\nindex: t\n${source}\nstorage: ${store.place}\n${fields}`;
    await other.createIndex({ definition, base_dir: store.lake.folder });
    await expect(other.reindex({ index: 't' })).rejects.toMatchObject(update);
    await other.close();
  });
});
