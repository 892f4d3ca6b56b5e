import { type IndexStatus, LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { AdminNodes } from './admin-nodes.ts';
import { statusOver } from './status-over.ts';

const UNREACHABLE = new LhsError('unreachable', 'of a test');

const nodes = {
  read: async (address: string): Promise<Partial<IndexStatus>> => {
    if (address === 'dead:1') throw UNREACHABLE;
    return { index: 'notes' };
  },
} as unknown as AdminNodes;

const statusBy = (...owners: readonly (readonly [string, readonly number[]])[]) =>
  statusOver(
    nodes,
    owners.map(([address, ordinals]) => ({ address, ordinals })),
    {},
    {},
  );

describe('the status of an index by its nodes', () => {
  it('names no shards of a dead node if other nodes hold them', async () => {
    const status = await statusBy(['a:1', [0, 1]], ['dead:1', [0, 1]]);
    expect(status).not.toHaveProperty('missing_shards');
  });

  it('names the shards that only a dead node holds', async () => {
    const status = await statusBy(['a:1', [1]], ['dead:1', [2, 1, 0]]);
    expect(status.missing_shards).toEqual([0, 2]);
  });

  it('throws the error of a node if none answers', async () => {
    await expect(statusBy(['dead:1', [0]])).rejects.toBe(UNREACHABLE);
  });
});
