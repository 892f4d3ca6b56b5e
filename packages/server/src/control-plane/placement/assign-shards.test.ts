import { describe, expect, it } from 'vitest';
import { assignShards } from './assign-shards.ts';

const INDEXES = [
  { index: 'a', shards: 4 },
  { index: 'b', shards: 2 },
];
const shown = (placements: ReturnType<typeof assignShards>) =>
  placements.map(({ index, shard, node }) => `${index}${shard} ${node}`);

describe('the placement of shards', () => {
  it('spreads shards evenly, in the same way whatever the order of the nodes', () => {
    const placed = assignShards(INDEXES, ['n3', 'n1', 'n2'], []);
    expect(shown(placed)).toEqual(['a0 n1', 'a1 n2', 'a2 n3', 'a3 n1', 'b0 n2', 'b1 n3']);
    expect(assignShards(INDEXES, ['n1', 'n2', 'n3'], [])).toEqual(placed);
  });

  it('leaves shards where they are, also when a node joins', () => {
    const placed = assignShards(INDEXES, ['n1', 'n2'], []);
    expect(assignShards(INDEXES, ['n1', 'n2', 'n3'], placed)).toEqual([]);
  });

  it('moves only the shards of a node that has left, to the nodes with the fewest', () => {
    const placed = assignShards(INDEXES, ['n1', 'n2', 'n3'], []);
    expect(shown(assignShards(INDEXES, ['n1', 'n3', 'n4'], placed))).toEqual(['a1 n4', 'b0 n4']);
  });

  it('waits for a node that may come back', () => {
    const placed = assignShards(INDEXES, ['n1', 'n2'], []);
    expect(assignShards(INDEXES, ['n1'], placed, () => false)).toEqual([]);
  });

  it('does nothing without nodes', () => expect(assignShards(INDEXES, [], [])).toEqual([]));
});
