import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { Registry } from '../../src/registry/registry.ts';

const schema = schemaOf({ id: 'long', title: 'string', host: 'string' });
const definition = (name: string) => `version: 1
index: ${name}
source: { catalog: { type: filesystem, warehouse: ./lake }, table: ops.notes }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: id, type: LONG, cached: true }
`;

let dataDir = '';
let backend: LocalEngine;
const config = () => ({
  catalog: { type: 'filesystem' as const, warehouse: join(dataDir, 'lake') },
  table: 'ops.notes',
});
const append = (...rows: { id: number; title: string; host?: string }[]) =>
  appendRows(config(), { kind: 'rows', rows });
const create = (name: string) =>
  backend.createIndex({ definition: definition(name), base_dir: dataDir });
const titles = async (index: string, query = '*:*') => {
  const { hits } = await backend.search({ index, query, sort: [{ field: 'id' }] });
  return hits.map((hit) => hit.fields?.title);
};
const folderOf = (place = 0) =>
  join(dataDir, 'indexes', readdirSync(join(dataDir, 'indexes')).sort()[place]);

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'lhs-backend-'));
  await createTable(config().catalog, 'ops.notes', { schema, formatVersion: 2 });
  backend = await openEngine(dataDir, { create: true, threads: 0, freshnessMs: 0 });
});
afterEach(async () => {
  await backend.close();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the embedded engine', () => {
  it('follows the index naming rule', async () => {
    await expect(backend.describeIndex({})).rejects.toThrow(
      'index required; endpoint serves 0 indexes',
    );
    await create('one');
    expect((await backend.describeIndex({})).index).toBe('one');
    expect((await backend.describeIndex({ index: '' })).index).toBe('one');
    await create('two');
    for (const call of [
      () => backend.search({ query: 'x' }),
      () => backend.getKeys({ keys: [] }),
      () => backend.reindex({}),
      () => backend.exportDocuments({}).next(),
    ]) {
      await expect(call()).rejects.toThrow('index required; endpoint serves 2 indexes');
    }
    await expect(backend.search({ index: 'tow', query: 'x' })).rejects.toThrow(
      'there is no index "tow"; did you mean "two"?',
    );
    await expect(create('two')).rejects.toMatchObject({ code: 'index_exists' });
  });

  it('reports its lag and reads one commit until it has synced', async () => {
    await append({ id: 1, title: 'first' });
    await create('notes');
    await expect(backend.search({ query: '*:*' })).rejects.toMatchObject({
      code: 'index_not_built',
    });
    await backend.reindex({});
    expect(await backend.search({ query: 'first' })).toMatchObject({ lag_snapshots: 0 });
    await append({ id: 2, title: 'second' });
    await deleteRows(config(), 'id = 1');
    const behind = await backend.search({ query: 'first' });
    expect(behind).toMatchObject({ total: 1, lag_snapshots: 2, index_generation: 1 });
    expect(await backend.sync({})).toMatchObject({ snapshots_applied: 2, inserted: 1, deleted: 1 });
    expect(await titles('notes')).toEqual(['second']);
    expect(await backend.search({ query: 'first' })).toMatchObject({ total: 0 });
  });

  it('reports its lag with every read', async () => {
    await append({ id: 1, title: 'first' });
    await create('notes');
    await backend.reindex({});
    const key = { identifier: [{ name: 'id', value: '1' }] };
    const reads = {
      search: () => backend.search({ query: 'first', facets: { fields: ['id'] } }),
      aggregate: () => backend.aggregate({ aggs: { n: { stats: { field: 'id' } } } }),
      facets: () => backend.facets({ fields: ['id'] }),
      suggest: () => backend.suggest({ field: 'title' }),
      explain: () => backend.explain({ query: 'first', coordinates: key }),
      getKeys: () => backend.getKeys({ keys: [key] }),
    };
    const lags = () => {
      const all = Object.entries(reads).map(async ([name, read]) => {
        return [name, (await read()).lag_snapshots] as const;
      });
      return Promise.all(all);
    };
    expect(await lags()).toEqual(Object.keys(reads).map((name) => [name, 0]));
    await append({ id: 2, title: 'second' });
    await append({ id: 3, title: 'third' });
    expect(await lags()).toEqual(Object.keys(reads).map((name) => [name, 2]));
  });

  it('sees a commit of another process', async () => {
    await append({ id: 1, title: 'first' });
    await create('notes');
    await backend.reindex({});
    const other = await openEngine(dataDir, { create: true, threads: 0 });
    expect(await titles('notes')).toEqual(['first']);
    await append({ id: 2, title: 'second' });
    await other.sync({});
    expect(await titles('notes')).toEqual(['first', 'second']);
    await other.reindex({});
    expect((await backend.search({ query: '*:*' })).index_generation).toBe(2);
    await other.dropIndex({ index: 'notes' });
    await expect(backend.search({ query: '*:*' })).rejects.toThrow('serves 0 indexes');
    await other.close();
  });

  it('keeps the old generation when a value cannot be indexed', async () => {
    await append({ id: 1, title: 'first', host: '10.0.0.1' });
    const body = `${definition('notes')}  - { name: host, type: IP }\n`;
    await backend.createIndex({ definition: body, base_dir: dataDir });
    await backend.reindex({});
    await append({ id: 2, title: 'second', host: 'nowhere' });
    const fault = 'id=2: column "host" holds "nowhere", which is not an IPv4 or IPv6 address';
    await expect(backend.sync({})).rejects.toThrow(fault);
    await expect(backend.reindex({})).rejects.toThrow(fault);
    expect(await titles('notes', 'host:10.0.0.0/8')).toEqual(['first']);
    expect(readdirSync(folderOf()).sort()).toEqual(['CURRENT', 'gen-000001']);
  });

  it('repairs a damaged index by reindex, and drops one that it cannot open', async () => {
    await append({ id: 1, title: 'first' });
    await create('notes');
    await backend.reindex({});
    for (const text of ['gen-000009\n', 'nonsense', '']) {
      writeFileSync(join(folderOf(), 'CURRENT'), text);
      await expect(backend.search({ query: 'first' })).rejects.toMatchObject({
        code: 'corrupt_index',
      });
      expect(await backend.listIndexes()).toMatchObject([{ name: 'notes', error: /CURRENT/ }]);
      await backend.reindex({});
      expect(await titles('notes')).toEqual(['first']);
    }
    const generation = readFileSync(join(folderOf(), 'CURRENT'), 'utf8').trim();
    expect(readdirSync(folderOf()).sort()).toEqual(['CURRENT', generation]);
    writeFileSync(join(folderOf(), generation, 'commit'), 'not a commit');
    await expect(backend.search({ query: 'first' })).rejects.toMatchObject({
      code: 'corrupt_index',
    });
    await backend.reindex({});
    expect(await titles('notes')).toEqual(['first']);
    const registry = new Database(join(dataDir, 'registry.db'));
    registry.exec("UPDATE indexes SET definition = 'version: 7', parsed = NULL, version = 2");
    registry.close();
    await expect(backend.describeIndex({})).rejects.toMatchObject({ code: 'invalid_definition' });
    await backend.dropIndex({ index: 'notes' });
    expect(await backend.listIndexes()).toEqual([]);
    expect(readdirSync(join(dataDir, 'indexes'))).toEqual([]);
  });

  it('analyzes, parses and validates without an index or with one', async () => {
    const { tokens } = await backend.analyze({ analyzer: 'simple', text: 'Tíme 😀 OUT' });
    expect(tokens).toEqual([
      { token: 'tíme', position: 0, start: 0, end: 4 },
      { token: 'out', position: 1, start: 8, end: 11 },
    ]);
    await expect(backend.analyze({ text: 'x' })).rejects.toThrow('name a field or an analyzer');
    await append({ id: 1, title: 'first' });
    await create('notes');
    await backend.reindex({});
    await expect(backend.analyze({ field: 'id', text: 'x' })).rejects.toMatchObject({
      hint: 'TEXT fields: title',
    });
    expect((await backend.parseQuery({ query: 'a b' })).ast).toMatchObject({ bool: {} });
    await expect(backend.parseQuery({ index: 'notes', query: 'titel:a' })).rejects.toThrow(
      'field "titel" is not in index "notes"',
    );
    const wrong = definition('notes').replace('name: title', 'name: titel');
    const request = { definition: wrong, base_dir: dataDir };
    expect(await backend.validateDefinition({ ...request, against_source: true })).toEqual([
      {
        severity: 'error',
        line: 5,
        column: 13,
        message: 'column "titel" is not in ops.notes; did you mean "title"?',
      },
    ]);
    await expect(backend.createIndex(request)).rejects.toMatchObject({
      code: 'invalid_definition',
    });
  });

  it('stops a reindex whose job another process ended, and keeps its successor', async () => {
    await append({ id: 1, title: 'first' });
    await create('notes');
    await backend.reindex({});
    const staged = join(folderOf(), 'gen-000002');
    const registry = new Registry(dataDir);
    const lost = backend.reindex(
      {},
      {
        progress: () => {
          const [{ id, uuid }] = registry.jobs.running();
          registry.jobs.apply(id, 'canceled', Date.now());
          registry.generations.forget(uuid, 2);
          rmSync(staged, { recursive: true });
          mkdirSync(staged);
          writeFileSync(join(staged, 'theirs'), 'x');
          const next = registry.jobs.start(uuid, 'reindex', Date.now());
          registry.generations.stage(uuid, next?.id ?? '', [1], Date.now());
        },
      },
    );
    await expect(lost).rejects.toMatchObject({
      code: expect.stringMatching(/interrupted|io_error/),
    });
    registry.close();
    expect(readdirSync(staged)).toContain('theirs');
    expect(await titles('notes')).toEqual(['first']);
  });
});
