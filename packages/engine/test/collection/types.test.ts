import { q } from '@lakehouse-search/engine';
import { date, list, openCollection, optional, text } from '@lakehouse-search/engine/collection';
import { describe, expect, expectTypeOf, it } from 'vitest';

const COLUMNS = {
  id: 'string',
  title: text('english'),
  at: date(),
  size: optional('integer'),
  labels: list('string'),
} as const;
const open = () => openCollection('folder', 'docs', COLUMNS);
type Docs = Awaited<ReturnType<typeof open>>;

/** Only compiled. */
async function uses(docs: Docs): Promise<void> {
  await docs.upsert({ id: 'a', title: 'b', at: new Date() });
  await docs.upsert([{ id: 'a', title: 'b', at: '2025-11-28T10:00:00Z', size: null }]);
  await docs.upsert({ id: 'a', title: 'b', at: new Date(), labels: ['c'] });
  await docs.delete('a');
  await docs.delete(['a', 'b']);
  const { hits, total } = await docs.search({
    query: 'b',
    sort: [{ field: 'at', desc: true }, { field: '_score' }],
    facets: { fields: ['size'] },
    highlight: { fields: ['title'] },
  });
  expectTypeOf(total).toEqualTypeOf<number>();
  expectTypeOf(hits[0].key).toEqualTypeOf<string>();
  expectTypeOf(hits[0].row).toEqualTypeOf<{
    readonly id: string;
    readonly title: string;
    readonly at: Date;
    readonly size: number | null;
    readonly labels: readonly string[];
  }>();
  const counted = await docs.search({
    filter: q.and(q.match('title', 'b'), q.range('at', { gte: new Date() })),
    facets: { fields: ['size'] },
    aggs: {
      days: {
        date_histogram: { field: 'at', calendar_interval: 'day', order: { most: 'desc' } },
        aggs: { most: { max: { field: 'size' } } },
      },
    },
  });
  expectTypeOf(counted.facets[0].field).toEqualTypeOf<'size'>();
  expectTypeOf(counted.facets[0].buckets[0].value).toEqualTypeOf<string>();
  const [day] = counted.aggs.days.buckets;
  expectTypeOf(day.aggs.most.value).toEqualTypeOf<number | null>();
  expectTypeOf(day.key).toEqualTypeOf<number>();
  const facets = total > 3 ? ({ fields: ['id'] } as const) : undefined;
  const some = await docs.search({ query: 'b', facets });
  expectTypeOf(some.facets?.[0].field).toEqualTypeOf<'id' | undefined>();
  const row = await docs.get('a');
  expectTypeOf(row?.size).toEqualTypeOf<number | null | undefined>();
  for await (const { snapshot, upserts, deletes } of docs.follow()) {
    expectTypeOf(snapshot).toEqualTypeOf<string>();
    expectTypeOf(upserts[0].at).toEqualTypeOf<Date>();
    expectTypeOf(deletes).toEqualTypeOf<readonly string[]>();
  }
  const columns = { sku: 'integer', price: 'number', name: 'string' } as const;
  const goods = await openCollection('folder', 'goods', columns, { key: 'sku' });
  const prices = await goods.search({ aggs: { a: { stats: { field: 'price' } } } });
  expectTypeOf(prices.hits[0].key).toEqualTypeOf<number>();
  expectTypeOf(prices.aggs.a.sum).toEqualTypeOf<number>();
  expectTypeOf(prices.aggs.a.avg).toEqualTypeOf<number | null>();
  const keys = await goods.search({
    aggs: { a: { terms: { field: 'sku' } }, b: { terms: { field: 'name' } } },
  });
  expectTypeOf(keys.aggs.a.buckets[0].key).toEqualTypeOf<number>();
  expectTypeOf(keys.aggs.b.buckets[0].key).toEqualTypeOf<string>();
}

