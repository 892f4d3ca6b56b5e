import { describe, expect, it } from 'vitest';
import type { RoutedIndex } from '../cluster/routing.ts';
import { withKeptReplicas } from './kept-replicas.ts';

/** A route: the node and commit of each shard, or '' for a shard without a node. */
const route = (generation: number, snapshot: string, ...shards: string[]): RoutedIndex => ({
  ...{ index: 'notes', generation, snapshot },
  shards: shards.map((text, ordinal) => {
    const [node, commit] = text.split('@');
    const replicas = text === '' ? [] : [{ node, address: `${node}:1`, commit }];
    return { ordinal, replicas };
  }),
});
const before = route(1, '7', 'n1@a', 'n2@b');

describe('the replicas of nodes whose leases have ended', () => {
  it.each([
    ['stay if all nodes of the index are gone', route(2, '7', '', ''), before.shards],
    ['stay if the others are where they were', route(2, '7', 'n1@a', ''), before.shards],
    ['end with the state', route(2, '8', 'n1@c', ''), route(2, '8', 'n1@c', '').shards],
    ['end with another build', route(2, '7', 'n1@c', ''), route(2, '7', 'n1@c', '').shards],
    ['end with another number of shards', route(2, '7', ''), route(2, '7', '').shards],
    ['make way for another node', route(2, '7', 'n1@a', 'n3@d'), null],
  ])('%s', (_, next, shards) => {
    expect(withKeptReplicas(next, before)).toEqual({ ...next, shards: shards ?? next.shards });
  });
});
