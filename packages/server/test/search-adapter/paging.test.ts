/**
 * Pages by `search_after`, scrolls and points in time over tables with keys of every type, compared
 * with the sorted rows: each page is exactly what follows the page before, and pages end.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable, type Schema } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { startService, type TestService } from '../support/service.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

type Type = Schema['fields'][number]['type'];
type Value = string | number | bigint;

const N = 24;
const uuid = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
/** Key columns by type, and the value of row `at`; their order is not that of the numbers. */
const KEYS: Readonly<Record<string, readonly [Type, (at: number) => Value]>> = {
  int: [{ kind: 'int' }, (at) => at - 12],
  long: [{ kind: 'long' }, (at) => 2n ** 53n - 12n + BigInt(at)],
  decimal: [{ kind: 'decimal', precision: 9, scale: 2 }, (at) => `${at - 12}.50`],
  string: [{ kind: 'string' }, (at) => `k${at}`],
  highest: [{ kind: 'string' }, (at) => `\u{10FFFF}${at}`],
  date: [{ kind: 'date' }, (at) => `2024-01-${String(at + 1).padStart(2, '0')}`],
  uuid: [{ kind: 'uuid' }, uuid],
  timestamp: [{ kind: 'timestamptz' }, (at) => new Date(Date.UTC(2024, 0, 1, at)).toISOString()],
};
const ALL = Object.keys(KEYS);

let service: TestService;
let calls: AdapterCalls;
let warehouse: string;

const tableOf = (id: Type) => schemaOf({ id, n: 'long', tie: 'long' });

beforeAll(async () => {
  warehouse = mkdtempSync(join(tmpdir(), 'lhs-paging-'));
  const catalog = { type: 'filesystem', warehouse } as const;
  service = await startService({
    auth: false,
    values: { 'search_adapter.enabled': true },
    names: { catalogs: { main: catalog } },
    prepare: async (backend) => {
      for (const [name, [type, keyOf]] of Object.entries(KEYS)) {
        const source = { catalog, table: `ops.${name}` };
        await createTable(catalog, source.table, { schema: tableOf(type) });
        const rows = Array.from({ length: N }, (_, at) => ({
          ...{ id: keyOf(at), n: BigInt(at), tie: BigInt(at % 3) },
        }));
        await appendRows(source, { kind: 'rows', rows });
        const at = `{ catalog: ${JSON.stringify(catalog)}, table: ${source.table} }`;
        const fields = '[{ name: n, type: LONG }, { name: tie, type: LONG }]';
        const head = `version: 1\nindex: ${name}\nsource: ${at}\nkey: { identifier: [id] }\n`;
        await backend.createIndex({ definition: `${head}fields: ${fields}\n` });
        await backend.reindex({ index: name });
      }
    },
  });
  calls = adapterCalls(service.server.url);
});
afterAll(async () => {
  await service?.stop();
  rmSync(warehouse, { recursive: true, force: true });
});

const post = async (path: string, body: object): Promise<Body> => {
  const response = await calls.post(path, body);
  expect(response).toMatchObject({ status: 200 });
  return response.body;
};

/** All pages of a search until the empty one, as `[index, values of fields]` of each hit. */
async function pages(body: object, path: string): Promise<readonly Body[][]> {
  const found: Body[][] = [];
  let after: Body;
  do {
    const own = after === undefined ? {} : { search_after: after };
    const { hits } = await post(path, { ...body, ...own });
    after = hits.hits.at(-1)?.sort;
    if (after !== undefined) found.push(hits.hits);
  } while (after !== undefined && found.length <= 200);
  return found;
}

const numberOf = ({ fields }: Body): number => fields.n[0];
const SHOWN = { _source: false, docvalue_fields: ['n', 'tie'] };

