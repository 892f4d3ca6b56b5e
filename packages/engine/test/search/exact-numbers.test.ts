/**
 * Whole numbers beyond 2^53 in requests, sent as the bytes of JSON: as texts they are exact, as
 * numbers they are refused by name, because JSON has rounded them. Numbers beyond the range of
 * doubles are refused too.
 */
import { jsonValue } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const FIRST = 2n ** 53n - 2n;
const ROWS = 12;
const bigOf = (i: number): bigint => FIRST + BigInt(i);

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'string', big: 'long', price: 'double', tag: 'string' }));
  await lake.define(`key: { identifier: [id] }
fields:
  - { name: big, type: LONG, fast: true, cached: true }
  - { name: price, type: DOUBLE, fast: true, cached: true }
  - { name: tag, type: KEYWORD, fast: true }`);
  const prices = [-0, 0, 1e300, Number.POSITIVE_INFINITY, 1.5];
  const rows = Array.from({ length: ROWS }, (_, i) => {
    return {
      id: `k${i}`.padStart(4, '0'),
      big: bigOf(i),
      price: prices[i],
      tag: `${bigOf(i)}`,
    };
  });
  rows.push({ id: 'none', big: null as never, price: null as never, tag: null as never });
  await lake.append(rows);
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

/** A request as it comes from the wire. */
const sent = (json: string) => jsonValue(json, 'the request') as never;
const search = (json: string) => lake.backend.search(sent(json));
const aggregate = (json: string) => lake.backend.aggregate(sent(json));
const keys = async (json: string): Promise<readonly string[]> =>
  (await search(json)).hits.map(({ coordinates }) => coordinates.identifier[0].value);
const refusal = (path: string) =>
  expect.objectContaining({
    code: 'invalid_argument',
    message: expect.stringMatching(`${path}.*is a whole number beyond 2\\^53, which JSON`),
  });

describe('whole numbers beyond 2^53', () => {
  it('of sort values lead from page to page, as they were returned', async () => {
    const seen: string[] = [];
    let after = '';
    for (;;) {
      const { hits } = await search(`{"limit":1,"sort":[{"field":"big"}]${after}}`);
      if (hits.length === 0) break;
      seen.push(hits[0].coordinates.identifier[0].value);
      after = `,"search_after":${JSON.stringify(hits[0].sort)}`;
    }
    expect(seen).toEqual([
      ...Array.from({ length: ROWS }, (_, i) => `k${i}`.padStart(4, '0')),
      'none',
    ]);
  });

  it('are exact as texts of search_after, missing, ranges and terms', async () => {
    const page = '{"limit":1,"sort":[{"field":"big"}],"search_after":["9007199254740993","00k3"]}';
    expect(await keys(page)).toEqual(['00k4']);
    const missing = '"sort":[{"field":"big","missing":"9007199254740993"}]';
    expect((await keys(`{"limit":20,${missing}}`)).indexOf('none')).toBe(4);
    const { results } = await aggregate(
      '{"aggs":{"r":{"range":{"field":"big","ranges":[{"from":"9007199254740993","to":"9007199254740995"}]}},"t":{"terms":{"field":"big","size":20,"missing":"9007199254740993"}}}}',
    );
    const bucket = { doc_count: 2, from: '9007199254740993', to: '9007199254740995' };
    expect(results.r).toMatchObject({ buckets: [bucket] });
    const first = { key: '9007199254740993', doc_count: 2 };
    expect(results.t).toMatchObject({ buckets: expect.toSatisfy((all) => all.length === ROWS) });
    expect(results.t).toMatchObject({
      buckets: expect.arrayContaining([expect.objectContaining(first)]),
    });
    for (const query of ['big:9007199254740993', 'big:[9007199254740993 TO 9007199254740993]']) {
      expect(await keys(`{"query":"${query}"}`)).toEqual(['00k3']);
    }
    expect(
      await keys('{"query":"big = 9007199254740993","syntax":"kql"}').catch(() => null),
    ).not.toEqual(['00k2']);
    expect(await keys('{"query":"big: 9007199254740993","syntax":"kql"}')).toEqual(['00k3']);
    expect(await keys('{"ast":{"term":{"field":"big","value":"9007199254740993"}}}')).toEqual([
      '00k3',
    ]);
  });

  it.each([
    ['search_after\\[0\\]', '{"sort":[{"field":"big"}],"search_after":[9007199254740993,"00k3"]}'],
    ['search_after\\[0\\]', '{"sort":[{"field":"tag"}],"search_after":[9007199254740993,"00k3"]}'],
    ['missing', '{"sort":[{"field":"big","missing":9007199254740993}]}'],
    ['ast.term.value', '{"ast":{"term":{"field":"big","value":9007199254740993}}}'],
    ['ast.range.gte', '{"filter":{"range":{"field":"big","gte":9007199254740993}}}'],
  ])('are refused as numbers of %s', async (path, json) => {
    const code = /^(ast|filter)/.test(path) ? { code: 'invalid_query' } : {};
    await expect(search(json)).rejects.toEqual(
      expect.objectContaining({ ...refusal(path).sample, ...code }),
    );
  });

  it.each([
    ['from', '"range":{"field":"big","ranges":[{"from":9007199254740993}]}'],
    ['to', '"range":{"field":"big","ranges":[{"to":9007199254740993}]}'],
    ['missing', '"terms":{"field":"big","missing":9007199254740993}'],
    ['missing', '"terms":{"field":"tag","missing":9007199254740993}'],
  ])('are refused as numbers of %s in aggregations', async (path, json) => {
    await expect(aggregate(`{"aggs":{"a":{${json}}}}`)).rejects.toEqual(refusal(path));
    await expect(search(`{"aggs":{"a":{${json}}}}`)).rejects.toEqual(refusal(path));
  });
});

describe('numbers of a DOUBLE field', () => {
  it('lead from page to page, with -0 as 0', async () => {
    const first = await search('{"limit":1,"sort":[{"field":"price"}]}');
    expect(JSON.stringify(first.hits[0].sort)).toBe('[0,"00k0"]');
    expect(await keys('{"limit":3,"sort":[{"field":"price"}],"search_after":[-0,"00k0"]}')).toEqual(
      ['00k1', '00k4', '00k2'],
    );
    expect(
      await keys('{"limit":1,"sort":[{"field":"price"}],"search_after":[1e300,"00k2"]}'),
    ).toEqual(['00k3']);
  });

  it.each(['price:1e400', 'price:>1e400', 'price:[1 TO 1e400]', 'price:<-1e400'])(
    'are refused beyond the range of doubles: %s',
    async (query) => {
      await expect(search(JSON.stringify({ query }))).rejects.toMatchObject({
        code: 'invalid_query',
      });
    },
  );

  it('are refused by name where JSON makes Infinity of them', async () => {
    const request = '{"sort":[{"field":"price"}],"search_after":[1e400,"00k0"]}';
    await expect(search(request)).rejects.toThrow('"search_after[0]" is Infinity: expected');
    await expect(search('{"limit":1e400}')).rejects.toThrow('"limit" is Infinity: expected');
    const ranges = '{"aggs":{"a":{"range":{"field":"price","ranges":[{"from":1e400}]}}}}';
    await expect(aggregate(ranges)).rejects.toThrow('.from" is Infinity: expected');
    const tree = '{"ast":{"range":{"field":"price","gte":1e400}}}';
    await expect(search(tree)).rejects.toMatchObject({ code: 'invalid_query' });
  });
});
