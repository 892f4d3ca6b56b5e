// @module-tag campaign
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchRequest } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { FastClock, next } from '../../../../test/support/followed-table.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { RestCatalog } from '../../../../test/support/rest-catalog.ts';
import {
  type PlainRow,
  plainRows,
  RESTRICTED_SCHEMA,
  randomRestrictions,
} from '../../../../test/support/restricted-rows.ts';

const FIELDS = `fields:
  - { name: name, type: TEXT, cached: true }
  - { name: city, type: KEYWORD, cached: true, fast: true }
  - { name: age, type: LONG, fast: true }
  - { name: score, type: DOUBLE, fast: true }
  - { name: born, type: DATE, fast: true }
  - { name: active, type: BOOL, fast: true }
`;

/** A clock that a test sets. Whoever waits for it waits until the wait is over otherwise. */
class HeldClock extends FastClock {
  passed = 0;
  override ticks = (): number => this.passed;
  override sleep = async (_ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal !== undefined && !signal.aborted) await once(signal, 'abort');
  };
}

let folder: string;
let backend: LocalEngine;
let catalog: RestCatalog;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-restricted-'));
  backend = await openEngine(join(folder, 'data'), {
    create: true,
    threads: 0,
    clock: new FastClock(),
    freshnessMs: 0,
  });
  catalog = new RestCatalog(join(folder, 'lake', 'ops', 'notes'));
});
afterEach(async () => {
  await backend.close();
  await catalog.close();
  rmSync(folder, { recursive: true });
});

const config = () => ({
  catalog: { type: 'filesystem', warehouse: join(folder, 'lake') } as const,
  table: 'ops.notes',
});

async function makeTable(table: string, rows: readonly PlainRow[]): Promise<void> {
  const { catalog: local } = config();
  await createTable(local, table, { schema: RESTRICTED_SCHEMA });
  if (rows.length > 0) await appendRows({ catalog: local, table }, { kind: 'rows', rows });
}

async function makeIndex(index: string, source: string): Promise<void> {
  await backend.createIndex({
    definition: `version: 1\nindex: ${index}\nsource: ${source}\n${FIELDS}`,
    base_dir: folder,
  });
  await backend.reindex({ index });
}

const remoteSource = async () =>
  `{ catalog: { type: rest, uri: "${await catalog.listen()}" }, table: ops.notes }`;
const localSource = (table: string) =>
  `{ catalog: { type: filesystem, warehouse: ./lake }, table: ${table} }`;

const QUERIES = [
  'ada',
  'name:x*',
  'name:n',
  'anna OR bo',
  'city:Bern',
  'city:xxxx',
  'city:XXXXXXXX',
  'age:18',
  'age:[0 TO 20]',
  'age:0',
  'score:>0',
  'score:0',
  'born:[1999-01-01 TO 2001-01-01]',
  'born:1970-01-01',
  'active:true',
  'active:false',
  'NOT age:*',
  'name:*',
  'NOT city:*',
  '*:*',
];
const SORTS = ['', 'age', 'score', 'born', 'city'];

function randomSearch(below: (below: number) => number): SearchRequest {
  const query = QUERIES[below(QUERIES.length)];
  const other = QUERIES[below(QUERIES.length)];
  const joined = [query, `(${query}) AND (${other})`, `(${query}) OR (${other})`][below(3)];
  const field = SORTS[below(SORTS.length)];
  const sort = [{ field, desc: below(2) === 0 }, { field: '_key' }];
  return { query: joined, limit: 100, hydrate: true, ...(field === '' ? {} : { sort }) };
}

