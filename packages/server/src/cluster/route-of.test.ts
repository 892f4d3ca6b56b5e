import { describe, expect, it } from 'vitest';
import { routeOf, type SeenNode } from './route-of.ts';

/** A node that holds one shard of three, with the snapshots of its commits, the newest first. */
const node = (ordinal: number, snapshots: readonly string[], up = true): SeenNode => ({
  address: `n${ordinal}:1`,
  up,
  state: {
    ...{ node: `n${ordinal}`, takes: [], followed: [] },
    indexes: [
      {
        ...{ index: 'i', uuid: 'u', shards: 3, ordinals: [ordinal], definition_version: 1 },
        ...{ aliases: [], copies: 0 },
        commits: snapshots.map((snapshot) => ({
          ...{ commit: `${ordinal}.${snapshot}`, snapshot, sequence: snapshot },
          ...{ generation: 1, docs: 1, bytes: 1, sizes: [], age_ms: 0, definition: 'd' },
        })),
      },
    ],
  },
});
const commitsOf = (route: ReturnType<typeof routeOf>) =>
  route?.shards.map(({ replicas }) => replicas.map(({ commit }) => commit));

describe('the routing over nodes', () => {
  it('is the newest snapshot that all of them have', () => {
    const nodes = [node(0, ['3', '2']), node(1, ['2', '1']), node(2, ['3', '2', '1'])];
    const route = routeOf('i', nodes);
    expect(route?.snapshot).toBe('2');
    expect(commitsOf(route)).toEqual([['0.2'], ['1.2'], ['2.2']]);
  });

  it('goes on without a node that does not answer, and keeps its shard', () => {
    const nodes = [node(0, ['3', '2']), node(1, ['2'], false), node(2, ['3', '2'])];
    expect(commitsOf(routeOf('i', nodes))).toEqual([['0.3'], [], ['2.3']]);
  });

  it('never goes back to an older snapshot when a node returns that is behind', () => {
    const late = [node(0, ['3', '2']), node(1, ['2'], false), node(2, ['3', '2'])];
    const former = routeOf('i', late) ?? undefined;
    const back = [node(0, ['3', '2']), node(1, ['2']), node(2, ['3', '2'])];
    expect(routeOf('i', back, former)?.snapshot).toBe('3');
  });

  it('has both nodes of a shard that two hold, and none before the first build', () => {
    const twin = { ...node(0, ['2']), address: 'twin:1' };
    expect(commitsOf(routeOf('i', [node(0, ['2']), twin]))?.[0]).toEqual(['0.2', '0.2']);
    expect(routeOf('i', [node(0, [])])).toBeNull();
    expect(routeOf('other', [node(0, ['2'])])).toBeNull();
  });
});
