import { describe, expect, it } from 'vitest';
import { nodesBehind } from './level-nodes.ts';
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
