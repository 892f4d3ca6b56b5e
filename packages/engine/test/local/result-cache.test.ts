import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CallContext, LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContractTable, createContractTable } from '../../../../test/contract/table.ts';
import { answerText } from '../../src/internal.ts';
import { type LocalEngine, openEngine } from '../../src/local-backend.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-results-'));
let table: ContractTable;
let backend: LocalEngine;
/** The same folder without a cache: the oracle. */
let plain: LocalEngine;
beforeAll(async () => {
  table = await createContractTable();
  backend = await openEngine(folder, { create: true, threads: 0, memory: { results: 2 ** 20 } });
  plain = await openEngine(folder, { create: true, threads: 0 });
  await backend.createIndex({ definition: table.definition('notes') });
});
beforeEach(async () => void (await backend.reindex({ index: 'notes' })));
afterAll(async () => {
  await backend.close();
  await plain.close();
  table.remove();
  rmSync(folder, { recursive: true });
});

/** Without the time that it took. */
const content = (answer: object) => ({
  ...answer,
  took_ms: 0,
  lag_checked_ms: 0,
  lag_snapshots: 0,
});
const hits = () => backend.resultCache?.hits ?? 0;
const as = (subject: string, more: object): CallContext => ({
  principal: { subject, scopes: ['search'], ...more },
});

describe('the cache of answers', () => {
  it.each([0, 1])('refuses requests that are nested too deep (%i threads)', async (threads) => {
    const served = await openEngine(folder, {
      create: true,
      memory: { results: 2 ** 20 },
      threads,
    });
    const deep = (open: string, inner: string, close: string) =>
      JSON.parse(open.repeat(20_000) + inner + close.repeat(20_000));
    const ast = deep('{"bool":{"must":[', '{"match_all":{}}', ']}}');
    const aggs = deep('{"a":{"terms":{"field":"org"},"aggs":', '{}', '}}');
    for (const part of [{ ast }, { query: 'disk', filter: ast }, { query: 'disk', aggs }]) {
      for (const reader of [served, plain]) {
        const refused = reader.search({ index: 'notes', ...part } as SearchRequest);
        await expect(refused).rejects.toMatchObject({ status: 400 });
      }
    }
    await served.close();
  });

  it('repeats the answer of every kind of read', async () => {
    const request = { index: 'notes', query: 'disk' };
    const nearest = { index: 'notes', vector_field: 'vec', query_vector: [1, 0], k: 2 };
    const reads = [
      (of: LocalEngine) => of.search({ ...request, facets: { fields: ['org'] } }),
      (of: LocalEngine) => of.semantic(nearest),
      (of: LocalEngine) => of.hybrid({ ...nearest, query_text: 'disk' }),
      (of: LocalEngine) => of.facets({ ...request, fields: ['org'] }),
      (of: LocalEngine) => of.aggregate({ ...request, aggs: { s: { stats: { field: 'size' } } } }),
      (of: LocalEngine) => of.suggest({ index: 'notes', field: 'title', text: 'di' }),
    ];
    for (const read of reads) {
      const [first, before] = [await read(backend), hits()];
      const again = await read(backend);
      expect(hits()).toBe(before + 1);
      expect(content(again)).toEqual(content(first));
      expect(content(again)).toEqual(content(await read(plain)));
    }
  });

  it('has the JSON text of an answer that it repeats, and none of a copy', async () => {
    const request = { index: 'notes', query: 'disk OR log' };
    const first = await backend.search(request);
    expect(await answerText(first)).toBe(JSON.stringify(first));
    const before = hits();
    const again = await backend.search(request);
    expect(hits()).toBe(before + 1);
    expect(JSON.parse(await answerText(again))).toEqual(again);
    expect(await answerText({ ...again, hits: [] })).toBe(JSON.stringify({ ...again, hits: [] }));
  });

  it('keeps no answer over a commit', async () => {
    const request = { index: 'notes', query: 'disk' };
    const before = await backend.search(request);
    await table.append('later');
    await backend.sync({ index: 'notes' });
    const after = await backend.search(request);
    expect(after.total).toBe(before.total + 1);
    expect(after.snapshot).not.toBe(before.snapshot);
  });

  it('separates tenants, and asks for permission again', async () => {
    const request = { index: 'notes', query: '*:*', limit: 50 };
    const all = await backend.search(request);
    const acme = await backend.search(request, as('a', { tenant: 'acme' }));
    const rival = await backend.search(request, as('r', { tenant: 'rival' }));
    const odd = await backend.search(request, as('o', { tenant: 'null' }));
    expect([rival.total, odd.total]).toEqual([1, 0]);
    expect(acme.total).toBe(all.total - 1);
    const before = hits();
    expect(content(await backend.search(request, as('b', { tenant: 'acme' })))).toEqual(
      content(acme),
    );
    expect(hits()).toBe(before + 1);
    const refused = backend.search(request, as('c', { indexes: ['other'] }));
    await expect(refused).rejects.toMatchObject({ code: 'permission_denied' });
    const signal = AbortSignal.abort();
    await expect(backend.search(request, { signal })).rejects.toBeInstanceOf(LhsError);
  });

  it('is not used for rows, points in time, dates that move, and snapshots to come', async () => {
    const { pit_id } = await backend.openPit({ index: 'notes', keep_alive: '1m' });
    const snapshot = (await backend.search({ index: 'notes', query: 'disk' })).snapshot as string;
    const requests: SearchRequest[] = [
      { query: 'disk', hydrate: true },
      { query: 'disk', pit_id },
      { query: 'at:[now-7d TO now]' },
      { query: 'disk', min_snapshot: snapshot },
    ];
    const before = backend.resultCache;
    for (const request of requests) {
      await backend.search({ index: 'notes', ...request });
      await backend.search({ index: 'notes', ...request });
    }
    expect(backend.resultCache).toEqual(before);
  });

  it('holds at most its bytes, the answers that were used last', async () => {
    const limit = backend.resultCache?.limit_bytes ?? 0;
    const kept = { index: 'notes', query: 'disk' };
    for (let i = 0; i < 1500; i++) {
      await backend.search({ index: 'notes', query: `disk OR word${i}` });
      if (i % 50 === 0) await backend.search(kept);
      expect(backend.resultCache?.bytes).toBeLessThanOrEqual(limit);
    }
    const before = hits();
    await backend.search(kept);
    await backend.search({ index: 'notes', query: 'disk OR word0' });
    expect(hits()).toBe(before + 1);
  });
});
