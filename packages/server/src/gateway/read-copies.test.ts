import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NodeCall, NodeClient } from '../cluster/node-client.ts';
import { NodeWatch } from '../cluster/node-watch.ts';
import { type ProbeNode, SilentNodes } from '../cluster/silent-nodes.ts';
import { Hedging } from './hedging.ts';
import { type CopyRead, type ReadReach, readable, readCopies } from './read-copies.ts';
import { readTime } from './read-time.ts';

const copies = ['a', 'b', 'c'].map((node) => ({ node, address: `${node}:1`, commit: 'c1' }));
const read: CopyRead<string> = {
  ...{ shards: [0], operation: 'search', request: new Uint8Array() },
  decode: (bytes) => Buffer.from(bytes).toString(),
};
const unreachable = new LhsError('unreachable', 'connect ECONNREFUSED');

/** A read of a node that stands still: it ends when it is canceled. */
const never = (_: unknown, { signal }: NodeCall = {}): Promise<Uint8Array> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new LhsError('interrupted', 'canceled')));
  });

/** Nodes that answer with their name, but for those of `others`. */
function reachOf(others: Readonly<Record<string, NodeClient['read']>>) {
  const reads: string[] = [];
  const down = new Map<string, LhsError>();
  const outdated = vi.fn();
  const probe = vi.fn((address: string) =>
    others[address] === never ? new Promise(() => {}) : Promise.resolve(),
  );
  const reach: ReadReach = {
    ...{ index: 'notes', hedging: new Hedging(), time: readTime(600_000, {}), call: {} },
    routing: {
      isDown: (address) => down.has(address),
      faultOf: (address) => down.get(address),
      failed: (address, fault) => void down.set(address, fault),
      outdated,
    },
    watch: new NodeWatch(probe, 600_000),
    node: (address) =>
      ({
        read: (...call: Parameters<NodeClient['read']>) => {
          reads.push(address);
          return others[address]?.(...call) ?? Promise.resolve(Buffer.from(address));
        },
      }) as NodeClient,
  };
  return { reach, reads, down, probe, outdated };
}

/** The answers of this many reads before. */
function answered(hedging: Hedging, count: number): void {
  for (let i = 0; i < count; i++) {
    hedging.begin('notes search');
    hedging.answered('notes search', 1);
  }
}

