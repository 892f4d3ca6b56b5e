/**
 * Pages of semantic, sorted semantic and hybrid searches: whatever the limit, they are parts of one
 * list, over the backend and over the tool of agents.
 */
import type { Hit, HybridRequest } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededBelow } from '../../../test/support/random.ts';
import { schemaOf } from '../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../test/support/small-lake.ts';
import { searchTool } from '../src/tools/search.ts';
import { similarTool } from '../src/tools/similar.ts';

const WORDS = 'harbour ship storm engine captain market bread oven fish net'.split(' ');
const ROWS = 400;

let lake: SmallLake;
beforeAll(async () => {
  const random = seededBelow(5);
  const rows = Array.from({ length: ROWS }, (_, id) => {
    const words = Array.from({ length: 1 + random(5) }, () => WORDS[random(WORDS.length)]);
    return { id, body: words.join(' '), size: random(40) };
  });
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'int', body: 'string', size: 'int' }), { rows });
  await lake.build(`key: { identifier: [id] }
fields:
  - { name: body, type: TEXT, analyzer: simple, cached: true }
  - { name: size, type: LONG, fast: true }
  - { name: meaning, type: VECTOR, source: body }`);
});
afterAll(() => lake.close());

const idOf = ({ coordinates }: Hit): string => coordinates.identifier[0].value;

interface Page {
  readonly ids: readonly string[];
  readonly total: number;
  readonly notes: readonly string[];
}

const SEARCHES = [
  ['semantic', undefined],
  ['semantic', 'size:desc'],
  ['hybrid', undefined],
  ['hybrid', 'size:desc'],
] as const;

/** A page of the backend. */
async function backendPage(
  [mode, sort]: (typeof SEARCHES)[number],
  page: HybridRequest,
): Promise<Page> {
  const request: HybridRequest = {
    query_text: 'storm at the harbour',
    ...page,
    ...(sort === undefined ? {} : { sort: [{ field: 'size', desc: true }] }),
  };
  const { hits, total, notes = [] } = await lake.library[mode](request);
  return { ids: hits.map(idOf), total, notes };
}

/** All pages of the tool. */
async function toolPages(
  [mode, sort]: (typeof SEARCHES)[number],
  more: object,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let cursor: unknown;
  do {
    const input = { query: 'storm at the harbour', mode, max_tokens: 50_000, ...more };
    const { structured } = await searchTool.run(
      { ...input, ...(sort && { sort }), ...(cursor === undefined ? {} : { cursor }) },
      { backend: lake.library, call: {} },
    );
    const {
      hits,
      rows,
      total,
      notes = [],
      continuation,
    } = structured as unknown as {
      readonly hits?: readonly { readonly key: string }[];
      /** Above 20 hits; the key is the first column. */
      readonly rows?: readonly (readonly string[])[];
      readonly total: number;
      readonly notes?: readonly string[];
      readonly continuation?: string;
    };
    const keys = hits?.map(({ key }) => key) ?? rows?.map(([key]) => key) ?? [];
    pages.push({ ids: keys.map((key) => key.slice('id='.length)), total, notes });
    cursor = continuation;
  } while (cursor !== undefined);
  return pages;
}

describe.each(SEARCHES)('pages of a search: %s, sorted by %s', (...search) => {
  it('are parts of one list, whatever their limit', async () => {
    const whole = await backendPage(search, { limit: 1000 });
    expect(whole.ids).toHaveLength(whole.total);
    expect(new Set(whole.ids).size).toBe(whole.total);
    expect(whole.total).toBeGreaterThanOrEqual(100);
    expect(whole.notes).toEqual([expect.stringContaining('set "k" for more')]);
    for (const limit of [3, 7, 60, 150]) {
      for (let offset = 0; offset < whole.total; offset += limit) {
        const page = await backendPage(search, { limit, offset });
        expect(page.total).toBe(whole.total);
        expect(page.ids).toEqual(whole.ids.slice(offset, offset + limit));
      }
    }
  });

  it.each([3, 20, 100])('are the same for agents, %i by %i', async (limit) => {
    const whole = await backendPage(search, { limit: 1000 });
    const pages = await toolPages(search, { limit });
    expect(pages.flatMap(({ ids }) => ids)).toEqual(whole.ids);
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([whole.total]));
  });

  it('hold the rows that "k" names', async () => {
    const whole = await backendPage(search, { limit: 1000, k: 250 });
    expect(whole.notes).toEqual([]);
    const pages = await toolPages(search, { limit: 100, k: 250 });
    expect(pages.flatMap(({ ids }) => ids)).toEqual(whole.ids);
    expect(whole.total).toBeGreaterThanOrEqual(250);
  });
});

describe('arguments that a mode has no use for', () => {
  it.each([
    [{ mode: 'hybrid', operator: 'and' }, '"operator" does not go with mode hybrid'],
    [{ mode: 'semantic', operator: 'or' }, '"operator" does not go with mode semantic'],
    [{ k: 5 }, '"k" does not go with mode lexical'],
  ])('are refused: %j', async (more, message) => {
    const call = searchTool.run({ query: 'x', ...more }, { backend: lake.library, call: {} });
    await expect(call).rejects.toThrow(message);
  });
});

describe('rows that are similar to one', () => {
  it('are those nearest to its text, without the row itself', async () => {
    const { rows } = await lake.library.getKeys({
      keys: [{ identifier: [{ name: 'id', value: '7' }] }],
      columns: ['body'],
    });
    const query_text = String(rows[0].fields.body);
    const { hits } = await lake.library.semantic({ query_text, limit: 100 });
    const expected = hits.map(idOf).filter((id) => id !== '7');
    const similar = async (input: object) => {
      const context = { backend: lake.library, call: {} };
      const { structured } = await similarTool.run({ key: 'id=7', ...input }, context);
      const found = structured.hits as unknown as readonly { readonly key: string }[];
      return found.map(({ key }) => key.slice('id='.length));
    };
    expect(await similar({})).toEqual(expected.slice(0, 10));
    const some = await similar({ filter: 'size:>=20', limit: 5 });
    const nearest = { query_text, limit: 100, filter: 'size:>=20' };
    const filtered = (await lake.library.semantic(nearest)).hits.map(idOf);
    expect(some).toEqual(filtered.filter((id) => id !== '7').slice(0, 5));
    await expect(similar({ key: 'id=999999' })).rejects.toThrow('no row has the key id=999999');
  });
});
