import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AggSpecs, LhsError } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';

const ROWS = 3000;
const folder = mkdtempSync(join(tmpdir(), 'lhs-threads-'));
const data = join(folder, 'data');
const config = {
  catalog: { type: 'filesystem', warehouse: join(folder, 'lake') } as const,
  table: 'a.t',
};
const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'error', 'timeout', 'retry'];
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => {
    const id = from + i;
    const word = (n: number) => WORDS[(id * 7 + n * (id % 11)) % WORDS.length];
    return {
      id,
      title: `${word(1)} ${word(2)} ${word(3)} number ${id % 100}`,
      kind: WORDS[id % 5],
      size: id % 37,
    };
  });

const open = (threads: number) =>
  openEngine(data, {
    create: true,
    threads,
    openEmbedder: tinyModels().open,
    freshnessMs: 3_600_000,
  });
let here: LocalEngine;
const threaded: LocalEngine[] = [];

beforeAll(async () => {
  const schema = schemaOf({ id: 'long', title: 'string', kind: 'string', size: 'long' });
  await createTable(config.catalog, config.table, { schema });
  await appendRows(config, { kind: 'rows', rows: rows(0, ROWS) });
  here = await open(0);
  for (const shards of [1, 3]) {
    const definition = `version: 1
index: t${shards}
source: { catalog: ${JSON.stringify(config.catalog)}, table: a.t }
key: { identifier: [id] }
sharding: { shards: ${shards} }
tenant_field: kind
fields:
  - { name: id, type: LONG }
  - { name: title, type: TEXT, cached: true }
  - { name: kind, type: KEYWORD, fast: true, cached: true }
  - { name: size, type: LONG, cached: true }
  - { name: near, type: VECTOR, source: title, model: ./tiny, dims: 8 }
`;
    await here.createIndex({ definition, base_dir: folder });
    await here.reindex({ index: `t${shards}` });
  }
  threaded.push(await open(1), await open(2));
}, 600_000);
afterAll(async () => {
  for (const backend of [here, ...threaded]) await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An answer without what differs between two runs; of an error all that a caller sees. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    const answer = JSON.stringify(await work(), (name, value: unknown) => {
      return ['took_ms', 'timings', 'lag_checked_ms', 'lag_snapshots', 'hydrate_bytes'].includes(
        name,
      )
        ? undefined
        : value;
    });
    return JSON.parse(answer) as unknown;
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const { code, message, hint, next, place, details } = error;
    return { code, message, hint, next, place, details };
  }
}

const after = [{ field: 'size', desc: true }];
const page = { query: 'title:(alpha OR error)', sort: after, limit: 20 };
const aggs: AggSpecs = {
  kinds: { terms: { field: 'kind', size: 3 }, aggs: { sizes: { stats: { field: 'size' } } } },
  distinct: { cardinality: { field: 'size' } },
  parts: { percentiles: { field: 'size' } },
  ranges: { range: { field: 'size', ranges: [{ to: 10 }, { from: 10 }] } },
};
type Operation = (backend: LocalEngine, index: string) => Promise<unknown>;
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'a query': (b, index) => b.search({ index, query: 'title:(alpha error)', limit: 50 }),
  'a phrase': (b, index) => b.search({ index, query: 'title:"number 42"' }),
  'a pattern': (b, index) => b.search({ index, query: 'title:al* -title:/be.a/ title:erorr~1' }),
  'all documents': (b, index) => b.search({ index, query: '*:*', limit: 5, offset: 100 }),
  'a sorted page': (b, index) => b.search({ index, ...page }),
  'the next page': async (b, index) => {
    const { hits } = await b.search({ index, ...page });
    return b.search({ index, ...page, search_after: hits.at(-1)!.sort! });
  },
  groups: (b, index) => b.search({ index, query: 'title:beta', collapse: 'kind' }),
  'a filter and marks': (b, index) =>
    b.search({ index, query: 'title:omega', filter: 'size:[3 TO 9]', highlight: {} }),
  'facets and aggregations in a search': (b, index) =>
    b.search({ index, query: 'title:retry', facets: { fields: ['kind'] }, aggs }),
  aggregations: (b, index) => b.aggregate({ index, query: 'title:delta', aggs }),
  facets: (b, index) => b.facets({ index, query: '', fields: ['kind', 'size'] }),
  suggestions: (b, index) => b.suggest({ index, field: 'title', text: 'tim' }),
  'fuzzy suggestions': (b, index) =>
    b.suggest({ index, field: 'title', text: 'alhpa', fuzzy: true, max_edits: 2 }),
  'semantic search': (b, index) => b.semantic({ index, query_text: 'alpha beta', k: 7 }),
  'hybrid search': (b, index) => b.hybrid({ index, query_text: 'alpha beta' }),
  'an explanation': (b, index) => {
    const coordinates = { identifier: [{ name: 'id', value: '7' }] };
    return b.explain({ index, query: 'title:(alpha beta gamma)', coordinates });
  },
  keys: (b, index) => {
    const keys = ['5', '77', '99999'].map((value) => ({ identifier: [{ name: 'id', value }] }));
    return b.getKeys({ index, keys });
  },
  'a tenant': (b, index) => {
    const principal = { subject: 'x', tenant: 'beta', scopes: ['search'] as const };
    return b.search({ index, query: 'title:(alpha error)' }, { principal });
  },
  'a clause of near documents, by text and by vector': async (b, index) => {
    const knn = { field: 'near', k: 9 };
    const ast = { knn: { ...knn, query_text: 'alpha beta' } };
    const query_vector = [1, 0, 0, 0, 0, 0, 0, 0];
    return [
      await b.search({ index, ast }),
      await b.search({ index, ast: { knn: { ...knn, query_vector } } }),
    ];
  },
  'rows of the table': (b, index) =>
    b.search({ index, query: 'title:gamma', hydrate: true, limit: 3 }),
  'the documents of clauses': (b, index) =>
    b.clauseCounts({ index, query: 'title:alpha AND title:nothing' }),
  'a query that is refused': (b, index) => b.search({ index, query: 'titel:alpha' }),
  'a sort that is refused': (b, index) => b.search({ index, sort: [{ field: 'title' }] }),
};

