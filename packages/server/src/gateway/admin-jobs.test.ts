import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../cluster/node-client.ts';
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
  aliases: () => new Map([['latest', 'notes']]),
  refresh: async () => {},
} as unknown as AdminRouting;

const job = { job_id: 'j', index: 'notes', state: 'done', shards: [], created_at: '2025' };

/** The operations of jobs over two nodes; `calls`: how often nodes were called. */
function jobsOver(getJob: (request: { job_id: string }) => Promise<object>) {
  const counts = { calls: 0 };
  const service = {
    listJobs: async () => [job],
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
