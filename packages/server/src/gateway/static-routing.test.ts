import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import { StaticRouting } from './static-routing.ts';

describe('a fixed list of nodes', () => {
  it('outlives a node whose state cannot be read', async () => {
    let looks = 0;
    const state = async () => {
      looks++;
      return { node: 'n' } as NodeState;
    };
    const node = { address: 'n:1', state } as unknown as NodeClient;
    const routing = new StaticRouting({ nodes: [node], pollMs: 1 });
    await expect.poll(() => looks).toBeGreaterThan(2);
    await expect(routing.refresh()).rejects.toThrow();
    await routing.close();
  });
});
