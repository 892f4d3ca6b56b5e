/** A node whose answers come late: nodes in this process, one of them behind a slow proxy. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { schemaOf } from '../support/schema.ts';
import { SlowProxy } from '../support/slow-proxy.ts';

const ROWS = 60;
const SHARD_TIMEOUT_MS = 4000;
const WAIT = { interval: 50 };
const SCHEMA = schemaOf({ id: 'long', title: 'string' });
const index = 'notes';
const ALL = { index, query: '*:*' };

describe('a node whose answers come late', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-slow-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'ops.notes' };
  let proxy: SlowProxy;
  let cluster: TestCluster;
  let slowDocs: number;

  beforeAll(async () => {
    await createTable(catalog, source.table, { schema: SCHEMA });
    const rows = Array.from({ length: ROWS }, (_, id) => ({ id, title: `note ${id}` }));
    await appendRows(source, { kind: 'rows', rows });
    cluster = await startCluster(3, {
      takes: [[0], [1], [2]],
      shardTimeoutMs: SHARD_TIMEOUT_MS,
      reach: async (address, i) => {
        if (i !== 1) return address;
        proxy = await SlowProxy.before(address);
        return proxy.address;
      },
    });
    const { backend } = cluster;
    await backend.createIndex({
      definition: `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(catalog)}, table: ops.notes }
sharding: { shards: 3 }
fields:
  - { name: title, type: TEXT, cached: true }
`,
    });
    await backend.reindex({ index });
    const { shards } = await backend.describeIndex({ index });
    slowDocs = shards?.find(({ shard }) => shard === 1)?.num_docs ?? 0;
  });

  afterAll(async () => {
    proxy.release();
    await cluster.backend.close();
    await proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const whole = () =>
    vi.waitFor(async () => {
      const answer = await cluster.backend.search(ALL);
      expect([answer.total, answer.partial]).toEqual([ROWS, undefined]);
    }, WAIT);

  it('takes part as long as they come before the deadline of a shard', async () => {
    expect(slowDocs).toBeGreaterThan(0);
    proxy.delay(20);
    await whole();
    proxy.release();
  });

  it('fails by its shard alone at the deadline, in every operation that says so', async () => {
    await whole();
    proxy.delay(Number.POSITIVE_INFINITY);
    const { backend } = cluster;
    await vi.waitFor(async () => {
      const found = await backend.search(ALL);
      expect(found).toMatchObject({ partial: true, shards_scanned: 2, shards_total: 3 });
      expect(found.total).toBe(ROWS - slowDocs);
      const counted = await backend.aggregate({ ...ALL, aggs: {} });
      expect(counted.failed_shards).toBe(1);
    }, WAIT);
    const status = await backend.status({ index });
    expect(status).toMatchObject({ num_docs: ROWS - slowDocs, missing_shards: [1] });
    await expect(backend.bench({ index, queries: ['note'] })).rejects.toMatchObject({
      code: 'unreachable',
    });
  });

  it('fails once if its steps together take longer than the deadline of a shard', async () => {
    proxy.release();
    await whole();
    proxy.delay(0.6 * SHARD_TIMEOUT_MS);
    // words need the statistics of all shards before the search, and pages their fields after it
    const found = await cluster.backend.search({ index, query: 'note', fields: ['title'] });
    expect(found).toMatchObject({ partial: true, shards_scanned: 2, shards_total: 3 });
    expect(found.total).toBe(ROWS - slowDocs);
    proxy.delay(Number.POSITIVE_INFINITY);
  });

  it('fails long before that if it does not answer a probe either', async () => {
    proxy.release();
    // nothing but the probe ends a read of the gateway
    const gateway = await cluster.open({ shardTimeoutMs: 600_000, silenceMs: 300 });
    await vi.waitFor(async () => {
      expect((await gateway.search(ALL)).partial).toBeUndefined();
    }, WAIT);
    proxy.delay(Number.POSITIVE_INFINITY);
    const [found, described, status] = await Promise.all([
      gateway.search({ index, query: 'note', fields: ['title'] }),
      gateway.describeIndex({ index }),
      gateway.status({ index }),
    ]);
    expect(described.num_docs).toBe(ROWS - slowDocs);
    expect(status).toMatchObject({ num_docs: ROWS - slowDocs, missing_shards: [1] });
    expect(found).toMatchObject({ partial: true, shards_scanned: 2, shards_total: 3 });
    expect(found.total).toBe(ROWS - slowDocs);
  });

  it('takes part again as soon as its answers arrive', async () => {
    proxy.release();
    await whole();
    expect((await cluster.backend.aggregate({ ...ALL, aggs: {} })).failed_shards).toBe(0);
  });
});