describe.each(ALL)('pages over keys of type %s', (name) => {
  const path = `/${name}/_search`;

  it.each(['asc', 'desc'])('end behind the last value, %s', async (order) => {
    const found = await pages({ ...SHOWN, size: 5, sort: [{ n: order }] }, path);
    const numbers = Array.from({ length: N }, (_, at) => (order === 'asc' ? at : N - 1 - at));
    expect(found.map((page) => page.length)).toEqual([5, 5, 5, 5, 4]);
    expect(found.flat().map(numberOf)).toEqual(numbers);
  });

  it('go on behind all ties of a value', async () => {
    const [first, ...others] = await pages({ ...SHOWN, size: 5, sort: ['tie'] }, path);
    expect(first!.map(({ fields }) => fields.tie[0])).toEqual([0, 0, 0, 0, 0]);
    expect(others.map((page) => page[0].fields.tie[0])).toEqual([1, 2]);
  });

  it.each([
    [['tie', '_id']],
    [[{ tie: 'desc' }, { _id: 'desc' }]],
    [[{ _id: 'asc' }]],
    [['_score', { _id: 'desc' }]],
  ])('have every row once in the order %j', async (sort) => {
    const [all] = await pages({ ...SHOWN, size: 100, sort }, path);
    const found = await pages({ ...SHOWN, size: 7, sort }, path);
    expect(found.flat().map(numberOf)).toEqual(all!.map(numberOf));
    expect(new Set(found.flat().map(numberOf)).size).toBe(N);
  });
});

/** Indexes whose hits are told apart by index and number. */
const SEVERAL = [['int', 'long'], ['string', 'int', 'decimal'], ['decimal', 'highest'], ALL];
const placeOf = (hit: Body): string => `${hit._index}/${numberOf(hit)}`;

describe.each(SEVERAL.map((names) => [names.join()]))('pages over the indexes %s', (list) => {
  const names = list.split(',');
  const path = `/${list}/_search`;
  const every = new Set(
    names.flatMap((name) => Array.from({ length: N }, (_, n) => `${name}/${n}`)),
  );

  it.each([
    [['tie', '_id']],
    [[{ tie: 'desc' }, { _id: 'desc' }]],
    [[{ n: 'desc' }, '_id']],
    [['_id']],
    [[{ _id: 'desc' }]],
  ])('have every row once in the order %j', async (sort) => {
    const found = (await pages({ ...SHOWN, size: 7, sort }, path)).flat();
    expect(found.length).toBe(every.size);
    expect(new Set(found.map(placeOf))).toEqual(every);
    const { hits } = await post(path, { ...SHOWN, size: 1000, sort });
    expect(found.map(placeOf)).toEqual(hits.hits.map(placeOf));
  });

  it('go on behind all ties of a value, in all indexes', async () => {
    const found = await pages({ ...SHOWN, size: 5, sort: [{ n: 'desc' }] }, path);
    const firsts = found.map((page) => page.map(numberOf));
    for (const [at, page] of firsts.slice(1).entries()) {
      expect(Math.max(...page)).toBeLessThan(Math.min(...firsts[at]!));
    }
  });

  it.each([[undefined], [['tie']], [[{ n: 'desc' }]]])('scroll to the end by %j', async (sort) => {
    const body = { ...SHOWN, size: 7, ...(sort === undefined ? {} : { sort }) };
    let page = await post(`${path}?scroll=1m`, body);
    const found: string[] = [];
    while (page.hits.hits.length > 0 && found.length <= every.size) {
      found.push(...page.hits.hits.map(placeOf));
      page = await post('/_search/scroll', { scroll_id: page._scroll_id, scroll: '1m' });
    }
    expect(found.length).toBe(every.size);
    expect(new Set(found)).toEqual(every);
    await calls.send('DELETE', '/_search/scroll', { scroll_id: page._scroll_id });
  });

  it.each([[['tie']], [[{ tie: 'desc' }, '_shard_doc']]])(
    'of a point in time by %j',
    async (sort) => {
      const { id } = await post(`/${list}/_pit?keep_alive=1m`, {});
      const body = { ...SHOWN, size: 7, sort, pit: { id, keep_alive: '1m' } };
      const found = (await pages(body, '/_search')).flat().map(placeOf);
      expect(found.length).toBe(every.size);
      expect(new Set(found)).toEqual(every);
      await calls.send('DELETE', '/_pit', { id });
    },
  );
});
