/**
 * Every operation over segments that several shards share: an index goes from one shard to three
 * and two, with a sync in between, and answers as one that was built with two shards.
 */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { SearchRequest } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { describe, expect, it } from 'vitest';
import { asTenant } from '../../../../test/support/as-tenant.ts';
import { tableToFormatOne } from '../../../../test/support/format-1.ts';
import { compactTable } from '../../../../test/support/maintenance/index.ts';
import { writeOldCommit } from '../../../../test/support/old-commit.ts';
import { readCommit } from '../../src/index/commits/commit.ts';
import { keyOf, openEmbedder, rows, sharedIndexes } from './shared-indexes.ts';

const { store, directory, shared, share, build } = sharedIndexes();

const SEARCHES: readonly SearchRequest[] = [
  { query: 'night', limit: 200 },
  { query: 'title:"day bus" OR late~1', limit: 200, facets: { fields: ['org'] } },
  { query: 'nig*', sort: [{ field: 'size', desc: true }], limit: 30 },
  { query: 'org:"org 3" OR bus', collapse: 'org', limit: 5 },
  { query: 'train', filter: 'size:[3 TO 9]', highlight: {}, limit: 20 },
];
const AGGS = {
  orgs: { terms: { field: 'org' }, aggs: { sizes: { stats: { field: 'size' } } } },
  months: { date_histogram: { field: 'at', calendar_interval: 'month' } },
} as const;
const NEAR = { query_text: 'night train late', limit: 12 };

/** Answers of all kinds; scores only where no deleted document counts. */
async function answersOf(index: string, withScores = true, backend = store.lake.backend) {
  const hits = [];
  for (const request of SEARCHES) {
    const answer = await backend.search({ index, ...request });
    const own = answer.hits.map((hit) => [hit.coordinates, hit.fields, hit.sort]);
    const scores = answer.hits.map(({ score }) => score);
    hits.push([answer.total, answer.facets, withScores ? [own, scores] : own.length]);
  }
  const { results } = await backend.aggregate({ index, query: '*:*', aggs: AGGS });
  const near = [];
  for (const request of [NEAR, { ...NEAR, exact: true }, { ...NEAR, filter: 'org:"org 1"' }]) {
    const { hits: own } = await backend.semantic({ index, ...request });
    near.push(own.map(({ coordinates, score }) => [coordinates, score]));
  }
  const hybrid = await backend.hybrid({ index, ...NEAR });
  const { suggestions } = await backend.suggest({ index, field: 'title', text: 'n' });
  const { rows: found } = await backend.getKeys({ index, keys: [1, 70, 95, 119, 7777].map(keyOf) });
  const why = await backend.explain({ index, query: 'night', coordinates: keyOf(95) });
  const all = await Array.fromAsync(backend.exportDocuments({ index }));
  return {
    ...{ hits, results, near, found },
    ...(withScores && { suggestions, why: [why.matched, why.score, why.rank] }),
    ...(withScores && {
      hybrid: hybrid.hits.map(({ coordinates, score }) => [coordinates, score]),
    }),
    exported: all.map((row) => JSON.stringify(row)).sort(),
  };
}

/** `index` has the rows of the table once, intact, and answers as `right`. */
async function expectRight(index: string, withScores = true, backend = store.lake.backend) {
  const verified = await backend.verify({ index, deep: true });
  expect(verified).toMatchObject({ equal: true, faults: [] });
  const right = await answersOf('right', withScores);
  expect(await answersOf(index, withScores, backend)).toEqual(right);
}

