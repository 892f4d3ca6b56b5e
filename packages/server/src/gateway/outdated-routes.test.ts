import { LhsError } from '@lakehouse-search/contract';
import { answerBytes } from '@lakehouse-search/engine/internal';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NodeClient, NodeRead } from '../cluster/node-client.ts';
import type { NodeCommit, NodeState } from '../cluster/node-state.ts';
import type { RoutedIndex } from '../cluster/routing.ts';
import type { ControlPlanes } from '../control-plane/control-plane-client.ts';
import { type AdminBackend, clusterBackend } from './cluster-backend.ts';
import { LedRouting } from './led-routing.ts';

const NODES = ['a', 'b', 'c'];

const routeAt = (commit: number, generation = 1): RoutedIndex => ({
  ...{ index: 'notes', generation, snapshot: String(commit) },
  shards: [0, 1].map((ordinal) => ({
    ordinal,
    replicas: NODES.map((node) => ({ node, address: `${node}:1`, commit: String(commit) })),
  })),
});

const commitOf = (commit: number): NodeCommit => ({
  ...{ commit: String(commit), snapshot: String(commit), sequence: String(commit) },
  ...{ generation: 1, docs: 1, bytes: 1, sizes: [], age_ms: 0, definition: 'd' },
});

function stateOf(node: string, commits: readonly number[]): NodeState {
  const index = {
    ...{ index: 'notes', uuid: 'u', shards: 2, ordinals: [0, 1], definition_version: 1 },
    ...{ aliases: [], copies: 2, commits: commits.map(commitOf) },
  };
  return { node, indexes: [], takes: [], followed: commits.length === 0 ? [] : [index] };
}

/** A gateway whose control plane stays at commit 1, over nodes that have these commits. */
async function gatewayOver(commits: Record<string, readonly number[]>) {
  const down = new Set<string>();
  const looks: string[] = [];
  let route = routeAt(1);
  let changed = Promise.withResolvers<void>();
  let [published, refreshes] = [0, 0];
  const call = async (_: unknown, { waitMs }: { readonly waitMs: number }) => {
    if (waitMs === 0) refreshes++;
    else await changed.promise;
    const shards = route.shards.map(({ replicas }) => ({ replicas }));
    return {
      version: `${published}`,
      names: ['notes'],
      aliases: [],
      indexes: [{ ...route, shards }],
    };
  };
  const planes = { call, close: () => changed.resolve() } as unknown as ControlPlanes;
  const unreachable = new LhsError('unreachable', 'connect ECONNREFUSED');
  const answer = (address: string, { commit }: NodeRead) => {
    const own = commits[address[0]];
    if (own.length === 0) throw new LhsError('index_not_found', 'there is no index "notes"');
    if (own.includes(Number(commit))) return { total: Number(commit) };
    throw new LhsError('not_found', `no commit "${commit}"`, { details: { commit } });
  };
  const node = (address: string) =>
    ({
      read: async (read: NodeRead) => {
        if (down.has(address)) throw unreachable;
        const { operation, request } = read;
        const work = () => answer(address, read);
        return answerBytes({ [operation]: work } as never, operation as never, request);
      },
      state: async () => {
        if (down.has(address)) throw unreachable;
        looks.push(address);
        return stateOf(address[0], commits[address[0]]);
      },
    }) as unknown as NodeClient;
  const routing = new LedRouting(planes, { node });
  await routing.start();
  onTestFinished(() => routing.close());
  refreshes = 0;
  const admin = { close: async () => {} } as unknown as AdminBackend;
  const backend = clusterBackend({ routing, node, admin });
  return {
    ...{ commits, down, looks, routing },
    search: async (query = '*:*') => (await backend.search({ index: 'notes', query })).total,
    refreshes: () => refreshes,
    publish: async (next: RoutedIndex) => {
      const { resolve } = changed;
      [route, published, changed] = [next, published + 1, Promise.withResolvers()];
      resolve();
      await vi.waitUntil(() => routing.current('notes')?.generation === next.generation);
    },
  };
}

describe('a route whose commits no node has any more', () => {
  it('gives way to the newest commit that its nodes have', async () => {
    const { search, refreshes } = await gatewayOver({ a: [5, 4], b: [4, 3], c: [4] });
    expect([await search(), refreshes()]).toEqual([4, 0]);
  });

  it('is looked at again when other nodes are left', async () => {
    const { search, commits, down } = await gatewayOver({ a: [3], b: [], c: [] });
    expect(await search()).toBe(3);
    Object.assign(commits, { b: [7], c: [7] });
    down.add('a:1');
    expect(await search()).toBe(7);
  });

  it('is what the control plane publishes, once it does', async () => {
    const { search, commits, publish, routing } = await gatewayOver({ a: [3], b: [3], c: [3] });
    expect(await search()).toBe(3);
    Object.assign(commits, { a: [4, 3], b: [4, 3] });
    await publish(routeAt(1));
    expect(routing.current('notes')?.snapshot).toBe('3');
    await publish(routeAt(4, 2));
    expect([routing.current('notes')?.snapshot, await search()]).toEqual(['4', 4]);
  });

  it('is unreachable while nodes have not opened the index', async () => {
    const { search, refreshes } = await gatewayOver({ a: [], b: [], c: [] });
    await expect(search()).rejects.toMatchObject({
      code: 'unreachable',
      message: 'no node has the data of commit "1" of index "notes"',
      hint: 'the status of the index names missing shards and what is done about them',
    });
    expect(refreshes()).toBe(1);
  });

  it('is not looked at while a node has the commit', async () => {
    const { search, looks } = await gatewayOver({ a: [3], b: [3, 2, 1], c: [] });
    for (let i = 0; i < 10; i++) expect(await search(`word${i}`)).toBe(1);
    expect(looks).toEqual([]);
  });
});