describe('a read of copies', () => {
  it('goes on at the next copy when nodes fail, without a hedge', async () => {
    const failing = () => Promise.reject(unreachable);
    const { reach, reads, down } = reachOf({ 'a:1': failing, 'b:1': failing });
    const failed: string[] = [];
    const { answer, copy } = await readCopies(reach, copies, read, ({ node }) => {
      failed.push(node);
    });
    expect([answer, copy.node, failed]).toEqual(['c:1', 'c', ['a', 'b']]);
    expect([reads, [...down.keys()]]).toEqual([
      ['a:1', 'b:1', 'c:1'],
      ['a:1', 'b:1'],
    ]);
    expect(reach.hedging.hedged).toBe(0);
    await expect(readCopies(reach, copies.slice(0, 2), read)).rejects.toBe(unreachable);
  });

  it.each([
    ['a commit', new LhsError('not_found', 'no such commit', { details: { commit: 'c1' } })],
    ['an index', new LhsError('index_not_found', 'there is no index "notes"')],
    ['a commit of an index', new LhsError('index_not_built', 'no node has built "notes"')],
  ])('goes on at the next copy when a node lacks %s', async (_, error) => {
    const lacking = () => Promise.reject(error);
    const failing = () => Promise.reject(unreachable);
    const { reach, reads, outdated } = reachOf({ 'a:1': lacking, 'b:1': failing });
    expect(await readCopies(reach, copies, read)).toMatchObject({ answer: 'c:1' });
    expect([reads, outdated.mock.calls]).toEqual([['a:1', 'b:1', 'c:1'], []]);
    await expect(readCopies(reach, copies.slice(0, 2), read)).rejects.toMatchObject({
      code: 'unreachable',
      message: 'no node has the data of commit "c1" of index "notes"',
      hint: 'the status of the index names missing shards and what is done about them',
    });
    expect(outdated.mock.calls).toEqual([['notes']]);
  });

  it('goes on at nodes that are down if no other is left, without a hedge', async () => {
    const failing = () => Promise.reject(unreachable);
    const { reach, reads, down } = reachOf({ 'a:1': failing });
    for (const address of ['b:1', 'c:1']) down.set(address, unreachable);
    answered(reach.hedging, 40);
    const order = readable([copies[1], copies[0]], reach.routing);
    expect(await readCopies(reach, order, read)).toMatchObject({ answer: 'b:1' });
    expect([reads, reach.hedging.hedged]).toEqual([['a:1', 'b:1'], 0]);
    expect(readable(copies.slice(1), reach.routing)).toEqual([]);
  });

  it('throws what refuses the request, without another read', async () => {
    const refused = new LhsError('invalid_query', 'expected a word');
    const { reach, reads } = reachOf({ 'a:1': () => Promise.reject(refused) });
    await expect(readCopies(reach, copies, read)).rejects.toBe(refused);
    expect(reads).toEqual(['a:1']);
  });

  it('is sent to the next node when the first stands still, and is canceled there', async () => {
    const canceled = vi.fn();
    const still: NodeClient['read'] = (...own) => never(...own).catch(canceled) as never;
    const { reach, reads } = reachOf({ 'a:1': still });
    answered(reach.hedging, 40);
    const { answer } = await readCopies(reach, copies, read);
    expect([answer, reads, reach.hedging.hedged]).toEqual(['b:1', ['a:1', 'b:1'], 1]);
    expect(canceled).toHaveBeenCalledOnce();
  });

  it('goes to a node without an open probe first', async () => {
    const { reach, reads, probe } = reachOf({ 'a:1': never });
    answered(reach.hedging, 40);
    for (let i = 0; i < 5; i++) await readCopies(reach, copies, read);
    expect(reads).toEqual(['a:1', 'b:1', 'b:1', 'b:1', 'b:1', 'b:1']);
    expect([probe.mock.calls.length, reach.hedging.hedged]).toEqual([1, 1]);
  });

  it('waits for a node that stands still in less than one of 100 reads: p99 stays', async () => {
    const { reach, reads } = reachOf({ 'a:1': never });
    const probe: ProbeNode = (address) =>
      address === 'a:1' ? Promise.reject(unreachable) : Promise.resolve();
    const silent = new SilentNodes(probe, 10_000);
    onTestFinished(() => silent.close());
    const own: ReadReach = {
      ...reach,
      routing: {
        ...reach.routing,
        isDown: (address) => silent.faultOf(address) !== undefined,
        failed: (address, fault) => silent.failed(address, fault),
      },
      watch: new NodeWatch(probe, 30),
    };
    const readSome = async (reader: number) => {
      for (let i = 0; i < 250; i++) {
        const order = [0, 1, 2].map((n) => copies[(n + i + reader) % 3]);
        await readCopies(own, readable(order, own.routing), read);
      }
    };
    await Promise.all([0, 1, 2, 3].map(readSome));
    expect(reads.length).toBeGreaterThanOrEqual(1000);
    expect(reads.filter((address) => address === 'a:1').length).toBeLessThan(10);
    expect(reach.hedging.hedged).toBeLessThan(10);
  });

  it('waits for a node that stands still if too many reads were hedged', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] });
    onTestFinished(() => void vi.useRealTimers());
    const stop = new AbortController();
    const { reach, reads } = reachOf({ 'a:1': never });
    const call = { signal: stop.signal };
    const waiting = readCopies({ ...reach, call }, copies, read);
    await vi.advanceTimersByTimeAsync(1000);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
    expect([reads, reach.hedging.hedged]).toEqual([['a:1'], 0]);
  });
});
