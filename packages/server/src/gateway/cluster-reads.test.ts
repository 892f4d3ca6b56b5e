import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../cluster/node-client.ts';
import type { RoutingSource } from '../cluster/routing.ts';
import { ClusterReads } from './cluster-reads.ts';

const route = {
  ...{ index: 'notes', generation: 1, snapshot: '1' },
  shards: [{ ordinal: 0, replicas: [{ node: 'n', address: 'n:1', commit: 'c' }] }],
};
const routing = {
  names: () => ['notes'],
  aliases: () => new Map(),
  current: () => route,
  isDown: () => false,
  failed: () => {},
} as unknown as RoutingSource;

describe('a commit of nodes', () => {
  it('is read by a call of its own if the call that was opening it was aborted', async () => {
    const stop = new AbortController();
    let count = 0;
    const read = async (_: unknown, { signal }: CallContext) => {
      if (count++ > 0) throw new LhsError('corrupt_index', 'the own read');
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      throw new LhsError('interrupted', 'the call was aborted');
    };
    const node = () => ({ read, state: async () => ({}) }) as unknown as NodeClient;
    const reads = new ClusterReads({ routing, node });
    const first = reads.open({ index: 'notes' }, { signal: stop.signal });
    const second = reads.open({ index: 'notes' }, {});
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    await expect(second).rejects.toThrow('the own read');
  });

  it('is waited for until the own call is aborted, not that which opens it', async () => {
    const stop = new AbortController();
    const read = () => new Promise<never>(() => {});
    const node = () => ({ read, state: async () => ({}) }) as unknown as NodeClient;
    const reads = new ClusterReads({ routing, node });
    const opening = reads.open({ index: 'notes' }, {});
    const waiting = reads.open({ index: 'notes' }, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
    expect(await Promise.race([opening, 'open'])).toBe('open');
  });
});
