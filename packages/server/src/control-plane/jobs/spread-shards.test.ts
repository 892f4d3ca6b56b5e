import { describe, expect, it } from 'vitest';
import { spreadShards } from './spread-shards.ts';

const placed = (index: string, ...nodes: string[]) =>
  nodes.map((node, shard) => ({ index, shard, node }));

describe('the shards of an index that is built again', () => {
  it('move to a node that joined, until it has as many as the others', () => {
    expect(spreadShards('a', ['n1', 'n2', 'n3'], placed('a', 'n1', 'n2', 'n1', 'n2'))).toEqual([
      { index: 'a', shard: 2, node: 'n3' },
    ]);
    const six = placed('a', 'n1', 'n1', 'n1', 'n1', 'n1', 'n1');
    expect(spreadShards('a', ['n1', 'n2', 'n3'], six)).toEqual([
      { index: 'a', shard: 2, node: 'n3' },
      { index: 'a', shard: 3, node: 'n2' },
      { index: 'a', shard: 4, node: 'n2' },
      { index: 'a', shard: 5, node: 'n3' },
    ]);
  });

  it('stay where the nodes are balanced, and where a node is full of other indexes', () => {
    expect(spreadShards('a', ['n1', 'n2'], placed('a', 'n1', 'n2'))).toEqual([]);
    expect(spreadShards('a', ['n1', 'n2'], placed('a', 'n1'))).toEqual([]);
    const other = placed('b', 'n2', 'n2', 'n2');
    expect(spreadShards('a', ['n1', 'n2'], [...placed('a', 'n1', 'n1'), ...other])).toEqual([]);
  });

  it('do not move to a node that has some already: it would have to build the others again', () => {
    expect(spreadShards('a', ['n1', 'n2'], placed('a', 'n1', 'n1', 'n1', 'n1', 'n2'))).toEqual([]);
  });
});
