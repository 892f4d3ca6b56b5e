/** Answers in every format: read back by DuckDB and Arrow, they say what the JSON answer says. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type {
  AggregateResponse,
  FacetsResponse,
  KeysResponse,
  SearchResponse,
} from '@lakehouse-search/engine';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home, lines, TABLES } from './child.ts';
import { describeOnBackends } from './on-backend.ts';

const home = new Home();
const TABLE = join(TABLES, 'own_vectors');
let connection: DuckDBConnection;
const duck = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();

beforeAll(async () => {
  connection = await (await DuckDBInstance.create()).connect();
  const init = await home.run(['index', 'init', '--path', TABLE, '--name', 'vec']);
  await home.run(['index', 'create', '-f', '-'], { input: init.stdout });
  await home.run(['index', 'reindex', 'vec']);
});
afterAll(() => {
  connection.closeSync();
  home.dispose();
});

const READERS: Readonly<Record<string, string>> = {
  csv: `read_csv('%', all_varchar = true)`,
  ndjson: `read_json('%', format = 'newline_delimited', records = true)`,
  parquet: `read_parquet('%')`,
};

/** Runs a command once a format, into files; gives what DuckDB reads of `sql` over each. */
async function read(args: readonly string[], sql: string, formats = ['csv', 'parquet']) {
  const out = new Map<string, unknown>();
  for (const format of formats) {
    await write(args, format);
    const from = READERS[format].replace('%', home.path(`answer.${format}`));
    out.set(format, await duck(sql.replace('FILE', from)));
  }
  return out;
}

/** Runs a command into a file, and reads the file. */
async function write(args: readonly string[], ending: string): Promise<Buffer> {
  const file = home.path(`answer.${ending}`);
  const done = await home.run([...args, '--output', file]);
  expect(done).toMatchObject({ code: 0, stdout: '' });
  return readFileSync(file);
}
const ndjson = async (args: readonly string[]): Promise<unknown[]> =>
  lines((await write(args, 'ndjson')).toString()).map((line) => JSON.parse(line));

