/** Keys of numbers, in reads of a gateway: it finds their shards and continues behind them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchResponse } from '@lakehouse-search/contract';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant } from '../support/as-tenant.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [1, 2, 3],
  fields: [
    { id: 1, name: 'zone', required: true, type: { kind: 'string' } },
    { id: 2, name: 'id', required: true, type: { kind: 'int' } },
    { id: 3, name: 'price', required: true, type: { kind: 'decimal', precision: 6, scale: 2 } },
    { id: 4, name: 'org', required: false, type: { kind: 'string' } },
    { id: 5, name: 'size', required: false, type: { kind: 'long' } },
  ],
};
const rows = Array.from({ length: 60 }, (_, i) => ({
  zone: `z${i % 2}`,
  id: i * 7 - 30,
  price: `${i}.50`,
  org: `org${i % 3}`,
  size: i % 4,
}));
const keyOf = ({ zone, id, price }: (typeof rows)[number]) => ({
  identifier: Object.entries({ zone, id, price }).map(([name, value]) => ({
    name,
    value: String(value),
  })),
});
const index = 'stock';

describe('keys of numbers in a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-cluster-keys-'));
  const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
  const source = { catalog, table: 'ops.stock' };
  let cluster: TestCluster;

  beforeAll(async () => {
    await createTable(catalog, source.table, { schema: SCHEMA });
    await appendRows(source, { kind: 'rows', rows });
    cluster = await startCluster(2);
    await cluster.backend.createIndex({
      definition: `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(catalog)}, table: ops.stock }
sharding: { shards: 2 }
tenant_field: org
fields:
  - { name: org, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
`,
    });
    await cluster.backend.reindex({ index });
  });

  afterAll(async () => {
    await cluster?.backend.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('explains each row', async () => {
    for (const row of rows) {
      const request = { index, query: `org:${row.org}`, coordinates: keyOf(row) };
      expect(await cluster.backend.explain(request)).toMatchObject({ found: true, matched: true });
    }
  });

  it('finds the rows of a tenant', async () => {
    const keys = rows.map(keyOf);
    const read = await asTenant(cluster.backend, 'org1').getKeys({ index, keys });
    const own = rows.filter(({ org }) => org === 'org1').map(keyOf);
    expect(read.rows.map(({ key }) => key)).toEqual(own);
  });

  it.each(['size', '_key'])('pages by %s without repeats or gaps', async (field) => {
    const seen: SearchResponse['hits'][number][] = [];
    for (;;) {
      const search_after = seen.at(-1)?.sort;
      const page = await cluster.backend.search({
        ...{ index, query: '*:*', limit: 7, sort: [{ field }] },
        ...(search_after === undefined ? {} : { search_after }),
      });
      seen.push(...page.hits);
      if (page.hits.length === 0 || seen.length > rows.length) break;
    }
    const keys = (list: readonly unknown[]) => list.map((key) => JSON.stringify(key)).sort();
    expect(keys(seen.map(({ coordinates }) => coordinates))).toEqual(keys(rows.map(keyOf)));
  });
});
