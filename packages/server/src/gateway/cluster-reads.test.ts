import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { answerBytes } from '@lakehouse-search/engine/internal';
import { describe, expect, it } from 'vitest';
import type { NodeClient, NodeRead } from '../cluster/node-client.ts';
import type { RoutingSource } from '../cluster/routing.ts';
import { ClusterReads } from './cluster-reads.ts';

const route = {
  ...{ index: 'notes', generation: 1, snapshot: '1' },
  shards: [{ ordinal: 0, replicas: [{ node: 'n', address: 'n:1', commit: 'c' }] }],
};
const routing = {
  names: () => ['notes'],
  aliases: () => new Map(),
  current: () => route,
  isDown: () => false,
  failed: () => {},
} as unknown as RoutingSource;

describe('a commit of nodes', () => {
  it('is read by a call of its own if the call that was opening it was aborted', async () => {
    const stop = new AbortController();
    let count = 0;
    const read = async (_: unknown, { signal }: CallContext) => {
      if (count++ > 0) throw new LhsError('corrupt_index', 'the own read');
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      throw new LhsError('interrupted', 'the call was aborted');
    };
    const node = () => ({ read, state: async () => ({}) }) as unknown as NodeClient;
    const reads = new ClusterReads({ routing, node });
    const first = reads.open({ index: 'notes' }, { signal: stop.signal });
    const second = reads.open({ index: 'notes' }, {});
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    await expect(second).rejects.toThrow('the own read');
  });

  it('is waited for until the own call is aborted, not that which opens it', async () => {
    const stop = new AbortController();
    const read = () => new Promise<never>(() => {});
    const node = () => ({ read, state: async () => ({}) }) as unknown as NodeClient;
    const reads = new ClusterReads({ routing, node });
    const opening = reads.open({ index: 'notes' }, {});
    const waiting = reads.open({ index: 'notes' }, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
    expect(await Promise.race([opening, 'open'])).toBe('open');
  });
});

describe('a read of an index that nodes have whole', () => {
  const copies = ['a', 'b', 'c'].map((node) => ({ node, address: `${node}:1`, commit: 'c1' }));
  const of = (...nodes: string[]) => copies.filter(({ node }) => nodes.includes(node));

  /** Reads over nodes that answer with this, or throw it. */
  function readsOf(answer: object | LhsError, shards: readonly (typeof copies)[]) {
    const seen: string[] = [];
    const work = () => {
      if (answer instanceof LhsError) throw answer;
      return answer;
    };
    const read = async ({ operation, request }: NodeRead, address: string) => {
      seen.push(`${address} ${operation}`);
      return answerBytes({ [operation]: work } as never, operation as never, request);
    };
    const routed = {
      ...{ index: 'notes', generation: 1, snapshot: '1' },
      shards: shards.map((replicas, ordinal) => ({ ordinal, replicas })),
    };
    const node = (address: string) =>
      ({ read: (one: NodeRead) => read(one, address), state: async () => ({}) }) as NodeClient;
    const reads = new ClusterReads({ routing: { ...routing, current: () => routed }, node });
    const search = (request: object) => reads.whole('search', { index: 'notes', ...request }, {});
    return { search, seen };
  }

  it('is one message to a node with all shards, the same for the pages of a query', async () => {
    const { search, seen } = readsOf({ total: 3 }, [copies, of('c', 'a'), of('a', 'b', 'c')]);
    for (let i = 0; i < 20; i++) {
      expect(await search({ query: `word${i}`, limit: 10 })).toEqual({ total: 3 });
      await search({ query: `word${i}`, limit: 10, offset: 10 });
      expect(seen[2 * i]).toBe(seen[2 * i + 1]);
    }
    expect([...new Set(seen)].sort()).toEqual(['a:1 answer:search', 'c:1 answer:search']);
  });

  it.each([
    ['no node has all shards', { total: 3 }, [of('a'), of('b')], 0],
    ['the node lacks a shard', { total: 2, partial: true }, [of('a'), of('a')], 1],
    ['the node fails', new LhsError('io_error', 'EIO'), [of('a', 'b')], 2],
    ['the node has an earlier version', new LhsError('unsupported', 'no read'), [of('a')], 1],
  ])('is answered from shards if %s', async (_, answer, shards, count) => {
    const { search, seen } = readsOf(answer, shards);
    expect([await search({ query: 'word' }), seen.length]).toEqual([undefined, count]);
  });

  it('throws what refuses the request', async () => {
    const refused = new LhsError('invalid_query', 'expected a word');
    await expect(readsOf(refused, [copies]).search({ query: '(' })).rejects.toMatchObject({
      message: 'expected a word',
    });
  });
});