describeOnBackends('output formats', home, ({ isBrief }) => {
  it.skipIf(isBrief)('search writes hits with fields, rows, highlights and groups', async () => {
    const args = ['search', 'vec', 'title', '--hydrate', '--highlight', '--collapse', 'service'];
    const more = ['--sort', 'id:desc', '--limit', '5'];
    const wire = await home.json<SearchResponse>([...args, ...more]);
    const sql = `SELECT key_id, score::DOUBLE AS score, title, service, "row_details",
    sort, highlight, collapse_count::BIGINT::VARCHAR AS n FROM FILE`;
    const found = await read([...args, ...more], sql);
    const wanted = wire.hits.map((hit) => [
      hit.coordinates.identifier[0].value,
      hit.score,
      hit.fields?.title,
      hit.fields?.service ?? null,
      hit.row?.details === null ? null : JSON.stringify(hit.row?.details),
      JSON.stringify(hit.sort),
      JSON.stringify(hit.highlight),
      String(hit.collapse?.count),
    ]);
    expect(wanted.length).toBeGreaterThan(2);
    expect(found.get('parquet')).toEqual(wanted);
    const bare = (cell: unknown) =>
      String(cell).startsWith('"') ? JSON.parse(String(cell)) : cell;
    expect(found.get('csv')).toEqual(wanted.map((row) => row.map(bare)));
    expect(await ndjson([...args, ...more])).toEqual(wire.hits);
    const arrow = tableFromIPC(await write([...args, ...more], 'arrow'));
    expect([...(arrow.getChild('key_id') ?? [])].map(String)).toEqual(wanted.map(([key]) => key));
    expect([...(arrow.getChild('score') ?? [])]).toEqual(wanted.map(([, score]) => score));
    const text = (await write([...args, ...more], 'txt')).toString();
    expect(text).toMatch(/^ *\d+ hits? in vec · /);
    const times = await duck(
      'SELECT typeof("at"), epoch_us("at")::VARCHAR FROM ' +
        `read_parquet('${home.path('answer.parquet')}')`,
    );
    const micros = (at: unknown) =>
      at === undefined ? null : String(Date.parse(`${String(at).slice(0, 19)}Z`) * 1000 + 1);
    expect(times).toEqual(
      wire.hits.map((hit) => ['TIMESTAMP WITH TIME ZONE', micros(hit.fields?.at)]),
    );
  });

  it.skipIf(isBrief)('facets write one row per value', async () => {
    const args = ['index', 'facets', 'vec', '--field', 'service', '--field', 'id', '--size', '3'];
    const wire = await home.json<FacetsResponse>(args);
    const sql = `SELECT field, value, count::INT, other_count::INT FROM FILE`;
    const found = await read(args, sql, ['csv', 'ndjson']);
    const wanted = wire.facets.flatMap(({ field, buckets, other_count }) =>
      buckets.map(({ value, count }) => [field, value, count, other_count]),
    );
    expect(wanted.length).toBe(6);
    for (const rows of found.values()) expect(rows).toEqual(wanted);
  });

  it.skipIf(isBrief)(
    'a search has the aggregations of lhs index aggregate beside its hits',
    async () => {
      const aggs = '{"by": {"terms": {"field": "service", "size": 2}}}';
      writeFileSync(home.path('aggs.json'), aggs);
      const search = ['search', 'vec', 'title', '--limit', '1', '--aggs'];
      const { results } = await home.json<{ results: { by: { buckets: { key: string }[] } } }>([
        ...['index', 'aggregate', 'vec', 'title', '--aggs', aggs],
      ]);
      expect(results.by.buckets.length).toBeGreaterThan(0);
      for (const value of [aggs, `@${home.path('aggs.json')}`]) {
        const answer = await home.json<{ aggs: unknown; hits: unknown[] }>([...search, value]);
        expect(answer.aggs).toEqual(results);
        expect(answer.hits).toHaveLength(1);
      }
      const { stdout } = await home.run([...search, aggs]);
      for (const { key } of results.by.buckets) expect(stdout).toContain(key);
      const refused = await home.run([...search, aggs, '--format', 'csv']);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('cannot include aggregations\n  lhs index aggregate writes'),
      ]);
      expect(await home.run([...search, '{']).then(({ stderr }) => stderr)).toMatch(/not JSON/);
    },
  );

  it.skipIf(isBrief)(
    'facets name a field that cannot be counted on standard error, with the reason',
    async () => {
      const why =
        'facet "title" skipped: it is TEXT, which has words and no values to count: no field of ' +
        'index "vec" groups or sorts "title" whole: add "{ name: title_exact, source: title, ' +
        'type: KEYWORD, folded: true, fast: true }" in the definition, then lhs index apply FILE\n';
      const fields = ['--field', 'service', '--field', 'title'];
      const [lines, json, search] = await Promise.all([
        home.run(['index', 'facets', 'vec', ...fields]),
        home.run(['index', 'facets', 'vec', ...fields, '--json']),
        home.run(['search', 'vec', 'title', '--facet', 'title', '--facet', 'service']),
      ]);
      for (const done of [lines, json, search])
        expect(done).toMatchObject({ code: 0, stderr: why });
      expect(JSON.parse(json.stdout)).toMatchObject({
        facets: [{ field: 'service' }],
        skipped_facets: [{ field: 'title' }],
        lag_snapshots: 0,
      });
    },
  );

  it.skipIf(isBrief)(
    'aggregations refuse months and capital units as fixed intervals',
    async () => {
      const ask = (interval: string) =>
        home.run(['index', 'aggregate', 'vec', '--histogram', `at:${interval}`]);
      const [month, day] = await Promise.all([ask('1M'), ask('1D')]);
      expect([month.code, day.code]).toEqual([2, 2]);
      expect(month.stderr).toContain('"calendar_interval": "month"');
      expect(day.stderr).toContain('did you mean "1d"?');
    },
  );

  it('aggregations write one row per bucket and figure, nested ones with outer keys', async () => {
    const aggs = {
      by: { terms: { field: 'service', size: 2 }, aggs: { id: { stats: { field: 'id' } } } },
      how: { percentiles: { field: 'id', percents: [50, 99] } },
      many: { cardinality: { field: 'id' } },
    };
    const args = ['index', 'aggregate', 'vec', '--aggs', JSON.stringify(aggs)];
    const wire = await home.json<AggregateResponse>(args);
    const sql =
      'SELECT agg, within, key, doc_count::INT, max::INT, percent::INT, value::DOUBLE FROM ' +
      'FILE';
    const found = await read(args, sql);
    const { by, how, many } = wire.results as unknown as {
      by: { buckets: { key: string; doc_count: number; aggs: { id: { max: number } } }[] };
      how: { values: { percent: number; value: number }[] };
      many: { value: number };
    };
    const wanted = [
      ...by.buckets.flatMap(({ key, doc_count, aggs: { id } }) => [
        ['by', null, key, doc_count, null, null, null],
        ['by/id', JSON.stringify([key]), null, null, id.max, null, null],
      ]),
      ...how.values.map((v) => ['how', null, null, null, null, v.percent, v.value]),
      ['many', null, null, null, null, null, many.value],
    ];
    expect(wanted.length).toBe(7);
    expect(found.get('parquet')).toEqual(wanted);
    expect(found.get('csv')).toEqual(wanted);
  });

  it('aggregations write significant values with their counts in the index', async () => {
    const facets = ['index', 'facets', 'vec', '--field', 'service'];
    const [{ value }] = (await home.json<FacetsResponse>(facets)).facets[0].buckets;
    const args = ['index', 'aggregate', 'vec', `service:"${value}"`, '--significant', 'service'];
    const { results } = await home.json<AggregateResponse>(args);
    const { buckets } = results.service as unknown as {
      buckets: { key: string; bg_count: number }[];
    };
    expect(buckets.map(({ key }) => key)).toEqual([value]);
    const { stdout } = await home.run([...args, '--format', 'table']);
    for (const { key, bg_count } of buckets) expect(stdout).toContain(`${key} of ${bg_count}`);
    const found = await read(args, 'SELECT key, bg_count::INT FROM FILE');
    expect(found.get('csv')).toEqual(buckets.map(({ key, bg_count }) => [key, bg_count]));
  });

  it.skipIf(isBrief)(
    'keys get writes rows of the table and exits with 3 if some are absent',
    async () => {
      const wire = await home.json<KeysResponse>(['keys', 'get', 'vec', 'id=0', 'id=6']);
      const args = ['keys', 'get', 'vec', 'id=0', 'id=6'];
      const found = await read(args, 'SELECT id::INT, title, details FROM FILE', ['parquet']);
      const wanted = wire.rows.map(({ fields }) => [
        fields.id,
        fields.title,
        JSON.stringify(fields.details),
      ]);
      expect(wanted).toHaveLength(2);
      expect(found.get('parquet')).toEqual(wanted);
      expect(await ndjson(args)).toEqual(wire.rows);
      const absent = await home.run(['keys', 'get', 'vec', 'id=0', 'id=99', '--format', 'ndjson']);
      expect(absent.code).toBe(3);
      expect(lines(absent.stdout)).toHaveLength(1);
    },
  );

  it.skipIf(isBrief)('a response without hits is a file with columns and no rows', async () => {
    const args = ['search', 'vec', 'nowhere'];
    const found = await read(args, 'SELECT key_id, title FROM FILE', ['csv']);
    expect(found.get('csv')).toEqual([]);
    const arrow = tableFromIPC(await write(args, 'arrow'));
    expect(arrow.numRows).toBe(0);
    expect(arrow.schema.fields.map(({ name }) => name)).toContain('service');
    expect(await write(args, 'ndjson')).toHaveLength(0);
  });

  it.skipIf(isBrief)(
    'refuses contradictory flags and keeps a file that it cannot replace',
    async () => {
      writeFileSync(home.path('kept.csv'), 'mine');
      const search = (...flags: string[]) => home.run(['search', 'vec', 'title', ...flags]);
      const [twice, ending, folder, unknown, facets, failed] = await Promise.all([
        search('--json', '--format', 'csv'),
        search('--output', home.path('answer.doc')),
        search('--output', home.path('none', 'answer.csv')),
        search('--format', 'xml'),
        search('--facet', 'service', '--format', 'csv'),
        home.run(['search', 'vec', 'nofield:x', '--output', home.path('kept.csv')]),
      ]);
      expect(twice.stdout).toMatch(/--json and --format csv contradict each other/);
      expect(ending.stderr).toMatch(/"[^"]*answer\.doc": the file name has no known ending/);
      expect(folder.stderr).toMatch(
        /cannot write ".*answer\.csv": folder ".*none" does not exist \(ENOENT\)/,
      );
      expect(facets.stderr).toMatch(/--format csv writes hits and cannot include facets/);
      expect([twice, ending, folder, unknown, facets, failed].map(({ code }) => code)).toEqual(
        Array(6).fill(2),
      );
      expect(readFileSync(home.path('kept.csv'), 'utf8')).toBe('mine');
      expect(existsSync(home.path('answer.doc'))).toBe(false);
      expect(readdirSync(home.folder).filter((name) => name.includes('.part-'))).toEqual([]);
    },
  );
});
