import { LhsError } from '@lakehouse-search/contract';
import { answerBytes, type Shard } from '@lakehouse-search/engine/internal';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../cluster/node-client.ts';
import { NodeWatch } from '../cluster/node-watch.ts';
import { Hedging } from './hedging.ts';
import { readTime } from './read-time.ts';
import { replicatedShard } from './replicated-shard.ts';
import { StaticRouting } from './static-routing.ts';

const replica = { node: 'n1', address: 'n1:9402', commit: 'c1' };
const shard = { ordinal: 0, replicas: [replica] };

const nodeThat = (work: Partial<NodeClient>) =>
  ({ address: replica.address, ...work }) as unknown as NodeClient;
const refused = async () => {
  throw new LhsError('unreachable', 'connect ECONNREFUSED 10.0.0.1:9402');
};
const state = async () => ({ node: 'n1', indexes: [], takes: [], followed: [] });

async function messagesOf(node: NodeClient, reads: number): Promise<readonly string[]> {
  const routing = new StaticRouting({ nodes: [node], pollMs: 1_000_000 });
  await routing.refresh();
  const messages: string[] = [];
  for (let read = 0; read < reads; read++) {
    const watch = new NodeWatch((_, deadline) => node.state({ deadline }), 30);
    const time = readTime(5000, {});
    const reach = {
      index: 'notes',
      routing,
      node: () => node,
      watch,
      hedging: new Hedging(),
      time,
      call: {},
    };
    const failed = replicatedShard(shard, reach).keys({ keys: [] });
    messages.push(await Promise.resolve(failed).then(String, (error: Error) => error.message));
  }
  await routing.close();
  return messages;
}

describe('a shard that several nodes have', () => {
  const replicas = ['n1', 'n2', 'n3'].map((node, i) => {
    return { node, address: `${node}:1`, commit: i === 1 ? 'other' : 'same' };
  });
  const fetch = async () => ({ hits: [] });

  it('goes on at the copy of the same commit once documents were named', async () => {
    const asked: string[] = [];
    const down = new Set<string>();
    const node = (address: string) =>
      nodeThat({
        read: async ({ request }) => {
          asked.push(address);
          if (down.has(address)) await refused();
          return answerBytes({ fetch } as unknown as Shard, 'fetch', request);
        },
      });
    const routing = {
      isDown: () => false,
      faultOf: () => undefined,
      failed: () => {},
      outdated: () => {},
    };
    const watch = new NodeWatch(async () => {}, 30);
    const time = readTime(5000, {});
    const hedging = new Hedging();
    const reach = { index: 'notes', routing, node, watch, hedging, time, call: {} };
    const copies = replicatedShard({ ordinal: 0, replicas }, reach);
    await copies.fetch({} as never);
    down.add('n1:1');
    await copies.fetch({} as never);
    expect(asked).toEqual(['n1:1', 'n1:1', 'n3:1']);
  });
});

describe('a shard whose node is down', () => {
  it('names the first error after the first read', async () => {
    expect(await messagesOf(nodeThat({ state, read: refused }), 2)).toEqual([
      'connect ECONNREFUSED 10.0.0.1:9402',
      'shard 0 of "notes" is on n1:9402 (connect ECONNREFUSED 10.0.0.1:9402): not reachable',
    ]);
  });

  it('names a read that took too long', async () => {
    const read = async () => {
      throw new LhsError('deadline_exceeded', 'too late');
    };
    const [, second] = await messagesOf(nodeThat({ state, read }), 2);
    expect(second).toContain('n1:9402 (node n1:9402 did not answer within 5000 ms): not reachable');
  });

  it('names the error of the last look at the node', async () => {
    const [message] = await messagesOf(nodeThat({ state: refused, read: refused }), 1);
    expect(message).toBe(
      'shard 0 of "notes" is on n1:9402 (connect ECONNREFUSED 10.0.0.1:9402): not reachable',
    );
  });
});
