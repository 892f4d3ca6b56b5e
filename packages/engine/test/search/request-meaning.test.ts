/** What is refused, skipped or filled in where a well-formed request meets an index. */
import type { LhsError, SavedQueryDraft, SearchRequest } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLOATS, schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', title: 'string', ok: 'boolean', size: 'long', price: 'double' },
  ...{ at: 'timestamptz', tag: 'string', meta: 'variant', v: FLOATS },
});
const DEFINITION = `tenant_field: tag
fields:
  - { name: title, type: TEXT, max_bytes: 100, analyzer: plain }
  - { name: ok, type: BOOL, indexed: false }
  - { name: size, type: LONG, indexed: false }
  - { name: price, type: DOUBLE, indexed: false, fast: false, cached: true }
  - { name: at, type: DATE }
  - { name: tag, type: KEYWORD, fast: true }
  - { name: v, type: VECTOR, dims: 2 }
variants:
  - column: meta
    discriminator: kind
    shapes:
      - { name: push, when: push, fields: [{ path: commits, type: LONG, indexed: false }] }
analyzers:
  - { name: plain, tokenizer: standard, filters: [lowercase] }`;

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  const rows = Array.from({ length: 6 }, (_, id) => ({
    id,
    title: id < 4 ? 'disk full' : 'disk quiet',
    ok: id % 2 === 0,
    size: id,
    price: id / 2,
    at: `2025-10-0${id + 1} 12:00:00+00`,
    tag: id < 2 ? 'a' : 'b',
    meta: { kind: 'push', commits: id, lang: 'en' },
    v: [1, id],
  }));
  await lake.create(schema, { formatVersion: 3, rows });
  await lake.build(DEFINITION);
});
afterAll(() => lake.close());

const refused = async (work: () => Promise<unknown>): Promise<LhsError> =>
  work().then(
    () => {
      throw new Error('it is accepted');
    },
    (error: LhsError) => error,
  );
const total = async (query: string) => (await lake.backend.search({ query })).total;

describe('options of suggest', () => {
  it('gives the most frequent terms where no text is', async () => {
    const { suggestions } = await lake.backend.suggest({ field: 'title' });
    expect(suggestions.map(({ text, doc_count }) => [text, doc_count])).toEqual([
      ['disk', 6],
      ['full', 4],
      ['quiet', 2],
    ]);
  });
});

describe('a field with indexed: false', () => {
  it.each(['ok:true', 'size:3', 'price:1.5', 'size:(1 OR 2)'])(
    'answers no values, whatever its type: %s',
    async (query) => {
      const { code, message, hint } = await refused(() => lake.backend.search({ query }));
      expect(code).toBe('invalid_query');
      expect(message).toMatch(/"(ok|size|price)" is not indexed/);
      expect(hint).toContain('set "indexed: true"');
    },
  );

  it('still has ranges and sorts where it is fast, and is found where it has a value', async () => {
    expect(await total('size:[2 TO 3]')).toBe(2);
    expect(await total('size:*')).toBe(6);
    const { hits } = await lake.backend.search({ sort: [{ field: 'size', desc: true }], limit: 1 });
    expect(hits[0]!.coordinates.identifier[0]!.value).toBe('5');
  });

  it('leaves its path in a flattened variant to find values', async () => {
    expect(await total('meta.commits:3')).toBe(1);
    expect(await total('meta.commits:[3 TO 4]')).toBe(2);
  });
});

describe('a fixed interval', () => {
  const histogram = (fixed_interval: string) =>
    lake.backend.aggregate({ aggs: { a: { date_histogram: { field: 'at', fixed_interval } } } });

  it.each([
    ['1M', 'a month has no fixed length: take "calendar_interval": "month"'],
    ['1 months', 'a month has no fixed length: take "calendar_interval": "month"'],
    ['2y', 'a year has no fixed length: take "calendar_interval": "year"'],
    ['1D', 'did you mean "1d"?'],
    ['1H', 'did you mean "1h"?'],
    ['1MS', 'did you mean "1ms"?'],
  ])('is not %s', async (interval, hint) => {
    const error = await refused(() => histogram(interval));
    expect(error.code).toBe('invalid_argument');
    expect(error.message).toContain(`is "${interval}": expected a duration like`);
    expect(error.hint).toContain(hint);
  });

  it('is a minute, a day or a week in lower case', async () => {
    for (const interval of ['1m', '1d', '2 Days', '1w']) {
      expect((await histogram(interval)).total).toBe(6);
    }
  });
});

