import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { valueToBytes } from '../../../../engine/src/base/bytes/value-bytes.ts';
import type { NodeClient } from '../../cluster/node-client.ts';
import { AdminNodes, type AdminRouting } from './admin-nodes.ts';
import { alterOver, createOver, renameOver } from './static-definitions.ts';

const ADDRESSES = ['n1:9001', 'n2:9001', 'n3:9001'];
const definitionOf = (text: string) => `version: 1
index: notes
description: ${text}
source: { catalog: { type: filesystem, warehouse: /none }, table: ops.notes }
sharding: { shards: 3 }
fields: [{ name: title, type: TEXT }]
`;
const failure = (code: ErrorCode) => new LhsError(code, 'of a test');

/** What each node holds: the text of the definition. */
const held = new Map<string, string>();
/** The name of the index on nodes where it is another one. */
const names = new Map<string, string>();
/** Called before and after a node makes a change. */
let before: (address: string) => void = () => {};
let after: (address: string) => void = () => {};
let down: string | undefined;

const textOf = (definition: string) => /description: (.*)/.exec(definition)![1];

function change(address: string, definition: string) {
  before(address);
  held.set(address, textOf(definition));
  after(address);
  return { index: 'notes' };
}

const service = (address: string) => ({
  createIndex: async ({ definition }: { definition: string }) => change(address, definition),
  dropIndex: async () => {
    if (!held.delete(address)) throw failure('index_not_found');
  },
  alterIndex: async ({ definition_yaml, apply }: { definition_yaml: string; apply: boolean }) =>
    apply ? change(address, definition_yaml) : { index: 'notes' },
  renameIndex: async ({ index, name }: { index: string; name: string }) => {
    if ((names.get(address) ?? 'notes') !== index) throw failure('index_not_found');
    before(address);
    names.set(address, name);
    after(address);
    return { index: name, previous_name: index, aliases: ['all'], saved_queries: 1 };
  },
});

const routing = {
  get seen() {
    return ADDRESSES.map((address, ordinal) => {
      const index = { index: 'notes', shards: 3, ordinals: [ordinal], aliases: [], commits: [] };
      const indexes = held.has(address) ? [index] : [];
      const state = { node: address, takes: [ordinal], indexes };
      return { address, up: address !== down, state };
    });
  },
  names: () => ['notes'],
  aliases: () => new Map(),
  refresh: async () => {},
} as unknown as AdminRouting;

const nodes = new AdminNodes(routing, (address) => {
  const read = async () =>
    valueToBytes('definition answer', { result: definitionOf(held.get(address) ?? 'none') });
  return { service: () => service(address), read } as unknown as NodeClient;
});

const create = () => createOver(nodes, { definition: definitionOf('new') }, {});
const alter = () =>
  alterOver(nodes, { index: 'notes', definition_yaml: definitionOf('new'), apply: true }, {});
const failsAt = (at: string, code: ErrorCode) => (address: string) => {
  if (address !== at) return;
  before = () => {};
  after = () => {};
  throw failure(code);
};

beforeEach(() => {
  held.clear();
  names.clear();
  before = () => {};
  after = () => {};
  down = undefined;
});

describe('an index over a fixed list of nodes', () => {
  it('is made on all of them', async () => {
    await create();
    expect([...held.values()]).toEqual(['new', 'new', 'new']);
  });

  it('is not made if a node without its shards has the name', async () => {
    held.set(ADDRESSES[2], 'other');
    const definition = definitionOf('new').replace('shards: 3', 'shards: 2');
    const created = createOver(nodes, { definition }, {});
    await expect(created).rejects.toMatchObject({ code: 'index_exists' });
    expect([...held]).toEqual([[ADDRESSES[2], 'other']]);
  });

  it('is made on none if one refuses, and the error names the node', async () => {
    before = failsAt(ADDRESSES[1], 'disk_full');
    await expect(create()).rejects.toMatchObject({
      code: 'disk_full',
      message: `the node at ${ADDRESSES[1]}: of a test`,
      details: { node: ADDRESSES[1] },
    });
    expect([...held]).toEqual([]);
  });

  it('is made on none if the answer of one is lost', async () => {
    after = failsAt(ADDRESSES[2], 'unreachable');
    await expect(create()).rejects.toMatchObject({ code: 'unreachable' });
    expect([...held]).toEqual([]);
  });

  it('leaves the index of another that has the name on a node', async () => {
    held.set(ADDRESSES[0], 'other');
    before = failsAt(ADDRESSES[0], 'index_exists');
    await expect(create()).rejects.toMatchObject({ code: 'index_exists' });
    expect([...held]).toEqual([[ADDRESSES[0], 'other']]);
  });

  it('has the error of the request as it is if all nodes refuse it', async () => {
    before = () => {
      throw failure('invalid_definition');
    };
    await expect(create()).rejects.toMatchObject({ message: 'of a test' });
  });
});

describe('a new definition over a fixed list of nodes', () => {
  beforeEach(() => {
    for (const address of ADDRESSES) held.set(address, 'old');
  });

  it('is in force on all of them', async () => {
    await alter();
    expect([...held.values()]).toEqual(['new', 'new', 'new']);
  });

  it.each(['disk_short', 'unreachable'] as const)('is in force on none after %s', async (code) => {
    after = failsAt(ADDRESSES[1], code);
    if (code === 'disk_short') [before, after] = [after, before];
    await expect(alter()).rejects.toMatchObject({ code, details: { node: ADDRESSES[1] } });
    expect([...held.values()]).toEqual(['old', 'old', 'old']);
  });

  it('begins on no node if one does not answer', async () => {
    down = ADDRESSES[2];
    await expect(alter()).rejects.toMatchObject({ code: 'unreachable' });
    expect([...held.values()]).toEqual(['old', 'old', 'old']);
  });
});

describe('a new name over a fixed list of nodes', () => {
  const rename = () => renameOver(nodes, { index: 'notes', name: 'papers' }, {});
  beforeEach(() => {
    for (const address of ADDRESSES) held.set(address, 'old');
  });

  it('is that of the index on all of them', async () => {
    expect(await rename()).toEqual({
      ...{ index: 'papers', previous_name: 'notes', aliases: ['all'], saved_queries: 3 },
    });
    expect([...names.values()]).toEqual(['papers', 'papers', 'papers']);
  });

  it.each(['index_busy', 'unreachable'] as const)('is that on none after %s', async (code) => {
    after = failsAt(ADDRESSES[1], code);
    if (code === 'index_busy') [before, after] = [after, before];
    await expect(rename()).rejects.toMatchObject({ code, details: { node: ADDRESSES[1] } });
    expect([...names.values()]).not.toContain('papers');
  });

  it('is given to no node if one does not answer', async () => {
    down = ADDRESSES[2];
    await expect(rename()).rejects.toMatchObject({ code: 'unreachable' });
    expect(names.size).toBe(0);
  });
});
