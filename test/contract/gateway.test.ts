import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { startGateway } from '../support/gateway.ts';
import { contractSuite } from './contract-suite.ts';

/** A client of a gateway over an embedded engine; its `close` closes all three. */
async function remote(transport: 'rest' | 'grpc'): Promise<BackendApi> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-gateway-'));
  const gateway = await startGateway(
    await openEngine(folder, { create: true, threads: 0, freshnessMs: 0 }),
  );
  const client = gateway.client(transport);
  const close = async () => {
    await client.close();
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...client, close };
}

contractSuite('a client over REST', () => remote('rest'));
contractSuite('a client over gRPC', () => remote('grpc'));
