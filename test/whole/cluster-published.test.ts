// @module-tag slow
/** Nodes that read an index from the store where another process publishes it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchResponse } from '@lakehouse-search/contract';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { schemaOf } from '../support/schema.ts';

const index = 'notes';
const SHARDS = 5;

describe('nodes without disks over a store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-published-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'ops.notes' };
  const storage = join(folder, 'store');
  const openWriter = () => openEngine(join(folder, 'writer'), { create: true, threads: 0 });
  const definition = `version: 1
index: ${index}
source: { catalog: { type: filesystem, warehouse: "${catalog.warehouse}" }, table: ops.notes }
storage: ${storage}
replicas: 2
sharding: { shards: ${SHARDS} }
fields:
  - { name: title, type: TEXT, cached: true }
`;
  let writer: Awaited<ReturnType<typeof openWriter>>;
  let cluster: TestCluster;
  let rows = 0;

  async function append(count: number): Promise<void> {
    const added = Array.from({ length: count }, (_, i) => ({
      id: `k${rows + i}`,
      title: `note ${rows + i}`,
    }));
    await appendRows(source, { kind: 'rows', rows: added });
    rows += count;
  }

  beforeAll(async () => {
    vi.stubEnv('LHS_COLD_CACHE_DIR', join(folder, 'cache'));
    await createTable(catalog, source.table, {
      schema: schemaOf({ id: { kind: 'string' }, title: { kind: 'string' } }),
    });
    await append(200);
    writer = await openWriter();
    await writer.createIndex({ definition });
    await writer.reindex({ index });
    cluster = await startCluster(3, { storage });
  });

  afterAll(async () => {
    await cluster.backend.close();
    await writer.close();
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });

  const search = (query: string): Promise<SearchResponse> =>
    cluster.backend.search({ index, query, limit: 7, hydrate: true });
  const shown = ({ hits, total, snapshot }: SearchResponse) => ({
    ...{ total, snapshot },
    hits: hits.map(({ key, score, row }) => ({ key, score, row })),
  });

  it('answer from their start as the process that writes it, whole', async () => {
    for (const query of ['note', 'note 17', '*:*']) {
      const own = await writer.search({ index, query, limit: 7, hydrate: true });
      const answer = await search(query);
      expect(shown(answer)).toEqual(shown(own));
      expect(answer).toMatchObject({ shards_scanned: SHARDS, shards_total: SHARDS });
    }
    const status = await cluster.backend.status({ index });
    expect(status).toMatchObject({ num_docs: rows });
    expect(status).not.toHaveProperty('lacking_copies');
  });

  it('show its commits', async () => {
    await append(3);
    await writer.sync({ index });
    await vi.waitFor(async () => expect((await search('note')).total).toBe(rows));
  });

  it('answer whole when nodes end', async () => {
    for (const node of cluster.nodes.slice(1)) {
      await node.stop();
      for (let i = 0; i < 5; i++) {
        const answer = await search('note');
        expect(answer.partial).toBeUndefined();
        expect(answer).toMatchObject({ total: rows, shards_scanned: SHARDS });
      }
    }
    const copies = (shard: number) => ({ shard, nodes: 1, required: 3 });
    const lacking = { lacking_copies: [0, 1, 2, 3, 4].map(copies) };
    await vi.waitFor(async () => {
      expect(await cluster.backend.status({ index })).toMatchObject(lacking);
      expect(await cluster.backend.listIndexes()).toMatchObject([lacking]);
    });
  });

  it('refuse to write it, with the place where that is done', async () => {
    await expect(cluster.backend.sync({ index })).rejects.toMatchObject({
      code: 'unsupported',
      hint: 'change it on the machine that publishes it',
    });
  });

  it('get an index from a gateway: one of them writes it', async () => {
    const own = await startCluster(3, { storage });
    try {
      await own.backend.createIndex({ definition: definition.replace(index, 'own') });
      await own.backend.reindex({ index: 'own' });
      await append(2);
      await own.backend.sync({ index: 'own' });
      await vi.waitFor(async () => {
        const answer = await own.backend.search({ index: 'own', query: 'note' });
        expect(answer).toMatchObject({ total: rows, shards_scanned: SHARDS });
      });
      const names = (await own.backend.listIndexes()).map(({ name }) => name);
      expect(names.sort()).toEqual([index, 'own']);
    } finally {
      await own.backend.close();
    }
  });
});