describe('an index under read restrictions', () => {
  it('answers as an index of the filtered, masked table', async () => {
    const [tables, queries] = byEffort([4, 20], [50, 40]);
    const below = seededBelow(20_261_129);
    const rows = plainRows(below, 0, 80);
    await makeTable('ops.notes', rows);
    const source = await remoteSource();
    for (let i = 0; i < tables; i++) {
      const { json, seen } = randomRestrictions(below);
      catalog.restrictions = json;
      await makeTable(
        `ops.masked${i}`,
        rows.map(seen).filter((row) => row !== null),
      );
      await makeIndex(`restricted${i}`, source);
      await makeIndex(`masked${i}`, localSource(`ops.masked${i}`));
      expect(await backend.verify({ index: `restricted${i}` })).toMatchObject({ equal: true });
      for (let j = 0; j < queries; j++) {
        const request = randomSearch(below);
        const [a, b] = await Promise.all(
          ['restricted', 'masked'].map((name) =>
            backend.search({ ...request, index: `${name}${i}` }),
          ),
        );
        const told = `${JSON.stringify(json)} ${JSON.stringify(request)}`;
        expect(a.total, told).toBe(b.total);
        expect(a.hits, told).toEqual(b.hits);
      }
    }
  });
});

describe('restrictions that change', () => {
  const filter = (city: string) => ({
    'required-row-filter': {
      type: 'eq',
      left: { type: 'reference', id: 3 },
      right: { type: 'literal', value: city },
    },
  });
  const row = (id: number, city: string): PlainRow => {
    return { id, name: `n ${id}`, city, age: id, score: 0, born: null, active: null };
  };
  const search = async () => {
    const { hits } = await backend.search({ index: 'notes', query: '*:*', fields: ['city'] });
    return hits.map(({ fields }) => fields?.city);
  };

  beforeEach(async () => {
    await makeTable('ops.notes', [row(1, 'Bern'), row(2, 'Oslo'), row(3, 'Bern')]);
    catalog.restrictions = filter('Bern');
    await makeIndex('notes', await remoteSource());
  });

  it('are told by a description, of the index and of the table', async () => {
    const { read_restrictions: digest, checkpoint } = await backend.describeIndex({
      index: 'notes',
    });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(checkpoint?.table_uuid).toMatch(/^[0-9a-f-]{36}$/);
    const source = { catalog: { type: 'rest', uri: await uri() }, table: 'ops.notes' } as const;
    const described = await backend.describeSource({ source });
    expect(described.read_restrictions).toEqual({ digest, row_filter: true, masked: [] });
  });
  const uri = async () => {
    const { source } = await backend.describeIndex({ index: 'notes' });
    return (source as { readonly catalog: { readonly uri: string } }).catalog.uri;
  };

  it('follow the table: rows that enter and leave the filter', async () => {
    expect(await search()).toEqual(['Bern', 'Bern']);
    await upsertRows(config(), { kind: 'rows', rows: [row(1, 'Oslo'), row(2, 'Bern')] });
    expect(await backend.sync({ index: 'notes' })).toMatchObject({ inserted: 1, deleted: 1 });
    expect(await backend.verify({ index: 'notes' })).toMatchObject({ equal: true });
  });

  it('end syncs, comparisons and reads of rows until the index is built anew', async () => {
    const changed = { code: 'source_changed', message: expect.stringMatching(/restrictions/) };
    const keys = [{ identifier: [{ name: 'id', value: '1' }] }];
    for (const now of [undefined, filter('Oslo')]) {
      catalog.restrictions = now;
      await expect(backend.sync({ index: 'notes' })).rejects.toMatchObject(changed);
      await expect(backend.verify({ index: 'notes' })).rejects.toMatchObject(changed);
      await expect(backend.getKeys({ index: 'notes', keys })).rejects.toMatchObject(changed);
      if (now !== undefined) continue;
      // the catalog hides nothing now: hits are those of the index, without rows of the table
      const { hits } = await backend.search({ index: 'notes', query: '*:*', hydrate: true });
      for (const { row: read, hydrate_error: fault } of hits) {
        expect(read).toBeUndefined();
        expect(fault).toMatch(/restrictions/);
      }
    }
    await backend.reindex({ index: 'notes' });
    expect(await search()).toEqual(['Oslo']);
    const back = backend.rollbackIndex({ index: 'notes' });
    await expect(back).rejects.toMatchObject(changed);
  });

  const index = 'notes';
  const all = { index, query: '*:*' };
  const forbidden = { details: { reason: 'read_restrictions' } };
  const readsOf = (reader: LocalEngine): readonly (() => Promise<unknown>)[] => [
    () => reader.search(all),
    () => reader.search({ ...all, hydrate: true }),
    () => reader.aggregate({ ...all, aggs: {} }),
    () => reader.facets({ ...all, fields: ['city'] }),
    () => reader.suggest({ index, field: 'city', text: 'B' }),
    () => reader.explain({ ...all, coordinates: { identifier: [{ name: 'id', value: '1' }] } }),
    () => reader.clauseCounts(all),
    () => reader.bench({ index, queries: ['*:*'], repeat: 1 }),
    () => Array.fromAsync(reader.exportDocuments({ index })),
  ];

  it('end all reads of rows that the catalog may hide now', async () => {
    const { pit_id } = await backend.openPit({ index });
    const reads = [...readsOf(backend), () => backend.search({ ...all, pit_id })];
    // the second answer of a repeated request comes from the cache
    for (const read of [...reads, ...reads]) await read();
    catalog.restrictions = filter('Oslo');
    const changed = { ...forbidden, code: 'source_changed' };
    for (const read of reads) await expect(read()).rejects.toMatchObject(changed);
    await backend.reindex({ index });
    expect(await search()).toEqual(['Oslo']);
  });

  it('end all reads if they cannot be applied, also when the catalog is away later', async () => {
    const reads = readsOf(backend);
    const apply = { type: 'apply', 'function-name': ['hidden'] };
    for (const now of [[], { 'required-policy': apply }, { 'required-row-filter': apply }]) {
      catalog.restrictions = filter('Bern');
      for (const read of reads) await read();
      catalog.restrictions = now;
      for (const read of reads) await expect(read()).rejects.toMatchObject(forbidden);
    }
    await catalog.close();
    for (const read of reads.slice(0, 2)) await expect(read()).rejects.toMatchObject(forbidden);
  });

  it('end the first read of a process, and the first one after a pause', async () => {
    const clock = new HeldClock();
    for (let i = 0; i < readsOf(backend).length; i++) {
      const reader = await openEngine(join(folder, 'data'), { create: true, threads: 0, clock });
      const read = readsOf(reader)[i];
      try {
        for (const city of ['Oslo', 'Bern', 'Oslo']) {
          catalog.restrictions = filter(city);
          clock.passed += 3000;
          if (city === 'Bern') await read();
          else await expect(read(), String(read)).rejects.toMatchObject(forbidden);
        }
      } finally {
        await reader.close();
      }
    }
  });

  it('are named by a diagnosis, with the way out', async () => {
    const reader = await openEngine(join(folder, 'data'), {
      create: true,
      threads: 0,
      clock: new HeldClock(),
    });
    const problem = async () =>
      (await reader.diagnose({ index })).find(({ kind }) => kind === 'source');
    expect(await problem()).toBeUndefined();
    catalog.restrictions = filter('Oslo');
    expect(await problem()).toMatchObject({ next: [{ step: 'reindex', index }] });
    catalog.restrictions = { 'required-policy': {} };
    expect((await problem())?.advice).toMatch(/^syncs/);
    await reader.close();
  });

  it('end an export that runs', async () => {
    const rows = Array.from({ length: 2000 }, (_, i) => row(i + 4, 'Bern'));
    await appendRows(config(), { kind: 'rows', rows });
    await backend.sync({ index });
    const reader = await openEngine(join(folder, 'data'), {
      create: true,
      threads: 1,
      freshnessMs: 0,
    });
    const documents = reader.exportDocuments({ index });
    await documents.next();
    catalog.restrictions = filter('Oslo');
    await expect(Array.fromAsync(documents)).rejects.toMatchObject(forbidden);
    await reader.close();
  });

  it('make following build the index anew', async () => {
    const events = backend.follow({ index: 'notes' })[Symbol.asyncIterator]();
    await next(events, 'waiting');
    catalog.restrictions = filter('Oslo');
    expect(await next(events, 'retry')).toMatchObject({ code: 'source_changed', in_ms: 0 });
    await next(events, 'waiting', ['retry']);
    expect(await search()).toEqual(['Oslo']);
    await events.return?.(undefined);
  });
});
