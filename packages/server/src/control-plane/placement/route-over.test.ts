import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NodeCommit } from '../../cluster/node-state.ts';
import { openStore } from '../../store/open-store.ts';
import type { Route } from '../../store/routes.ts';
import { type LivingNode, routeOver } from './route-over.ts';

const INDEX = { index: 'a', shards: 2 };

/** A commit `DEFINITION@SNAPSHOT`. */
function commitOf(text: string, number: number, shards: readonly number[]): NodeCommit {
  const [definition, snapshot] = text.split('@');
  const commit = `u.1.${number}`;
  return {
    commit,
    definition,
    snapshot,
    sequence: snapshot,
    generation: 1,
    docs: 1,
    bytes: 1,
    sizes: shards.map((shard) => ({ shard, docs: 1, bytes: 1 })),
    age_ms: 0,
  };
}

/** A node with shards and commits, the newest first. */
function node(name: string, ordinals: readonly number[], ...commits: string[]): LivingNode {
  const index = {
    ...{
      index: 'a',
      uuid: 'u',
      shards: 2,
      definition_version: 1,
      epoch: 1,
      aliases: [],
      copies: 0,
    },
    ordinals,
    commits: commits.map((text, i) => commitOf(text, commits.length - i, ordinals)),
  };
  return { node: name, address: `${name}:1`, indexes: [index], followed: [] };
}

const shown = (route: Route | undefined) =>
  route && [
    `${route.definition}@${route.snapshot}`,
    ...route.replicas.map((own) => own.map(({ node, commit }) => `${node} ${commit}`).join()),
  ];

describe('the route over nodes', () => {
  const first = routeOver(INDEX, [node('n1', [0], 'd@1'), node('n2', [1], 'd@1')])!;

  it('begins when every shard is built', () => {
    expect(routeOver(INDEX, [node('n1', [0], 'd@1')])).toBeUndefined();
    expect(routeOver(INDEX, [node('n1', [0], 'd@1'), node('n2', [1])])).toBeUndefined();
    expect(shown(first)).toEqual(['d@1', 'n1 u.1.1', 'n2 u.1.1']);
    expect(first.generation).toBe(1);
  });

  it('stays as the store has it while nothing changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-route-'));
    const store = await openStore({ file: join(folder, 'server.db') });
    await store.change(null, ({ routes }) => routes.advance(first));
    const stored = await store.routes.get('a');
    await store.close();
    rmSync(folder, { recursive: true });
    expect(stored).toEqual(first);
    const nodes = [node('n1', [0], 'd@1'), node('n2', [1], 'd@1')];
    expect(routeOver(INDEX, nodes, stored)).toBeUndefined();
  });

  it('stays at a snapshot until all shards have the next one', () => {
    const half = [node('n1', [0], 'd@2', 'd@1'), node('n2', [1], 'd@1')];
    expect(routeOver(INDEX, half, first)).toBeUndefined();
    const whole = [half[0], node('n2', [1], 'd@2', 'd@1')];
    const next = routeOver(INDEX, whole, first);
    expect(shown(next)).toEqual(['d@2', 'n1 u.1.2', 'n2 u.1.2']);
    expect(next?.generation).toBe(2);
  });

  it('never mixes two definitions', () => {
    const half = [node('n1', [0], 'e@1', 'd@1'), node('n2', [1], 'd@1')];
    expect(routeOver(INDEX, half, first)).toBeUndefined();
    const whole = [half[0], node('n2', [1], 'e@1', 'd@1')];
    expect(shown(routeOver(INDEX, whole, first))).toEqual(['e@1', 'n1 u.1.2', 'n2 u.1.2']);
  });

  it('loses the shards of a node that is gone, and no other', () => {
    const left = routeOver(INDEX, [node('n1', [0], 'd@1')], first);
    expect(shown(left)).toEqual(['d@1', 'n1 u.1.1', '']);
    const on = routeOver(INDEX, [node('n1', [0], 'd@2', 'd@1')], left);
    expect(shown(on)).toEqual(['d@2', 'n1 u.1.2', '']);
  });

  it('does not go back to the old snapshot of a node that returns', () => {
    const ahead = { ...first, snapshot: '3' };
    const n1 = node('n1', [0], 'd@3', 'd@2', 'd@1');
    const back = routeOver(INDEX, [n1, node('n2', [1], 'd@1')], ahead);
    expect(shown(back)).toEqual(['d@3', 'n1 u.1.3', '']);
    const caught = routeOver(INDEX, [n1, node('n2', [1], 'd@3', 'd@2', 'd@1')], back);
    expect(shown(caught)).toEqual(['d@3', 'n1 u.1.3', 'n2 u.1.3']);
  });

  it('follows a table that was rolled back, once all nodes have', () => {
    const ahead = { ...first, snapshot: '3' };
    const nodes = [node('n1', [0], 'd@1', 'd@3'), node('n2', [1], 'd@1', 'd@3')];
    expect(shown(routeOver(INDEX, nodes, ahead))).toEqual(['d@1', 'n1 u.1.2', 'n2 u.1.2']);
  });

  it('fails shards whose node has lost the commit, instead of mixing snapshots', () => {
    const nodes = [node('n1', [0], 'd@2'), node('n2', [1], 'd@1')];
    expect(shown(routeOver(INDEX, nodes, first))).toEqual(['d@1', '', 'n2 u.1.1']);
  });

  it('waits for a node that does not answer, and keeps its commit', () => {
    const silent = { ...node('n2', [1], 'd@2', 'd@1'), isSilent: true };
    const n1 = node('n1', [0], 'd@2', 'd@1');
    expect(routeOver(INDEX, [n1, silent], first)).toBeUndefined();
    expect(routeOver(INDEX, [n1, silent])).toBeUndefined();
    expect(shown(routeOver(INDEX, [n1], first))).toEqual(['d@2', 'n1 u.1.2', '']);
  });

  it('has all copies of a shard', () => {
    const nodes = [node('n1', [0, 1], 'd@1'), node('n2', [1], 'd@1')];
    expect(shown(routeOver(INDEX, nodes))).toEqual(['d@1', 'n1 u.1.1', 'n1 u.1.1,n2 u.1.1']);
  });

  it('has the node of the index alone once it has all shards', () => {
    const others = [node('n2', [0], 'd@1'), node('n3', [1], 'd@1')];
    const placed = { ...INDEX, writer: 'n1' };
    const spread = routeOver(placed, [node('n1', [0, 1]), ...others]);
    expect(shown(spread)).toEqual(['d@1', 'n2 u.1.1', 'n3 u.1.1']);
    const gathered = routeOver(placed, [node('n1', [0, 1], 'd@1'), ...others], spread);
    expect(shown(gathered)).toEqual(['d@1', 'n1 u.1.1', 'n1 u.1.1']);
  });
});
