import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { schemaOf } from '../../../../test/support/schema.ts';

const schema = schemaOf({ id: 'long', title: 'string', org: 'string', n: 'long' });

/** Rows of the index `big`. */
export const EXPORTED_ROWS = 20_000;
const TEXT = 'a text that fills the buffers of sockets '.repeat(12);

/** Makes the index `big`, whose export has about 12 MB: more than the buffers of a connection. */
export async function exportedLake(backend: BackendApi, dataDir: string): Promise<void> {
  const catalog = { type: 'filesystem', warehouse: join(dataDir, 'lake') } as const;
  const source = { catalog, table: 'a.big' };
  await createTable(catalog, source.table, { schema });
  const rows = Array.from({ length: EXPORTED_ROWS }, (_, id) => ({
    ...{ id, title: `row ${id} ${TEXT}` },
    ...{ org: id % 2 === 0 ? 'acme' : 'globex', n: id % 997 },
  }));
  await appendRows(source, { kind: 'rows', rows });
  const definition = `version: 1
index: big
tenant_field: org
source: { catalog: ${JSON.stringify(catalog)}, table: a.big }
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: org, type: KEYWORD, fast: true }
  - { name: n, type: LONG, fast: true }
`;
  await backend.createIndex({ definition, base_dir: dataDir });
  await backend.reindex({ index: 'big' });
}
