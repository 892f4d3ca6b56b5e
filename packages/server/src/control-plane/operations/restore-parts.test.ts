import { type ErrorCode, LhsError, type RestoreRequest } from '@lakehouse-search/contract';
import type { ClusterBackup } from '@lakehouse-search/engine/internal';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { IndexNodes } from './index-nodes.ts';
import { restoreParts } from './restore-parts.ts';

const backup: ClusterBackup = {
  ...{ id: 'b', index: 'notes', snapshot: '1', created_ms: 0, index_generation: 1 },
  definition: `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: /none }, table: ops.notes }
sharding: { shards: 2 }
fields: [{ name: title, type: TEXT }]
`,
  ...{ num_docs: 2, file_count: 2, bytes: 2, aliases: [] },
  parts: [0, 1].map((shard) => ({ prefix: `p${shard}`, ordinals: [shard], backup: `b${shard}` })),
};
const failure = (code: ErrorCode) => new LhsError(code, 'of a test');

/** The definitions that nodes got. */
const given: (string | undefined)[] = [];
/** Nodes that have a part, by address. */
const held = new Set<string>();
let names: readonly string[] = [];
/** Called when `a2` has restored its part. */
let end: () => void = () => {};
let drops: (() => void)[] = [];

const nodes = {
  indexNames: async () => names,
  aliases: async () => [],
  free: async () => {},
  nodes: async () => ['1', '2'].map((n) => ({ node: `n${n}`, address: `a${n}`, shards: 0 })),
  adopt: async () => ({ aliases: [], left_out: [] }),
  service: (address: string) => ({
    async restore({ definition }: RestoreRequest) {
      given.push(definition);
      if (held.has(address)) throw failure('index_exists');
      held.add(address);
      if (address === 'a2') end();
    },
    async dropIndex() {
      drops.shift()?.();
      if (!held.delete(address)) throw failure('index_not_found');
    },
  }),
} as unknown as IndexNodes;
const restore = () => restoreParts(nodes, backup, 'notes', {}, {});

beforeEach(() => {
  held.clear();
  names = [];
  drops = [];
  end = () => {
    throw failure('unreachable');
  };
});

describe('a restore whose names are taken', () => {
  const named = { ...backup, aliases: ['books', 'papers'] };

  it.each(['papers', 'notes'])('by the index "%s", begins on no node', async (taken) => {
    names = [taken];
    const as = taken === 'notes' ? 'books' : 'notes';
    const restored = restoreParts(nodes, named, as, {}, {});
    await expect(restored).rejects.toMatchObject({ code: 'already_exists' });
    expect([...held]).toEqual([]);
  });
});

describe('a restore', () => {
  it('gives each node its part of the definition: those of the parts are not read', async () => {
    end = () => {};
    given.length = 0;
    await restore();
    const parts = given.map((text) => parse(text!));
    expect(parts.map(({ sharding }) => sharding)).toEqual([
      { shards: 2, only: [0] },
      { shards: 2, only: [1] },
    ]);
    expect(parts[0].source).toEqual(parse(backup.definition).source);
  });
});

describe('a restore that fails', () => {
  it('drops a part whose answer was lost', async () => {
    await expect(restore()).rejects.toMatchObject({ code: 'unreachable' });
    expect([...held]).toEqual([]);
  });

  it('drops parts of nodes that do not answer for a while', async () => {
    const silent = () => {
      throw failure('unreachable');
    };
    drops = [silent, silent];
    await expect(restore()).rejects.toMatchObject({ code: 'unreachable' });
    expect([...held]).toEqual([]);
  });

  it('leaves the part of another index of the name on a node that refused', async () => {
    held.add('a2');
    await expect(restore()).rejects.toMatchObject({ code: 'index_exists' });
    expect([...held]).toEqual(['a2']);
  });

  it('leaves the part of an index that got the name meanwhile', async () => {
    end = () => {
      names = ['notes'];
      throw failure('unreachable');
    };
    await expect(restore()).rejects.toMatchObject({ code: 'unreachable' });
    expect([...held]).toEqual(['a2']);
  });
});
