import type { AlterIndexRequest, AlterPlan, CreateIndexRequest } from '@lakehouse-search/contract';
import { definitionDigest, registeredDefinition } from '@lakehouse-search/engine/internal';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { NodeIndex } from '../cluster/node-state.ts';
import type { NodeLease } from '../cluster/registrar.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { NodeRegistration } from './register-node.ts';

const definition = (shards: number) => `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: /none }, table: ops.notes }
fields: [{ name: title, type: TEXT }]
sharding: { shards: ${shards} }
`;
const held = (shards: number, version: number): NodeIndex => ({
  ...{ index: 'notes', uuid: 'u', shards, definition_version: version },
  ordinals: [...Array(shards).keys()],
  ...{ commits: [], aliases: [], copies: 0 },
});
const logger = pino({ level: 'silent' });
const QUIET = {
  ...{ logger, faults: new RepeatedFaults(logger) },
  ...{ follow: () => {}, leaveIndex: async () => {} },
  digestOf: () => definitionDigest(registeredDefinition(definition(3))),
};
/** Time of a lease in these tests: heartbeats come three times in it. */
const LEASE_MS = 3000;
const lease = { expires_ms: Date.now() + 60_000, dropped: [], followed: [], left: [] };
const threeShards: NodeLease = {
  ...lease,
  assignments: [{ index: 'notes', definition: definition(3) }],
};

/** What a node does with one answer; its index is another one when the answer comes. */
async function changesOf(
  before: readonly NodeIndex[],
  after: readonly NodeIndex[],
  answer = threeShards,
  beats = 1,
) {
  let indexes = before;
  const changes: string[] = [];
  let calls = 0;
  const registration = new NodeRegistration({
    registrar: {
      async register() {
        indexes = after;
        calls++;
        return { ...answer, expires_ms: Date.now() + LEASE_MS };
      },
      leave: async () => {},
      close: async () => {},
    },
    backend: {
      alterIndex: async ({ definition_yaml }: AlterIndexRequest) => {
        changes.push(`alter ${definition_yaml.includes('shards: 3')}`);
        return {} as AlterPlan;
      },
      createIndex: async (_: CreateIndexRequest) => {
        changes.push('create');
        throw new Error('not in this test');
      },
    },
    removeIndex: async () => undefined,
    address: 'n1:9402',
    state: () => ({ node: 'n1', indexes, takes: [], followed: [] }),
    ...QUIET,
    leaveIndex: async (index) => void changes.push(`leave ${index}`),
  });
  registration.start();
  await vi.waitUntil(() => calls >= beats && (beats > 1 || registration.holds()));
  await registration.stop();
  return changes;
}

describe('a node that is given an index', () => {
  it('makes it, and gives the one that it has the shards and the definition', async () => {
    expect(await changesOf([], [])).toEqual(['create']);
    expect(await changesOf([held(3, 1)], [held(3, 1)])).toEqual([]);
    const part = { ...held(3, 1), ordinals: [1] };
    expect(await changesOf([part], [part])).toEqual(['alter true']);
    const other = { ...lease, assignments: [{ index: 'notes', definition: definition(2) }] };
    expect(await changesOf([held(3, 1)], [held(3, 1)], other)).toEqual(['alter false']);
  });

  it('renews its lease while an index is made, which reads the table', async () => {
    let [calls, made] = [0, 0];
    const registration = new NodeRegistration({
      registrar: {
        async register() {
          calls++;
          return { ...threeShards, expires_ms: Date.now() + 3 };
        },
        leave: async () => {},
        close: async () => {},
      },
      backend: {
        alterIndex: async () => ({}) as AlterPlan,
        createIndex: () => {
          made++;
          return new Promise(() => {});
        },
      },
      removeIndex: async () => undefined,
      address: 'n1:9402',
      state: () => ({ node: 'n1', indexes: [], takes: [], followed: [] }),
      ...QUIET,
    });
    registration.start();
    await vi.waitUntil(() => calls >= 3);
    await registration.stop();
    expect(made).toBe(1);
  });

  it('ends its lease when it stops, after a heartbeat that is on its way', async () => {
    const calls: string[] = [];
    const beat = Promise.withResolvers<NodeLease>();
    const registration = new NodeRegistration({
      registrar: {
        register: () => beat.promise.finally(() => calls.push('registered')),
        leave: async () => void calls.push('left'),
        close: async () => void calls.push('closed'),
      },
      backend: { alterIndex: async () => ({}) as AlterPlan, createIndex: () => Promise.reject() },
      removeIndex: async () => undefined,
      address: 'n1:9402',
      state: () => ({ node: 'n1', indexes: [], takes: [], followed: [] }),
      ...QUIET,
    });
    registration.start();
    const stopped = registration.stop();
    beat.resolve({ ...lease, assignments: [] });
    await stopped;
    expect(calls).toEqual(['registered', 'left', 'closed']);
    expect(registration.holds()).toBe(false);
  });

  it('leaves an index that a job has changed since the node said what it holds', async () => {
    expect(await changesOf([held(3, 1)], [held(2, 2)])).toEqual([]);
    expect(await changesOf([held(3, 1)], [])).toEqual([]);
    expect(await changesOf([], [held(2, 1)])).toEqual([]);
  });

  it('leaves an index that another node has, one heartbeat later', async () => {
    const moved = { ...lease, assignments: [], left: ['notes'] };
    expect(await changesOf([held(3, 1)], [held(3, 1)], moved)).toEqual([]);
    const [left] = await changesOf([held(3, 1)], [held(3, 1)], moved, 3);
    expect(left).toBe('leave notes');
    expect(await changesOf([], [], moved, 3)).toEqual([]);
  });
});
