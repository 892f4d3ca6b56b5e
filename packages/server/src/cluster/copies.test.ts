import { describe, expect, it } from 'vitest';
import { isSpread, preferred } from './copies.ts';
import type { NodeIndex } from './node-state.ts';

const nodes = Array.from({ length: 5 }, (_, i) => ({ node: `n${i}`, up: true }));
const namesOf = (shard: number, of = nodes) => preferred(`i/${shard}`, of).map(({ node }) => node);
const shards = Array.from({ length: 64 }, (_, shard) => shard);

describe('copies of a shard', () => {
  it('have an order of their own in each shard, whatever the order of the nodes', () => {
    const firsts = Map.groupBy(shards, (shard) => namesOf(shard)[0]);
    expect([...firsts.keys()].sort()).toEqual(nodes.map(({ node }) => node));
    for (const own of firsts.values()) expect(own.length).toBeLessThan(32);
    expect(namesOf(3, nodes.toReversed())).toEqual(namesOf(3));
  });

  it('stay in order when a node leaves', () => {
    const left = nodes.filter(({ node }) => node !== 'n2');
    for (const shard of shards) {
      expect(namesOf(shard, left)).toEqual(namesOf(shard).filter((node) => node !== 'n2'));
    }
  });

  it('are last on nodes that do not answer', () => {
    for (const shard of shards) {
      const first = namesOf(shard)[0];
      const silent = nodes.map((one) => ({ ...one, up: one.node !== first }));
      expect(namesOf(shard, silent).at(-1)).toBe(first);
    }
  });
});

describe('a commit of an index in a store', () => {
  const state = { definition: 'd', snapshot: '2' };
  const node = (snapshots: readonly string[], age_ms = 0, copies = 2): NodeIndex => ({
    ...{ index: 'i', uuid: 'u', shards: 1, ordinals: [0], definition_version: 1 },
    ...{ aliases: [], copies },
    commits: snapshots.map((snapshot) => ({
      ...{ commit: snapshot, snapshot, sequence: snapshot, definition: 'd', age_ms },
      ...{ generation: 1, docs: 1, bytes: 1, sizes: [] },
    })),
  });

  it.each([
    ['two of three nodes have it', true, [node(['2']), node(['2']), node(['1'])]],
    ['one of three nodes has it', false, [node(['2']), node(['1']), node(['1'])]],
    ['one has it for a while', true, [node(['2'], 3000), node(['1']), node(['1'])]],
    ['there is one node', true, [node(['2'])]],
    ['nodes build it themselves', true, [node(['2'], 0, 0), node(['1'], 0, 0)]],
  ])('is searched or not: %s', (_, expected, held) => {
    expect(isSpread(state, held)).toBe(expected);
  });
});
