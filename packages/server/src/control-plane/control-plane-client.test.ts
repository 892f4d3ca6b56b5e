import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it, vi } from 'vitest';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { controlPlaneRegistrar, controlPlaneRouting } from './control-plane-client.ts';

describe('the routing of control planes', () => {
  it('notes that none answers, and each node that fails a read until it answers', async () => {
    const count = vi.fn();
    const log = { warn: vi.fn(), info: vi.fn() };
    const answer = Promise.withResolvers<void>();
    const routing = await controlPlaneRouting({
      // nobody listens at this port
      ...{ addresses: ['127.0.0.1:1'], probe: () => answer.promise },
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

  it('ends without the answer that a control plane owes it', async () => {
    const called = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const silent = createServer().on('stream', (stream) => {
      stream.on('error', () => {}).on('close', cancelled.resolve);
      called.resolve();
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const planes = { addresses: [`127.0.0.1:${port}`] };
    const registrar = controlPlaneRegistrar(planes);
    const state = { node: 'n', indexes: [], takes: [], followed: [] };
    const registered = registrar.register('n:1', state);
    await called.promise;
    await registrar.close();
    await expect(registered).rejects.toMatchObject({ code: 'interrupted' });
    await cancelled.promise;
    silent.close();
  });
});
