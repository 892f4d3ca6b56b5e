import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import type { GatewayOptions } from '@lakehouse-search/server';
import { createContractTable } from '../../../test/contract/table.ts';
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts';

/** A gateway over an embedded engine with the index `notes` of three rows. */
export interface ServedNotes extends TestGateway {
  readonly backend: BackendApi;
  /** Adds a row to the table, which the index has not read. */
  append(name: string): Promise<void>;
}

/** Starts it; `close` removes its files. */
export async function serveNotes(
  options: Partial<GatewayOptions> = {},
  engine: Parameters<typeof openEngine>[1] = {},
): Promise<ServedNotes> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-served-'));
  const table = await createContractTable();
  const backend = await openEngine(folder, { create: true, threads: 0, freshnessMs: 0, ...engine });
  await backend.createIndex({ definition: table.definition('notes') });
  await backend.reindex({ index: 'notes' });
  const gateway = await startGateway(backend, options);
  return {
    ...gateway,
    backend,
    append: async (name) => void (await table.append(name)),
    async close() {
      await gateway.close();
      table.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
