import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { resolveIndex } from './cluster-reads.ts';
import { StaticRouting } from './static-routing.ts';

describe('a fixed list of nodes', () => {
  it('outlives a node whose state cannot be read', async () => {
    let looks = 0;
    const state = async () => {
      looks++;
      return { node: 'n' } as NodeState;
    };
    const node = { address: 'n:1', state } as unknown as NodeClient;
    const warn = vi.fn();
    const faults = new RepeatedFaults({ warn, info: () => {} } as never);
    const routing = new StaticRouting({ nodes: [node], pollMs: 1, faults });
    await expect.poll(() => looks).toBeGreaterThan(2);
    await expect(routing.refresh()).rejects.toThrow();
    expect(warn.mock.calls[0][1]).toBe('look at the nodes failed');
    await routing.close();
  });

  it('may have more indexes while a node has never answered', async () => {
    let isAway = true;
    const state = async (): Promise<NodeState> => {
      if (isAway) throw new LhsError('unreachable', 'it starts');
      return { node: 'n', indexes: [], followed: [], takes: [] };
    };
    const node = { address: 'n:1', state } as unknown as NodeClient;
    const routing = new StaticRouting({ nodes: [node], pollMs: 60_000 });
    await routing.refresh();
    const resolved = () => resolveIndex(routing, 'notes', {});
    expect(resolved).toThrow('node n:1, which may have the index, has not answered yet');
    isAway = false;
    await routing.refresh();
    expect(resolved).toThrow('there is no index "notes"');
    isAway = true;
    await routing.refresh();
    expect(resolved).toThrow('there is no index "notes"');
    await routing.close();
  });
});
