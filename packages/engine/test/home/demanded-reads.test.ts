// @module-tag campaign
/** Which bytes an index opened by its location reads, and that its answers are the same. */
import { join } from 'node:path';
import type { SearchResponse } from '@lakehouse-search/contract';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, deleteRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { coldFigures } from '../../src/storage/cold-file.ts';
import { emptyCache } from './empty-cache.ts';

const ROWS = 40_000;
const WORDS = Array.from({ length: 60 }, (_, i) => `word${i}`);
const options = { threads: 0, openEmbedder: tinyModels().open };

let lake: SmallLake;
let reader: LocalEngine;

/** Few lengths and few days, so that many rows tie. */
const rows = (from: number, to: number) => {
  const below = seededBelow(from + 1);
  return Array.from({ length: to - from }, (_, i) => ({
    id: `${below(2 ** 30).toString(36)}-${from + i}`,
    title: Array.from({ length: 3 }, () => WORDS[below(below(60) + 1)]).join(' '),
    day: below(10) === 0 ? null : below(below(1500) + 1),
    host: `host${below(400)}`,
    at: (below(2 ** 30) - 2 ** 29) * 2 ** 20 + below(2 ** 20),
  }));
};

beforeAll(async () => {
  lake = await openSmallLake(options);
  vi.stubEnv('LHS_COLD_CACHE_DIR', join(lake.folder, 'cache'));
  await lake.create(
    schemaOf({ id: 'string', title: 'string', day: 'long', host: 'string', at: 'long' }),
  );
  await lake.define(`storage: ${lake.folder}/home
fields:
  - { name: title, type: TEXT, cached: true }
  - { name: day, type: LONG, fast: true, cached: true }
  - { name: host, type: KEYWORD, fast: true }
  - { name: at, type: LONG, fast: true, cached: true }
  - { name: meaning, type: VECTOR, source: title, model: ${lake.folder}, dims: 8 }`);
  await appendRows(lake.source, { kind: 'rows', rows: rows(0, ROWS) });
  await lake.backend.reindex({ index: 't' });
  await appendRows(lake.source, { kind: 'rows', rows: rows(ROWS, ROWS + 3000) });
  await deleteRows(lake.source, 'day = 7');
  await lake.backend.sync({ index: 't' });
  reader = await openEngine(`${lake.folder}/home/t`, options);
});
beforeEach(() => emptyCache());
afterAll(async () => {
  await reader.close();
  await lake.close();
  vi.unstubAllEnvs();
});

/** An answer without what says how and when it was made. */
const plain = (answer: object): string =>
  JSON.stringify(
    Object.entries(answer).filter(([name]) => !/^(took|lag|timings)/.test(name)),
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  );

describe('an index that is opened by its location', () => {
  it('orders rows that tie by their keys, whatever is read of them', async () => {
    const below = seededBelow(31);
    const word = () => WORDS[below(60)]!;
    const queries = [word, () => `${word()} AND ${word()}`, () => `day:[${below(500)} TO 1500]`];
    const orders = [[], [{ field: 'day', desc: true }], [{ field: 'day' }, { field: 'host' }]];
    for (let n = 0; n < byEffort(60, 600); n++) {
      if (below(2) === 0) emptyCache();
      const sort = orders[below(3)]!;
      const request = {
        ...{ index: 't', query: queries[below(3)]!(), limit: 1 + below(50) },
        ...(sort.length > 0 && { sort }),
      };
      const answer = plain(await reader.search(request));
      expect(answer, JSON.stringify(request)).toBe(plain(await lake.backend.search(request)));
    }
  });

  it('waits for the store a few times, whatever is searched', async () => {
    const requests: Record<string, object> = {
      words: { query: 'word3 AND word5' },
      phrase: { query: 'title:"word3 word5"' },
      prefix: { query: 'title:word1*' },
      fuzzy: { query: 'title:wrod12~1' },
      range: { query: 'day:[10 TO 900]' },
      sorted: { query: 'word3', sort: [{ field: 'day', desc: true }] },
      collapsed: { query: 'word3', collapse: 'host' },
    };
    const rounds: Record<string, number> = {};
    for (const [name, request] of Object.entries(requests)) {
      emptyCache();
      const before = coldFigures.rounds;
      expect(await reader.search({ index: 't', ...request })).toMatchObject({
        hits: { length: 10 },
      });
      rounds[name] = coldFigures.rounds - before;
    }
    expect(Math.max(...Object.values(rounds)), JSON.stringify(rounds)).toBeLessThan(5);
  });

  it('waits for the store a few times for the nearest rows, equally near ones too', async () => {
    const searches: Record<string, () => Promise<SearchResponse>> = {
      semantic: () => reader.semantic({ index: 't', query_text: 'word3 word5' }),
      'more of them': () =>
        reader.semantic({ index: 't', query_text: 'word1', k: 1000, limit: 10 }),
      filtered: () => reader.semantic({ index: 't', query_text: 'word3', filter: 'day:[1 TO 9]' }),
      // words and meaning are found side by side
      hybrid: () => reader.hybrid({ index: 't', query_text: 'word3 word7' }),
    };
    const rounds: Record<string, number> = {};
    for (const [name, search] of Object.entries(searches)) {
      emptyCache();
      const before = coldFigures.rounds;
      expect((await search()).hits.length, name).toBe(10);
      rounds[name] = coldFigures.rounds - before;
    }
    const { hybrid, ...others } = rounds;
    expect(Math.max(...Object.values(others)), JSON.stringify(others)).toBeLessThan(7);
    expect(hybrid).toBeLessThan(9);
  });

  it('reads what it shows of ten hits with few requests', async () => {
    const below = seededBelow(5);
    for (let n = 0; n < 20; n++) {
      const query = `word${below(60)} word${below(60)}`;
      await reader.search({ index: 't', query, limit: 1 });
      emptyCache();
      const before = coldFigures.requests;
      const request = { index: 't', query, limit: 10 };
      const answer = plain(await reader.search(request));
      expect(answer).toBe(plain(await lake.backend.search(request)));
      expect(coldFigures.requests - before, query).toBeLessThan(7);
    }
  });

  it('reads fewer vectors if a filter excludes most of them', async () => {
    const bytesOf = async (filter: string): Promise<number> => {
      emptyCache();
      const before = coldFigures.bytesRead;
      const request = { index: 't', query_text: 'word3 word5', limit: 5, fields: [], filter };
      const answer = plain(await reader.semantic(request));
      expect(answer).toBe(plain(await lake.backend.semantic(request)));
      return coldFigures.bytesRead - before;
    };
    const all = await bytesOf('day:[0 TO 2000]');
    expect(await bytesOf('day:1499')).toBeLessThan(all - 2 ** 18);
  });
});
