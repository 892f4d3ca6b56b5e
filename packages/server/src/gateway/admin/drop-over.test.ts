import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeClient } from '../../cluster/node-client.ts';
import { AdminNodes, type AdminRouting } from './admin-nodes.ts';
import { dropOver } from './drop-over.ts';

const ADDRESSES = ['n1:9001', 'n2:9001', 'n3:9001'];
/** Nodes with a shard of the index, as they were seen last. */
let held: Set<string>;
let gone: Set<string>;
let down: string | undefined;
let failing: Map<string, ErrorCode>;

const dropAt = async (address: string) => {
  const code = failing.get(address) ?? (gone.has(address) ? 'index_not_found' : undefined);
  if (code !== undefined) throw new LhsError(code, 'of a test');
  held.delete(address);
  return { index: 'notes', aliases: [], bytes: 10 };
};

const routing = {
  get seen() {
    return ADDRESSES.map((address, ordinal) => {
      const own = { index: 'notes', shards: 3, ordinals: [ordinal], aliases: [], commits: [] };
      const state = {
        node: address,
        takes: [],
        followed: [],
        indexes: held.has(address) ? [own] : [],
      };
      return { address, up: address !== down, state };
    });
  },
  names: () => ['notes'],
  aliases: () => new Map(),
  refresh: async () => {},
} as unknown as AdminRouting;
const nodes = new AdminNodes(
  routing,
  (address) => ({ service: () => ({ dropIndex: () => dropAt(address) }) }) as unknown as NodeClient,
);
const drop = () => dropOver(nodes, { index: 'notes' }, {});

beforeEach(() => {
  held = new Set(ADDRESSES);
  [gone, failing, down] = [new Set(), new Map(), undefined];
});

describe('a drop over a fixed list of nodes', () => {
  it('begins on no node if one does not answer', async () => {
    down = ADDRESSES[2];
    await expect(drop()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining(ADDRESSES[2]),
    });
    expect(held.size).toBe(3);
  });

  it('names all nodes that fail, and is repeated on those alone', async () => {
    for (const address of ADDRESSES.slice(1)) failing.set(address, 'io_error');
    await expect(drop()).rejects.toMatchObject({
      ...{ code: 'io_error', message: 'not dropped on n2:9001, n3:9001: of a test' },
      next: [{ step: 'drop_index', index: 'notes' }],
      details: { nodes: ADDRESSES.slice(1) },
    });
    expect([...held]).toEqual(ADDRESSES.slice(1));
    failing.clear();
    expect(await drop()).toMatchObject({ index: 'notes', bytes: 20 });
    expect(held.size).toBe(0);
  });

  it('counts a node without the index as done, unless no node has it', async () => {
    gone.add(ADDRESSES[0]);
    expect(await drop()).toMatchObject({ bytes: 20 });
    held = new Set(ADDRESSES);
    gone = new Set(ADDRESSES);
    await expect(drop()).rejects.toMatchObject({ code: 'index_not_found' });
  });
});