/** Only compiled: each line is a mistake. */
async function mistakes(docs: Docs): Promise<void> {
  const row = await docs.get('a');
  // @ts-expect-error a column is missing
  await docs.upsert({ id: 'a', title: 'b' });
  // @ts-expect-error a column is not known
  await docs.upsert({ id: 'a', title: 'b', at: new Date(), sise: 1 });
  // @ts-expect-error a number is no string
  await docs.upsert({ id: 1, title: 'b', at: new Date() });
  // @ts-expect-error a number is no moment
  await docs.upsert({ id: 'a', title: 'b', at: 0 });
  // @ts-expect-error the title is required
  await docs.upsert([{ id: 'a', title: null, at: new Date() }]);
  // @ts-expect-error keys are strings
  await docs.delete(1);
  // @ts-expect-error keys are strings
  await docs.get({ id: 'a' });
  // @ts-expect-error no such option
  await docs.search({ qurey: 'a' });
  // @ts-expect-error no such column
  await docs.search({ query: 'a', sort: [{ field: 'sise' }] });
  // @ts-expect-error texts have no order
  await docs.search({ query: 'a', sort: [{ field: 'title' }] });
  // @ts-expect-error texts have no facets
  await docs.search({ query: 'a', facets: { fields: ['title'] } });
  // @ts-expect-error only texts are highlighted
  await docs.search({ query: 'a', highlight: { fields: ['size'] } });
  // @ts-expect-error no such column
  await docs.search({ filter: q.term('sise', 1) });
  // @ts-expect-error no such column
  await docs.search({ ast: { exists: { field: 'sise' } } });
  // @ts-expect-error no such column
  await docs.search({ aggs: { a: { max: { field: 'sise' } } } });
  // @ts-expect-error only numbers and dates have a maximum
  await docs.search({ aggs: { a: { max: { field: 'id' } } } });
  // @ts-expect-error no such figure
  await docs.search({ aggs: { a: { terms: { field: 'id', order: { n: 'asc' } } } } });
  // @ts-expect-error rows are returned whole
  await docs.search({ query: 'a', fields: ['title'] });
  // @ts-expect-error it may not have been requested
  (await docs.search({ query: 'a', facets: row ? { fields: ['id'] } : undefined })).facets.length;
  // @ts-expect-error it was not requested
  void (await docs.search('a')).aggs;
  // @ts-expect-error the index is that of the collection
  await docs.search({ index: 'others', query: 'a' });
  const { hits } = await docs.search('a');
  // @ts-expect-error no such column
  hits[0].row.titel;
  // @ts-expect-error null is possible
  hits[0].row.size.toFixed();
  // @ts-expect-error a snapshot is a text
  docs.follow({ from: 133n });
  // @ts-expect-error no such kind
  await openCollection('folder', 'docs', { id: 'strin' });
  // @ts-expect-error no such kind; the error is at the column
  await openCollection('folder', 'docs', { id: 'string', labels: 'list' });
  // @ts-expect-error a list is never null
  await openCollection('folder', 'docs', { id: 'string', labels: optional(list('string')) });
  // @ts-expect-error a list is no key
  await openCollection('folder', 'docs', { id: list('string') });
  // @ts-expect-error labels are strings
  await docs.upsert({ id: 'a', title: 'b', at: new Date(), labels: [1] });
  // @ts-expect-error without a column "id" the key has to be named
  await openCollection('folder', 'docs', { sku: 'string' });
  // @ts-expect-error no such column
  await openCollection('folder', 'docs', { sku: 'string' }, { key: 'suk' });
  // @ts-expect-error a text is no key
  await openCollection('folder', 'docs', { sku: 'text' }, { key: 'sku' });
  // @ts-expect-error an optional column is no key
  await openCollection('folder', 'docs', { sku: optional('string') }, { key: 'sku' });
}

describe('columns of a collection', () => {
  it('types rows, keys and requests by the columns', () => {
    expect([uses, mistakes]).toHaveLength(2);
  });

  it.each([
    [{}, 'id', 'column "id" is missing'],
    [{ id: 'text' }, 'id', 'column "id" is text'],
    [{ sku: optional('string') }, 'sku', 'column "sku" is optional string'],
    [{ sku: list('string') }, 'sku', 'column "sku" is a list of string'],
  ] as const)(
    'refuses columns %o without a key before anything is created',
    async (columns, key, problem) => {
      const opening = openCollection('/nowhere', 'docs', columns as { id: 'string' }, {
        key: key as 'id',
      });
      await expect(opening).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining(problem),
      });
    },
  );

  it('refuses names that an index cannot have', async () => {
    for (const name of ['Docs', '../x', '']) {
      await expect(openCollection('/nowhere', name, COLUMNS)).rejects.toMatchObject({
        code: 'invalid_definition',
      });
    }
    const columns = { id: 'string', 'a b': 'string' } as const;
    await expect(openCollection('/nowhere', 'docs', columns)).rejects.toMatchObject({
      code: 'invalid_definition',
    });
  });
});
