import { describe, expect, it } from 'vitest';
import { formerNodes, nodesBehind } from './level-nodes.ts';
import type { LivingNode } from './route-over.ts';

/** A node with a commit of an index at a snapshot; the sequence is that of the snapshot. */
function node(
  name: string,
  snapshot: number,
  own: { definition?: string; isSilent?: boolean } = {},
) {
  const { definition = 'a', isSilent = false } = own;
  const commit = { snapshot: String(snapshot), sequence: String(snapshot), definition };
  const indexes = [{ index: 'notes', commits: [commit] }];
  return { node: name, address: name, indexes, isSilent } as unknown as LivingNode;
}

const behind = (...nodes: readonly LivingNode[]) =>
  nodesBehind('notes', nodes).map(({ node: { node: name }, until }) => [name, until]);

describe('nodes of an index that are behind', () => {
  it('are those below the newest snapshot, which they have to reach', () => {
    expect(behind(node('n1', 9), node('n2', 10), node('n3', 10))).toEqual([['n1', '10']]);
  });

  it('are none if all have the same snapshot, or if the index has no other node', () => {
    expect(behind(node('n1', 9), node('n2', 9))).toEqual([]);
    expect(behind(node('n1', 9))).toEqual([]);
    expect(behind()).toEqual([]);
  });

  it('are none while definitions differ, and never those that do not answer', () => {
    expect(behind(node('n1', 9), node('n2', 10, { definition: 'b' }))).toEqual([]);
    expect(behind(node('n1', 9, { isSilent: true }), node('n2', 10))).toEqual([]);
  });
});

describe('nodes of an index with a former definition', () => {
  const route = { index: 'notes', shards: 2, definition: 'b' };
  const part = (name: string, ordinals: readonly number[], definition: string, shards = 2) => {
    const indexes = [{ index: 'notes', shards, ordinals, commits: [{ definition }] }];
    return { node: name, address: name, indexes } as unknown as LivingNode;
  };
  const former = (...nodes: readonly LivingNode[]) =>
    formerNodes(route, nodes).map(({ node: name }) => name);

  it('are those whose shards others have under the definition of the route', () => {
    const [n1, n2] = [part('n1', [0], 'b'), part('n2', [1], 'b')];
    expect(former(n1, n2, part('n3', [0, 1], 'a'))).toEqual(['n3']);
    expect(former(n1, n2)).toEqual([]);
    expect(former(n1, n2, { ...part('n3', [0], 'a'), isSilent: true })).toEqual([]);
    expect(former(n1, n2, part('n3', [0], 'a', 3))).toEqual([]);
  });

  it('are none while a shard has no node under that definition, or without a route', () => {
    expect(former(part('n1', [0], 'b'), part('n2', [1], 'a'))).toEqual([]);
    expect(formerNodes(undefined, [part('n1', [0], 'a')])).toEqual([]);
  });
});
