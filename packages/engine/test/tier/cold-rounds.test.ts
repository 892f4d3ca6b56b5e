/** How often a search of cold windows waits for the store. */
import { appendRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { coldFigures } from '../../src/storage/cold-file.ts';
import { type ColdLake, coldStore, OLD, rows } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
beforeEach(async () => {
  cold = await store.open();
});
afterEach(() => cold.close());

/** Times that a search with nothing in memory fetches blocks. */
async function roundsOf(request: object): Promise<number> {
  evictColdBytes(0);
  const before = coldFigures.rounds;
  const found = await cold.backend.search({ index: 't', ...request });
  expect(found.hits.length).toBeGreaterThan(4);
  return coldFigures.rounds - before;
}

describe('cold windows', () => {
  it('are read in a few rounds, however many there are', async () => {
    await cold.build();
    await cold.move({ cool: [...OLD, '2025-04', '2025-05', 'none'] });
    const requests = {
      words: { query: 'disk host' },
      phrase: { query: 'title:"of host"' },
      prefix: { query: 'title:hos*' },
      'part of a query': { query: 'title:hos* AND title:disk' },
      pattern: { query: 'title:?os*' },
      'misspelled word': { query: 'title:hsot~1' },
      range: { query: 'at:[2025-01-05 TO 2025-12-01]' },
      sorted: { query: 'disk', sort: [{ field: 'host' }] },
      collapsed: { query: 'disk OR title:hos*', collapse: 'host', limit: 5 },
      facets: { query: 'title:hos*', facets: { fields: ['host'] } },
    };
    const rounds: Record<string, number> = {};
    for (const [name, request] of Object.entries(requests)) rounds[name] = await roundsOf(request);
    const most = Object.fromEntries(Object.keys(requests).map((name) => [name, 2]));
    expect(rounds).toEqual({ ...most, facets: 3 });
  });

  it('count values right after their blocks were evicted', async () => {
    await cold.build();
    const { source } = cold.lake;
    const at = '2025-02-05T00:00:00Z';
    const many = rows(1000, 2500).map((row) => ({ ...row, at }));
    await appendRows(source, { kind: 'rows', rows: many });
    for (const index of ['plain', 't']) await cold.backend.sync({ index });
    await cold.move({ cool: OLD });
    const facets = async (index: string) =>
      (await cold.backend.search({ index, query: 'disk', facets: { fields: ['host'] } })).facets;
    const right = await facets('plain');
    expect(await facets('t')).toEqual(right);
    evictColdBytes(0);
    expect(await facets('t')).toEqual(right);
  });
});