describe('facets', () => {
  it('skip fields that cannot be counted, and say which and why', async () => {
    const fields = ['tag', 'title', 'price', 'meta.lang'];
    const way = 'in the definition, then alter index "t" with it';
    const title =
      'no field of index "t" groups or sorts "title" whole: add "{ name: title_exact, ' +
      `source: title, type: KEYWORD, folded: true, fast: true }" ${way}`;
    const reasons = {
      title: `it is TEXT, which has words and no values to count: ${title}`,
      price: `it is DOUBLE without fast: set "fast: true" on "price" ${way}`,
      'meta.lang': `it is a path without a declared field: declare "meta.lang" as a fast field`,
    };
    const skipped = Object.entries(reasons).map(([field, reason]) => {
      return { field, reason: expect.stringContaining(reason) };
    });
    const answer = await lake.backend.facets({ fields });
    expect(answer.facets.map(({ field }) => field)).toEqual(['tag']);
    expect(answer.skipped_facets).toEqual(skipped);
    const search = await lake.backend.search({ facets: { fields } });
    expect(search.skipped_facets).toEqual(skipped);
    const clean = await lake.backend.facets({ fields: ['tag'] });
    expect(clean).not.toHaveProperty('skipped_facets');
    expect((await refused(() => lake.backend.facets({ fields: ['tga'] }))).hint).toContain('"tag"');
  });
});

describe('a saved query', () => {
  const knn = { knn: { field: 'v', query_vector: [1, 0], k: 2 } };
  const draft = (request: object): SavedQueryDraft => {
    return {
      name: `q${Math.abs(JSON.stringify(request).length)}`,
      request: request as SearchRequest,
    };
  };

  it.each<[object, string]>([
    [{ query: '(x' }, '"("'],
    [{ query: 'nope:x' }, '"nope"'],
    [{ query: 'a', filter: 'size:three' }, 'size'],
    [{ query: 'a', sort: [{ field: 'nope' }] }, '"nope"'],
    [{ query: 'a', sort: [{ field: 'title' }] }, 'fast'],
    [{ query: 'a', collapse: 'nope' }, '"nope"'],
    [{ query: 'a', fields: ['nope'] }, '"nope"'],
    [{ query: 'a', highlight: { fields: ['nope'] } }, '"nope"'],
    [{ query: 'a', facets: { fields: ['nope'] } }, '"nope"'],
    [{ query: 'a', aggs: { x: { terms: { field: 'nope' } } } }, '"nope"'],
    [{ query: 'a', aggs: { x: { zz: { field: 'tag' } } } }, 'zz'],
    [{ ast: { term: { field: 'nope', value: 'x' } } }, '"nope"'],
    [{ ast: { zz: {} } }, 'zz'],
    [{ ast: { knn: { field: 'title', query_vector: [1, 0] } } }, 'VECTOR'],
    [{ ast: { knn: { ...knn.knn, filter: { term: { field: 'nope', value: 'x' } } } } }, '"nope"'],
  ])('is checked as a search is when it is saved: %j', async (request, part) => {
    for (const index of ['t', undefined]) {
      const asked = index === undefined ? request : { ...request, index };
      const search = await refused(() => lake.backend.search(asked as SearchRequest));
      const saved = await refused(() => lake.backend.createSavedQuery(draft(asked)));
      expect([saved.code, saved.message]).toEqual([search.code, search.message]);
      expect(saved.message).toContain(part);
    }
    expect(await lake.backend.listSavedQueries()).toEqual([]);
  });

  it('is kept where it could run, and replaced by nothing that could not', async () => {
    const good = {
      ast: { bool: { must: [knn, { match_all: {} }] } },
      facets: { fields: ['title'] },
    };
    const { id } = await lake.backend.createSavedQuery(draft(good));
    const bad = { id, ...draft({ query: 'nope:x' }) };
    await expect(lake.backend.replaceSavedQuery(bad)).rejects.toThrow('"nope"');
    expect((await lake.backend.listSavedQueries())[0]!.request).toEqual(good);
    await lake.backend.deleteSavedQuery({ id });
  });

  it('is read where its index is not there yet', async () => {
    const { id } = await lake.backend.createSavedQuery(draft({ index: 'later', query: 'a:b' }));
    await lake.backend.deleteSavedQuery({ id });
    for (const request of [{ query: '(x' }, { ast: { zz: {} } }, { filter: 'a:[1' }]) {
      const error = await refused(() =>
        lake.backend.createSavedQuery(draft({ ...request, index: 'later' })),
      );
      expect(error.code).toBe('invalid_query');
    }
  });
});

describe('a description', () => {
  it('shows all that the definition says of tenants, limits, analyzers and variants', async () => {
    const described = await lake.backend.describeIndex({});
    expect(described.tenant_field).toBe('tag');
    expect(described.analyzers).toEqual([
      { name: 'plain', tokenizer: 'standard', filters: ['lowercase'], options: {} },
    ]);
    expect(described.variants).toEqual([{ column: 'meta', flatten: true, discriminator: 'kind' }]);
    const fields = new Map(described.fields.map((field) => [field.name, field]));
    expect(fields.get('title')).toMatchObject({ max_bytes: 100, analyzer: 'plain' });
    expect(fields.get('meta.commits')).toMatchObject({ path: 'commits', when: ['push'] });
    expect(fields.get('tag')).not.toHaveProperty('max_bytes');
  });
});

describe('hints', () => {
  it('name commands that there are', async () => {
    const sort = [{ field: 'title' }, { field: 'price' }];
    for (const one of sort) {
      const { hint } = await refused(() => lake.backend.search({ sort: [one] }));
      expect(hint).not.toMatch(/not built yet/);
    }
  });
});
