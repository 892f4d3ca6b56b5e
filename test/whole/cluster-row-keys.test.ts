/** Indexes with `key: row` over nodes and as a tenant: each row is known by its place or its id. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SearchResponse } from '@lakehouse-search/contract';
import {
  appendRows,
  compactTable,
  createTable,
  deleteRows,
  type Schema,
} from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTenant, type TenantReads } from '../support/as-tenant.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const SCHEMA: Schema = {
  schemaId: 0,
  identifierFieldIds: [],
  fields: [
    { id: 1, name: 'title', required: false, type: { kind: 'string' } },
    { id: 2, name: 'org', required: false, type: { kind: 'string' } },
    { id: 3, name: 'size', required: false, type: { kind: 'long' } },
  ],
};
type Row = { readonly title: string; readonly org: string; readonly size: number };
const row = (i: number): Row => ({ title: `bird ${i}`, org: `org${i % 3}`, size: i });
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => row(from + i));
const index = 'birds';

describe.each([2, 3] as const)(
  'an index with key: row of a table in format %i',
  (formatVersion) => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-cluster-rows-'));
    const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
    const source = { catalog, table: 'ops.birds' };
    let cluster: TestCluster;
    let rows = range(0, 60);

    beforeAll(async () => {
      await createTable(catalog, source.table, { schema: SCHEMA, formatVersion });
      await appendRows(source, { kind: 'rows', rows });
      cluster = await startCluster(2);
      await cluster.backend.createIndex({
        definition: `version: 1
index: ${index}
source: { catalog: ${JSON.stringify(catalog)}, table: ops.birds }
key: row
sharding: { shards: 2 }
tenant_field: org
fields:
  - { name: title, type: TEXT }
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

    const bySize = (list: readonly Row[]) => [...list].sort((a, b) => a.size - b.size);
    const hitsOf = async (backend: TenantReads) => {
      const hits: SearchResponse['hits'][number][] = [];
      for (;;) {
        const search_after = hits.at(-1)?.sort;
        const page = await backend.search({
          ...{ index, query: '*:*', limit: 17, sort: [{ field: '_key' }], hydrate: true },
          ...(search_after === undefined ? {} : { search_after }),
        });
        hits.push(...page.hits);
        if (page.hits.length === 0 || hits.length > rows.length) return hits;
      }
    };
    const expectRows = async (backend: TenantReads, expected: readonly Row[]) => {
      const hits = await hitsOf(backend);
      const read = hits.map(
        (hit) => ({ ...(hit.row as object), size: Number(hit.row?.size) }) as Row,
      );
      expect(bySize(read)).toEqual(bySize(expected));
      const keys = hits.map(({ coordinates }) => coordinates);
      const again = await backend.getKeys({ index, keys });
      expect(again.rows.map(({ fields }) => fields?.title)).toEqual(read.map(({ title }) => title));
      return hits;
    };

    it('pages, hydrates and reads all rows by their keys, also for a tenant', async () => {
      const hits = await expectRows(cluster.backend, rows);
      const tenant = asTenant(cluster.backend, 'org1');
      await expectRows(
        tenant,
        rows.filter(({ org }) => org === 'org1'),
      );
      const keys = hits.map(({ coordinates }) => coordinates);
      const own = await tenant.getKeys({ index, keys });
      expect(own.rows.map(({ fields }) => fields?.org)).toEqual(
        Array.from({ length: 20 }, () => 'org1'),
      );
      for (const hit of hits.slice(0, 5)) {
        const request = {
          index,
          query: `title:"${String(hit.row?.title)}"`,
          coordinates: hit.coordinates,
        };
        expect(await cluster.backend.explain(request)).toMatchObject({
          found: true,
          matched: true,
        });
      }
    });

    it('syncs appends, deletions and a compaction, and is equal to its table', async () => {
      await appendRows(source, { kind: 'rows', rows: range(60, 80) });
      await deleteRows(source, 'size % 5 = 0');
      rows = range(0, 80).filter(({ size }) => size % 5 !== 0);
      expect(await cluster.backend.sync({ index })).toMatchObject({ inserted: 20, deleted: 16 });
      await expectRows(cluster.backend, rows);
      await compactTable(source, { all: true });
      await cluster.backend.sync({ index });
      await expectRows(cluster.backend, rows);
      await expectRows(
        asTenant(cluster.backend, 'org2'),
        rows.filter(({ org }) => org === 'org2'),
      );
      expect(await cluster.backend.verify({ index })).toMatchObject({ equal: true });
    });
  },
);
