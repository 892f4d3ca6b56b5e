/** -0 and 0 are one value in every answer about a column; rows keep the sign. Oracle: DuckDB. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { importFiles, openTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from './support/raw-http.ts';
import { startService, type TestService } from './support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-zero-'));
const file = join(folder, 'zeros.parquet');
/** Read without the file's bloom filter, in which DuckDB tells zeros apart. */
const ZEROS = `(SELECT * FROM '${file}' OFFSET 0)`;
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;
const FIELDS = '{ name: id, type: LONG, fast: true }, { name: d, type: DOUBLE, fast: true }';
const DEFINITION =
  `{ version: 1, index: t, source: { catalog: ${JSON.stringify(catalog)}, table: ops.t }, ` +
  `fields: [${FIELDS}, { name: f, type: DOUBLE, cached: true }] }`;
let service: TestService;

async function sql(statement: string): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const rows = (await connection.runAndReadAll(statement)).getRowsJS();
  connection.closeSync();
  instance.closeSync();
  return rows.map((row) => row.map((v) => (typeof v === 'bigint' ? Number(v) : v)));
}

async function post(path: string, body: object) {
  const json = JSON.stringify(body);
  const headers = { 'content-type': 'application/json' };
  const { text } = await sendRaw(service.server.url, path, { method: 'POST', headers, body: json });
  return JSON.parse(text);
}
const count = async (query: string) => (await post('/v1/search', { index: 't', query })).total;

beforeAll(async () => {
  const zeros = Array.from({ length: 40 }, (_, i) => `(${i}, '${[-0.5, '-0.0', 0, 2][i % 4]}')`);
  await sql(
    `COPY (SELECT id, d::DOUBLE AS d, d::FLOAT AS f FROM (VALUES ${zeros}) AS v(id, d))
     TO '${file}' (FORMAT parquet)`,
  );
  await importFiles({ catalog, table: 'ops.t', files: [file], key: ['id'] });
  service = await startService({
    auth: false,
    values: { 'search_adapter.enabled': true },
    prepare: async (backend) => {
      await backend.createIndex({ definition: DEFINITION });
      await backend.reindex({ index: 't' });
    },
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('zeros of both signs', () => {
  it.each([
    ['d:-0', 'd = 0'],
    ['d:[0 TO 0]', 'd BETWEEN -0.0 AND 0'],
    ['d:{-0 TO 9]', 'd > -0.0'],
    ['d:[-9 TO 0}', 'd < 0'],
    ['NOT d:0', 'd <> 0'],
  ])('are equal in the query %s', async (query, where) => {
    const [[rows]] = await sql(`SELECT count(*) FROM ${ZEROS} WHERE ${where}`);
    expect(await count(query)).toBe(rows);
    const table = await openTable({ catalog, table: 'ops.t' });
    let scanned = 0;
    for await (const batch of table.scan({ where })) scanned += batch.rows;
    await table.close();
    expect(scanned).toBe(rows);
  });

  it('are one bucket, and one value of sorts and figures', async () => {
    const aggs = {
      terms: { terms: { field: 'd' } },
      stats: { stats: { field: 'd' } },
      distinct: { cardinality: { field: 'd' } },
      histogram: { histogram: { field: 'd', interval: 1 } },
      range: { range: { field: 'd', ranges: [{ to: 0 }, { from: -0 }] } },
    };
    const { results } = await post('/v1/aggregate', { index: 't', aggs });
    const adapted = await post('/t/_search', {
      size: 40,
      sort: [{ d: 'asc' }, { id: 'asc' }],
      aggs,
    });
    const groups = await sql(`SELECT d, count(*) FROM ${ZEROS} GROUP BY d ORDER BY 2 DESC, d`);
    const pairs = (buckets: readonly { readonly key: number; readonly doc_count: number }[]) =>
      buckets.map(({ key, doc_count }) => [key, doc_count]);
    expect(pairs(adapted.aggregations.terms.buckets)).toEqual(groups.map(([d, n]) => [d || 0, n]));
    const [[least, most, distinct]] = await sql(
      `SELECT min(d), max(d), count(DISTINCT d) FROM ${ZEROS}`,
    );
    expect(adapted.aggregations.stats).toMatchObject({ min: least, max: most });
    expect(adapted.aggregations.distinct).toEqual({ value: distinct });
    const order = await sql(`SELECT id FROM ${ZEROS} ORDER BY d, id`);
    const ids = adapted.hits.hits.map(({ _id }: { readonly _id: string }) => Number(_id));
    expect(ids).toEqual(order.flat());
    expect(JSON.stringify([results, adapted.aggregations])).not.toContain('-0,');
  });

  it('are told apart in rows, and one value in cached fields', async () => {
    const search = { index: 't', query: 'id:1', fields: ['f'], hydrate: true };
    const [{ fields, row }] = (await post('/v1/search', search)).hits;
    expect([fields.f, row.d, row.f]).toEqual([0, -0, -0]);
    expect(await post('/v1/index:verify', { index: 't', deep: true })).toMatchObject({
      equal: true,
    });
  });
});
