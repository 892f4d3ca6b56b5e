import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLogs } from '../../observe/call-logs.ts';
import { RepeatedFaults } from '../../observe/repeated-faults.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { NodePool } from '../cluster-context.ts';
import { lead } from './leader.ts';
import { LoopFaults } from './loop-faults.ts';
import { WorkWatch } from './work-watch.ts';

const DEFINITION = `version: 1
index: notes
source: { catalog: { type: filesystem, warehouse: /lake }, table: ops.notes }
fields: [{ name: title, type: TEXT }]
`;
const LEFT_MS = -3_600_000;

describe('a leader whose nodes had no control plane for longer than they may be away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-leader-'));
  const { logger } = openLogs({ access: false, level: 'silent' });
  let store: Store;

  beforeEach(async () => {
    store = await openStore({ file: join(folder, 'server.db') });
    await store.definitions.add('notes', DEFINITION);
    await store.change(null, ({ placements }) => placements.set({ index: 'notes', node: 'n1' }));
    const own = { address: '127.0.0.1:1', instance: 'i', state: '{}' };
    await store.nodes.register({ ...own, node: 'n1' }, 0, LEFT_MS);
    await store.nodes.register({ ...own, node: 'n2' }, 0, 60_000);
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  /** Leads until `isDone`, which is asked after each round. Returns the node of the index. */
  async function ledBy(nodeMs: number, isDone: (rounds: number, node: string) => boolean) {
    let [rounds, node] = [0, ''];
    const stop = new AbortController();
    const nodes = new NodePool(() => {
      throw new Error('no node answers');
    });
    const watch = new WorkWatch();
    vi.spyOn(watch, 'round').mockImplementation(() => void rounds++);
    const repeated = new RepeatedFaults(logger);
    const faults = new LoopFaults({ store, faults: repeated });
    const context = { store, nodes, logger, repeated };
    const lease = (await store.leases.acquire('leader', 'test', 60_000))!;
    const led = lead({ context, faults, nodeMs, leaveMs: 0, watch }, lease, stop.signal);
    await vi.waitUntil(async () => {
      node = (await store.placements.nodeOf('notes'))!;
      return isDone(rounds, node);
    });
    stop.abort();
    await led;
    await store.leases.release(lease);
    return node;
  }

  it('moves no index until all had time to register', async () => {
    expect(await ledBy(60_000, (rounds) => rounds > 5)).toBe('n1');
    expect(await ledBy(0, (_, node) => node === 'n2')).toBe('n2');
  });
});