describe('an engine with search threads', () => {
  it.each(Object.entries(OPERATIONS))('gives the answer of one without: %s', async (_, run) => {
    for (const index of ['t1', 't3']) {
      const wanted = await outcome(() => run(here, index));
      for (const backend of threaded) {
        expect(await outcome(() => run(backend, index)), index).toEqual(wanted);
      }
    }
  });

  it('answers many searches at once', async () => {
    const queries = WORDS.flatMap((word) => [`title:${word}`, `title:${word} AND size:>9`]);
    for (const backend of threaded) {
      const all = queries.map((query) => outcome(() => backend.search({ index: 't3', query })));
      const wanted = queries.map((query) => outcome(() => here.search({ index: 't3', query })));
      expect(await Promise.all(all)).toEqual(await Promise.all(wanted));
    }
  });

  it('sees each commit, while a point in time keeps its own', async () => {
    for (const [backend, from] of threaded.map((one, i) => [one, ROWS + 10 * i] as const)) {
      const count = async (more = {}) => (await backend.search({ ...more, limit: 1 })).total;
      const before = await count({ index: 't3' });
      const { pit_id } = await backend.openPit({ index: 't3', keep_alive: '1m' });
      await appendRows(config, {
        kind: 'rows',
        rows: rows(from, from + 10),
      });
      await deleteRows(config, `id = ${from}`);
      await here.sync({ index: 't3' });
      expect(await count({ index: 't3' })).toBe(before + 9);
      expect(await count({ index: 't3', pit_id })).toBe(before);
      await here.compact({ index: 't3' });
      expect(await count({ index: 't3' })).toBe(before + 9);
      expect(await count({ index: 't3', pit_id })).toBe(before);
      await backend.closePit({ index: 't3', pit_id });
    }
  });

  it('ends a search whose signal aborts, and goes on', async () => {
    for (const backend of threaded) {
      const stop = new AbortController();
      const running = backend.search(
        { index: 't1', query: 'title:alpha' },
        { signal: stop.signal },
      );
      stop.abort();
      await expect(running).rejects.toMatchObject({ code: 'interrupted' });
      expect((await backend.search({ index: 't1', query: 'title:alpha' })).total).toBeGreaterThan(
        0,
      );
    }
  });

  it('ends a search at its deadline, and goes on', async () => {
    for (const backend of threaded) {
      const late = backend.search(
        { index: 't1', query: 'title:alpha' },
        { deadline: Date.now() - 1 },
      );
      await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
      expect((await backend.search({ index: 't1', query: 'title:beta' })).total).toBeGreaterThan(0);
    }
  });

  it('ends the searches that run when it is closed', async () => {
    const backend = await open(2);
    await backend.search({ index: 't3', query: 'title:alpha' });
    const running = Array.from({ length: 50 }, (_, i) =>
      backend.search({ index: 't3', query: `title:/.*${i % 10}.*/` }),
    );
    const ended = Promise.allSettled(running);
    await backend.close();
    for (const result of await ended) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'closed' });
    }
    await expect(backend.search({ index: 't3' })).rejects.toMatchObject({ code: 'closed' });
  });

  it('does not keep a process alive', () => {
    const script = fileURLToPath(new URL('./search-and-end.ts', import.meta.url));
    const child = spawnSync(process.execPath, [script, data], {
      encoding: 'utf8',
      timeout: 240_000,
    });
    expect(child.stdout).toMatch(/^total [1-9]/);
    expect(child.status).toBe(0);
  });

  it.each([-1, 1.5, 65])('refuses %d threads', async (threads) => {
    await expect(openEngine(data, { create: true, threads })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});
