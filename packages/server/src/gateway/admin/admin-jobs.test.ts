import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../../cluster/node-client.ts';
import { jobOperations } from './admin-jobs.ts';
import { AdminNodes, type AdminRouting } from './admin-nodes.ts';

const heldBy = (address: string, index: string) => ({
  address,
  up: true,
  state: { node: address, indexes: [{ index, shards: 1, ordinals: [0], aliases: ['latest'] }] },
});
const routing = {
  seen: [heldBy('n1:1', 'notes'), heldBy('n2:1', 'notes')],
  names: () => ['notes'],
  requireComplete: () => {},
  aliases: () => new Map([['latest', 'notes']]),
  refresh: async () => {},
} as unknown as AdminRouting;

const job = { job_id: 'j', index: 'notes', state: 'done', shards: [], created_at: '2025' };

/** The operations of jobs over two nodes; `calls`: how often nodes were called. */
function jobsOver(
  getJob: (request: { job_id: string }) => Promise<object>,
  lists: readonly (readonly object[])[] = [[job], [job]],
) {
  const counts = { calls: 0 };
  const left = [...lists];
  const service = {
    listJobs: async () => left.shift(),
    getJob: async (request: { job_id: string }) => {
      counts.calls++;
      return getJob(request);
    },
  };
  const node = () => ({ service: () => service }) as unknown as NodeClient;
  const { listJobs, getJob: get } = jobOperations(new AdminNodes(routing, node));
  return { counts, list: listJobs as Method, get: get as Method };
}

type Method = (request: object, call?: CallContext) => Promise<unknown>;

describe('jobs over nodes', () => {
  it('are listed by an alias of their index', async () => {
    const { list } = jobsOver(async () => job);
    expect(await list({ index: 'latest' })).toHaveLength(2);
    await expect(list({ index: 'none' })).rejects.toMatchObject({ code: 'index_not_found' });
  });

  it('show a build of several nodes once, with the sums of what it made', async () => {
    const part = (node: number, from: string, docs: number) => ({
      ...{ job_id: `${node}-${from}`, kind: 'reindex', index: 'notes', state: 'done' },
      ...{ created_at: `2026-01-01T00:00:0${from}`, ended_at: `2026-01-01T00:00:0${from[0]}.9` },
      shards: [{ shard: node, docs_done: docs, docs_total: docs, generation: 1 }],
      result: { doc_count: docs, bytes: 1, snapshot: '1', index_generation: 1, took_ms: 1 },
    });
    const verify = { ...job, kind: 'verify', created_at: '2026-01-01T00:00:04' };
    const lists = [
      [part(0, '5.1', 30), part(0, '1.1', 3)],
      [part(1, '5.2', 40), verify],
    ];
    const { list } = jobsOver(async () => job, lists);
    expect(await list({ index: 'notes' })).toMatchObject([
      {
        job_id: '0-5.1~1-5.2',
        shards: [
          { shard: 0, docs_done: 30 },
          { shard: 1, docs_done: 40 },
        ],
        result: { doc_count: 70, bytes: 2 },
      },
      { kind: 'verify' },
      { job_id: '0-1.1', result: { doc_count: 3 } },
    ]);
  });

  it('have no more parts than there are nodes', async () => {
    const missing = new LhsError('not_found', 'there is no such job');
    const { counts, get } = jobsOver(() => Promise.reject(missing));
    const job_id = Array(400).fill('x').join('~');
    await expect(get({ job_id })).rejects.toMatchObject({ code: 'not_found' });
    expect(counts.calls).toBe(0);
    await expect(get({ job_id: 'x~y' })).rejects.toMatchObject({ code: 'not_found' });
    expect(counts.calls).toBe(4);
  });
});
