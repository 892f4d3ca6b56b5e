import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { describe, expect, it } from 'vitest';
import type { NodeIndex } from '../../cluster/node-state.ts';
import type { LivingNode } from '../placement/route-over.ts';
import { faultsOf } from './missing-shards.ts';

const definition = (settings: string) =>
  registeredDefinition(`version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: /lake }, table: ops.notes }
storage: s3://bucket/prefix
${settings}
fields:
  - { name: title, type: TEXT }
`);

/** A route whose shards are on so many nodes. */
const routeOver = (...counts: readonly number[]) => ({
  ...{ index: 'notes', generation: 1, shards: counts.length, definition: 'd', snapshot: '1' },
  replicas: counts.map((count) =>
    Array.from({ length: count }, (_, i) => ({ node: `n${i}`, address: `n${i}:1`, commit: 'c' })),
  ),
});

/** Nodes with the commit of the route. */
const living = (...names: readonly string[]): LivingNode[] =>
  names.map((node) => {
    const index = { index: 'notes', commits: [{ commit: 'c' }] } as unknown as NodeIndex;
    return { node, address: `${node}:1`, indexes: [index], followed: [] };
  });
const NODES = living('n0', 'n1', 'n2');

const lacks = (shard: number, nodes: number, required: number) => ({ shard, nodes, required });

describe('what an index says of its shards', () => {
  it.each([
    ['replicas: 2', [3, 3], {}],
    ['replicas: 2', [3, 2, 1], { lacking_copies: [lacks(1, 2, 3), lacks(2, 1, 3)] }],
    ['replicas: 1', [0, 1, 2], { missing_shards: [0], lacking_copies: [lacks(1, 1, 2)] }],
    ['replicas: 0', [1, 1], {}],
    ['', [1, 0], { missing_shards: [1] }],
  ])('names those on no node, and those on fewer than %s requires', (settings, counts, shown) => {
    expect(faultsOf(routeOver(...counts), NODES, definition(settings))).toEqual(shown);
  });

  it('counts nodes that answer alone', () => {
    const [first, second] = living('n0', 'n1');
    const silent = { ...second, isSilent: true };
    const said = (...nodes: LivingNode[]) =>
      faultsOf(routeOver(2, 1), nodes, definition('replicas: 1'));
    expect(said(first, silent)).toEqual({ lacking_copies: [lacks(0, 1, 2), lacks(1, 1, 2)] });
    expect(said(silent)).toEqual({ missing_shards: [0, 1] });
  });

  it('is nothing before it is built', () => {
    expect(faultsOf(undefined, NODES, definition('replicas: 2'))).toEqual({});
  });
});
