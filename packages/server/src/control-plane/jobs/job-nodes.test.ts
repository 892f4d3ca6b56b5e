import { describe, expect, it } from 'vitest';
import { shardsMissing } from './job-nodes.ts';

const nodes = [
  { node: 'a', address: 'a:9001' },
  { node: 'b', address: 'b:9001', isSilent: true },
];

describe('shards that no node has taken over', () => {
  it('are those of a node that is away', () => {
    const { message, hint } = shardsMissing('notes', [{ shard: 1, node: 'b' }], [1], nodes);
    expect(message).toBe('shard 1 of index "notes" cannot be built: no living node holds it');
    expect(hint).toContain('start the node again');
  });

  it('are those of a living node that fails to build them', () => {
    const placements = [0, 2].map((shard) => ({ shard, node: 'a' }));
    const { message, hint } = shardsMissing('notes', placements, [0, 2], nodes);
    expect(message).toBe(
      'shards 0, 2 of index "notes" cannot be built: a:9001 did not take over in 15 s',
    );
    expect(hint).toBe('the log of a:9001 says why');
  });
});