describe('an index whose segments several shards share', () => {
  it('answers as one that was built with its shards, in threads too', async () => {
    await share();
    await build();
    await expectRight('t');
    const { dataDir } = store.lake.backend;
    const threaded = await openEngine(dataDir, { threads: 2, openEmbedder });
    expect(await answersOf('t', true, threaded)).toEqual(await answersOf('right'));
    await threaded.close();
  });

  it('gets other shards again, moved buckets and, by a compact, own segments', async () => {
    const { backend } = store.lake;
    await share();
    await build();
    await backend.applyReshard({ index: 't', shards: 5 });
    await expectRight('t');
    await backend.applyReshard({ index: 't', shards: 2 });
    for (const bucket of [7, 700]) await backend.moveBucket({ index: 't', bucket, shard: 1 });
    await expectRight('t');
    await backend.compact({ index: 't' });
    expect(shared()).toEqual([]);
    await expectRight('t');
  });

  it('gets other shards while the rows of its table are away', async () => {
    const { backend, source } = store.lake;
    await share();
    await build();
    const data = join(String(source.catalog.warehouse), 'a', 't', 'data');
    renameSync(data, `${data}-away`);
    for (const shards of [3, 2, 7]) await backend.applyReshard({ index: 't', shards });
    await backend.moveBucket({ index: 't', bucket: 7, shard: 1 });
    renameSync(`${data}-away`, data);
    await expectRight('t');
  });

  it('is cloned, backed up, restored and rolled back', async () => {
    const { backend } = store.lake;
    await share();
    await build();
    await backend.cloneIndex({ index: 't', name: 'copy' });
    await expectRight('copy');
    const target = join(store.work, 'backups');
    await backend.backup({ index: 't', target });
    await backend.restore({ index: 't', target, as: 'restored' });
    await expectRight('restored');
    await backend.reindex({ index: 't' });
    await backend.rollbackIndex({ index: 't' });
    expect(shared().length).toBeGreaterThan(0);
    await expectRight('t');
  });

  it('is published, opened by its location, and branched', async () => {
    const { backend } = store.lake;
    await share(`storage: ${store.place}`);
    await build();
    await backend.cloneIndex({ index: 't', name: 'b' });
    for (const name of ['t', 'b']) {
      store.emptyCache();
      const engine = await openEngine(`${store.place}/${name}`, { threads: 0, openEmbedder });
      expect(await answersOf(name, true, engine)).toEqual(await answersOf('right'));
      await engine.close();
    }
    const findings = await backend.diagnose({ index: 't' });
    expect(findings.filter(({ level }) => level !== 'note')).toEqual([]);
  });

  it('follows rows that are replaced, deleted and rewritten', async () => {
    const { backend } = store.lake;
    await share();
    await upsertRows(store.lake.source, { kind: 'rows', rows: rows(20, 70, 1) });
    await deleteRows(store.lake.source, `id = 'k3'`);
    await backend.sync({ index: 't' });
    await build();
    await expectRight('t', false);
    await compactTable(store.lake.source);
    await backend.sync({ index: 't' });
    await backend.applyReshard({ index: 't', shards: 3 });
    await compactTable(store.lake.source);
    await backend.sync({ index: 't' });
    await backend.sync({ index: 'right' });
    await expectRight('t', false);
  });

  it('keeps a point in time through reshards and merges, and compares snapshots', async () => {
    const { backend } = store.lake;
    const from = String(await store.lake.head());
    await share();
    await build();
    const { pit_id } = await backend.openPit({ index: 't', keep_alive: '5m' });
    const found = async () => {
      const answers = SEARCHES.map((request) => backend.search({ index: 't', pit_id, ...request }));
      return (await Promise.all(answers)).map(({ total, hits }) => [total, hits]);
    };
    const diff = async (index: string) => {
      const request = { query: 'night', from, to: 'now', limit: 50 };
      const { hits } = await backend.diffHits({ index, ...request });
      return hits;
    };
    const before = await found();
    const entered = await diff('t');
    expect(entered.length).toBeGreaterThan(0);
    expect(entered).toEqual(await diff('right'));
    await backend.applyReshard({ index: 't', shards: 3 });
    await upsertRows(store.lake.source, { kind: 'rows', rows: rows(0, 50, 2) });
    await backend.sync({ index: 't' });
    expect(await found()).toEqual(before);
    await backend.compact({ index: 't' });
    expect(await found()).toEqual(before);
  });

  it.each(['while', 'after'])('has no byte of an erased row %s it shares them', async (when) => {
    const { backend } = store.lake;
    await store.lake.append([{ ...rows(0, 1)[0], id: 'k5000', title: 'quilbertson was here' }]);
    await share();
    await deleteRows(store.lake.source, `id = 'k5000'`);
    await backend.sync({ index: 't' });
    if (when === 'while') await backend.applyReshard({ index: 't', shards: 3 });
    else await backend.compact({ index: 't' });
    const { report, receipt } = await backend.runErasure({ index: 't', keys: [keyOf(5000)] });
    expect(report).toMatchObject({ clean: true, remains: [] });
    expect(receipt.statement.clean).toBe(true);
    const folder = directory().path;
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name));
      expect(bytes.includes('quilbert') || bytes.includes('k5000'), name).toBe(false);
    }
    await build();
    await expectRight('t', false);
  });

  it.each([1, 2] as const)('is upgraded from format %i', async (format) => {
    const { backend, source } = store.lake;
    await share('', async () => {
      if (format === 1) await tableToFormatOne(directory(), source);
      else writeOldCommit(directory(), readCommit(directory())!, 2);
    });
    await build();
    await expectRight('t');
    await backend.upgrade({ index: 't' });
    await expectRight('t');
  });

  it('has cold windows', async () => {
    const { backend } = store.lake;
    const windows = `windows: { field: at, every: month }\nstorage: ${store.place}`;
    await share(windows);
    await build();
    const cool = ['2025-01', '2025-02'];
    await backend.moveWindows({ index: 't', cool });
    await expectRight('t');
    await backend.applyReshard({ index: 't', shards: 3 });
    await expectRight('t');
    await backend.moveWindows({ index: 't', warm: cool });
    await expectRight('t');
    await backend.compact({ index: 't' });
    expect(shared()).toEqual([]);
    await expectRight('t');
  });

  it('shows each tenant its own rows', async () => {
    await share('tenant_field: org');
    await build('tenant_field: org');
    for (const tenant of ['org 0', 'org 3']) {
      const reads = asTenant(store.lake.backend, tenant);
      const answers = async (index: string) => {
        const found = await reads.search({ index, query: 'night OR bus', limit: 100 });
        const all = await Array.fromAsync(reads.exportDocuments({ index }));
        const exported = all.map((row) => JSON.stringify(row)).sort();
        return [found.total, found.hits.map(({ fields, score }) => [fields, score]), exported];
      };
      expect(await answers('t')).toEqual(await answers('right'));
    }
  });
});
