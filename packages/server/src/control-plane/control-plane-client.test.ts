import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { controlPlaneRegistrar } from './control-plane-client.ts';

describe('a registration with control planes', () => {
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
