import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { controlPlaneRouting } from './control-plane-client.ts';

describe('the routing of control planes', () => {
  it('notes that none answers, and each node that fails a read until it answers', async () => {
    const count = vi.fn();
    const log = { warn: vi.fn(), info: vi.fn() };
    const answer = Promise.withResolvers<void>();
    const routing = await controlPlaneRouting({
      // nobody listens at this port
      ...{ addresses: ['127.0.0.1:1'], startsWithout: true, probe: () => answer.promise },
      faults: new RepeatedFaults(log as never, count),
    });
    await expect.poll(() => count.mock.calls).toContainEqual(['watch of routes', '']);
    routing.failed('n:1', new LhsError('unreachable', 'away'));
    expect(log.warn.mock.calls.at(-1)).toMatchObject([{ node: 'n:1' }, 'read of a node failed']);
    answer.resolve();
    const recovered = expect.objectContaining({ node: 'n:1' });
    await expect
      .poll(() => log.info.mock.calls)
      .toContainEqual([recovered, 'read of a node works again']);
    await routing.close();
  });
});
