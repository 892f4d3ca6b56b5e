import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import type { NodeClient } from '../cluster/node-client.ts';
import type { ControlPlanes } from '../control-plane/control-plane-client.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { LedRouting, openLedRouting } from './led-routing.ts';
import { StaticRouting } from './static-routing.ts';

describe('the routing of control planes', () => {
  it('is not one that a control plane remembers while nodes are looked at', async () => {
    const known: string[] = [];
    const call = async (_: unknown, request: { readonly known: string }) => {
      known.push(request.known);
      throw new LhsError('unreachable', 'cannot reach PostgreSQL');
    };
    const planes = { call, close: () => {} } as unknown as ControlPlanes;
    const node = { address: 'a:1', state: async () => ({ node: 'a', indexes: [], followed: [] }) };
    const nodes = new StaticRouting({ nodes: [node as unknown as NodeClient] });
    for (const own of [{ nodes }, {}]) {
      const routing = new LedRouting(planes, { node: vi.fn(), ...own });
      await routing.start();
      await routing.close();
    }
    expect([...new Set(known)]).toEqual(['nodes', '']);
  });

  it('notes that none answers', async () => {
    const count = vi.fn();
    const log = { warn: vi.fn(), info: vi.fn() };
    const routing = await openLedRouting(
      // nobody listens at this port
      { addresses: ['127.0.0.1:1'] },
      { node: vi.fn(), faults: new RepeatedFaults(log as never, count) },
    );
    await expect.poll(() => count.mock.calls).toContainEqual(['watch of routes', '']);
    await routing.close();
  });
});
