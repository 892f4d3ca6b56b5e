import type { CallContext } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { clusterDiff } from './cluster-diff.ts';
import type { ClusterReads } from './cluster-reads.ts';

describe('the nodes of a diff', () => {
  it('close their sides also after the call was aborted', async () => {
    const read = async (_: unknown, { signal }: CallContext) => {
      if (signal?.aborted) throw new Error('aborted');
      return new Uint8Array();
    };
    const shards = [{ ordinal: 0, replicas: [{ node: 'n', address: 'a', commit: 'c' }] }];
    const reads = {
      routed: () => ({ name: 'x', routed: { index: 'x', shards } }),
      isDown: () => false,
      node: () => ({ read }),
    } as unknown as ClusterReads;
    const stop = new AbortController();
    const { nodes } = await clusterDiff(reads)('x', { signal: stop.signal });
    stop.abort();
    const send = (operation: string) => nodes[0].send(operation, new Uint8Array());
    await expect(send('open_side')).rejects.toThrow('aborted');
    await expect(send('close_side')).resolves.toEqual(new Uint8Array());
  });
});
