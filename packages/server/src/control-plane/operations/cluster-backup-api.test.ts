import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupRequest } from '@lakehouse-search/contract';
import { registeredDefinition, rowsDigest } from '@lakehouse-search/engine/internal';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { makeReceiptKey } from '../../store/receipt-key.ts';
import { ClusterBackupApi } from './cluster-backup-api.ts';
import type { BuiltPart, IndexNodes } from './index-nodes.ts';
import { planRestore } from './restore-parts.ts';

const KEY = makeReceiptKey();
const target = mkdtempSync(join(tmpdir(), 'lhs-backups-'));
afterAll(() => rmSync(target, { recursive: true, force: true }));

const definitionOf = (fields: string) => `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: /none }, table: ops.notes }
sharding: { shards: 2 }
fields: [${fields}]
`;
const TEXT = definitionOf('{ name: title, type: TEXT }');
const OTHER = definitionOf('{ name: title, type: KEYWORD }');
const digestOf = (text: string) => rowsDigest(registeredDefinition(text));

let stored = TEXT;
let held: BuiltPart[] = [];
let backedUp: string[] = [];
/** What another operation does while a node backs up its shards. */
let meanwhile = () => {};

const hold = (...ordinals: number[][]) => {
  held = ordinals.map((own, at) => {
    return { node: `n${at}`, address: `a${at}`, ordinals: own, definition: digestOf(stored) };
  });
};
const NODES = {
  resolve: async () => 'notes',
  parts: async () => held,
  definition: async () => stored,
  generation: async () => 1,
  aliases: async () => [],
  service: (address: string) => ({
    async backup({ prefix }: BackupRequest) {
      backedUp.push(`${address} ${prefix}`);
      meanwhile();
      const counts = { num_docs: 5, file_count: 1, bytes: 1, files_copied: 1, bytes_copied: 1 };
      const made = { snapshot: '1', index_generation: 1, backup: '20250101T000000000Z-00000000' };
      return { ...counts, ...made };
    },
  }),
} as unknown as IndexNodes;
const TRUST = { key: async () => KEY, admit: () => {} };
const api = new ClusterBackupApi(NODES, target, TRUST);

describe('a backup over nodes', () => {
  beforeEach(() => {
    stored = TEXT;
    backedUp = [];
    meanwhile = () => {};
    hold([0], [1]);
  });

  it('is refused while nodes have another definition than the cluster', async () => {
    const busy = { code: 'index_busy', message: 'the definition of "notes" is being changed' };
    held = [held[0], { ...held[1], definition: digestOf(OTHER) }];
    await expect(api.backup({ index: 'notes' })).rejects.toMatchObject(busy);
    expect(backedUp).toEqual([]);
    hold([0], [1]);
    meanwhile = () => {
      held = held.map((part) => ({ ...part, definition: digestOf(OTHER) }));
    };
    await expect(api.backup({ index: 'notes' })).rejects.toMatchObject(busy);
    expect(await api.backupStatus({ index: 'notes' })).toMatchObject({ present: false });
  });

  it('is made of an index in a store, and of rows with read restrictions', async () => {
    stored = `${TEXT}storage: file:///store\nreplicas: 2\n`;
    held = [{ ...held[0], ordinals: [0, 1], definition: `${digestOf(TEXT)}+restricted` }];
    expect((await api.backup({ index: 'notes' })).num_docs).toBe(5);
  });

  it('has one copy of each shard', async () => {
    hold([0], [0, 1], [1], [0, 1]);
    expect((await api.backup({ index: 'notes' })).num_docs).toBe(5);
    expect(backedUp).toEqual(['a1 parts/0-1']);
  });
});

describe('the plan of a restore', () => {
  const part = (...ordinals: number[]) => ({ prefix: 'p', backup: 'b', ordinals });
  const nodes = ['n1', 'n2'].map((node) => ({ node, address: node, shards: 0 }));

  it('has each shard once, also of a backup with copies', () => {
    const plan = planRestore([part(0), part(0), part(1), part(1), part(2)], nodes);
    expect(plan.flatMap(({ part: own, built }) => [...own.ordinals, ...built]).toSorted()).toEqual([
      ...[0, 1, 2],
    ]);
  });
});

describe('a backup of a cluster that somebody changed', () => {
  const refusing = new ClusterBackupApi(NODES, target, {
    ...TRUST,
    admit: () => {
      throw new Error('not admitted');
    },
  });
  const path = () => {
    const folder = join(target, 'clusters', 'notes');
    return join(folder, readdirSync(folder).sort().at(-1)!);
  };

  it('is refused below its signature, and judged without one', async () => {
    stored = TEXT;
    meanwhile = () => {};
    hold([0], [1]);
    await api.backup({ index: 'notes' });
    const [head, body] = readFileSync(path(), 'utf8').split('\n');
    const changed = body.replace('/none', '/etc');
    const sha256 = createHash('sha256').update(changed).digest('hex');
    const write = (first: object) =>
      writeFileSync(path(), `${JSON.stringify(first)}\n${changed}\n`);
    write({ ...JSON.parse(head), sha256 });
    await expect(refusing.restore({ index: 'notes' })).rejects.toMatchObject({
      code: 'corrupt_index',
      message: expect.stringContaining('signature'),
    });
    write({ format: 'lhs-cluster-backup', version: 1, sha256 });
    await expect(refusing.restore({ index: 'notes' })).rejects.toThrow('not admitted');
  });
});
