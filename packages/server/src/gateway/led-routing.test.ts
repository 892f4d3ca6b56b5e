import { describe, expect, it, vi } from 'vitest';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { openLedRouting } from './led-routing.ts';

describe('the routing of control planes', () => {
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
