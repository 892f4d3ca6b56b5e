// @module-tag campaign
/** Two nodes that hold the same shard and one with another, as processes that stop to answer. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRemote } from '@lakehouse-search/client/remote/internal';
import type { ServiceApi } from '@lakehouse-search/contract/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ClusterProcess, startProcess } from '../support/cluster-processes.ts';
import { byEffort } from '../support/effort.ts';
import { schemaOf } from '../support/schema.ts';

const ROWS = 40;
const WAIT = { interval: 100 };
const OWN = ['--addr', '127.0.0.1:0'];
const index = 'notes';
const DEFINITION = `version: 1
index: notes
source: { catalog: main, table: ops.notes }
sharding: { shards: 2 }
fields:
  - { name: title, type: TEXT, cached: true }
`;

describe.skipIf(byEffort(true, false))('two copies of a shard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-copies-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  let nodes: ClusterProcess[] = [];
  let gateway: ClusterProcess;
  let client: ServiceApi;

  beforeAll(async () => {
    const source = { catalog, table: 'ops.notes' };
    const string = { kind: 'string' } as const;
    await createTable(catalog, source.table, {
      schema: schemaOf({ id: string, title: string }),
    });
    const rows = Array.from({ length: ROWS }, (_, id) => ({ id: `k${id}`, title: `note ${id}` }));
    await appendRows(source, { kind: 'rows', rows });
    const taking = (shard: string) => [...OWN, '--no-sync', '--shard-ordinals', shard];
    nodes = await Promise.all(
      ['0', '0', '1'].map((shard, i) => startProcess('node', join(folder, `${i}`), taking(shard))),
    );
    mkdirSync(join(folder, 'etc'));
    const config = join(folder, 'etc', 'gateway.yaml');
    writeFileSync(config, `catalogs: { main: ${JSON.stringify(catalog)} }\n`);
    // nothing but a probe ends the read of a stopped node
    const args = [
      ...[...OWN, '--rest-addr', '127.0.0.1:0', '--config', config],
      ...['--nodes', addresses(), '--shard-timeout-ms', '600000'],
    ];
    const times = { LHS_CLUSTER_SILENCE_MS: '300' };
    gateway = await startProcess('gateway', join(folder, 'gateway'), args, times);
    client = createRemote({ url: gateway.url, retryMs: 0 });
    await client.createIndex({ definition: DEFINITION });
    await client.reindex({ index });
  }, 600_000);

  afterAll(async () => {
    await client?.close();
    for (const { child } of nodes) child.kill('SIGCONT');
    for (const one of [gateway, ...nodes]) await one?.end('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }, 600_000);

  const addresses = () => nodes.map(({ grpc }) => grpc).join(',');

  /** A whole answer: on a busy machine, a node that runs may be too late as well. */
  const search = () =>
    vi.waitFor(async () => {
      const answer = await client.search({ index, query: 'note', limit: 3, hydrate: true });
      expect(answer).toMatchObject({ total: ROWS, shards_scanned: 2, shards_total: 2 });
      expect(answer.partial).toBeUndefined();
      return answer.hits.map(({ row }) => row);
    }, WAIT);

  it.each([0, 1])(
    'give whole answers while copy %i is stopped',
    async (stopped) => {
      const before = await search();
      nodes[stopped].child.kill('SIGSTOP');
      try {
        for (let i = 0; i < 3; i++) expect(await search()).toEqual(before);
      } finally {
        nodes[stopped].child.kill('SIGCONT');
      }
      expect(await search()).toEqual(before);
    },
    600_000,
  );

  it('answer for a stopped one before a probe does, as long as few reads are late', async () => {
    const args = [...OWN, '--rest-addr', '127.0.0.1:0', '--nodes', addresses()];
    // no probe and no time-out ends a read
    const other = await startProcess('gateway', join(folder, 'other'), [
      ...args,
      ...['--shard-timeout-ms', '600000'],
    ]);
    const patient = createRemote({ url: other.url, retryMs: 0 });
    const find = () => patient.search({ index, query: 'note', limit: 3 });
    const hedged = async () => {
      const metrics = await (await fetch(`${other.url}/metrics`)).text();
      return Number(/^lhs_hedged_calls_total (\d+)/m.exec(metrics)?.[1]);
    };
    try {
      for (const stopped of [0, 1]) {
        for (let i = 0; i < 100; i++) await find();
        nodes[stopped].child.kill('SIGSTOP');
        for (let i = 0; i < 3; i++) {
          const answer = await find();
          expect([answer.partial, answer.total]).toEqual([undefined, ROWS]);
        }
        nodes[stopped].child.kill('SIGCONT');
      }
      expect(await hedged()).toBeGreaterThan(0);
    } finally {
      for (const { child } of nodes) child.kill('SIGCONT');
      await patient.close();
      await other.end('SIGTERM');
    }
  }, 600_000);

  it('leave partial answers to those of a shard without a copy', async () => {
    await search();
    nodes[2].child.kill('SIGSTOP');
    try {
      const answer = await client.search({ index, query: 'note', limit: 3 });
      expect(answer).toMatchObject({ partial: true, shards_scanned: 1, shards_total: 2 });
    } finally {
      nodes[2].child.kill('SIGCONT');
    }
    expect(await search()).toHaveLength(3);
  }, 600_000);

  it('end a call at its deadline while both are stopped, and answer again after', async () => {
    for (const { child } of nodes) child.kill('SIGSTOP');
    const deadline = Date.now() + 300;
    const late = client.search({ index, query: 'note' }, { deadline });
    await expect(late).rejects.toMatchObject({
      code: expect.stringMatching(/^(deadline_exceeded|unreachable)$/),
    });
    for (const { child } of nodes) child.kill('SIGCONT');
    expect(await search()).toHaveLength(3);
  }, 600_000);
});
