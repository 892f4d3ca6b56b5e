import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { measuredLoad, type ShardLoad, suggestionLines, suggestShards } from './suggest-shards.ts';

const load = (own: Partial<ShardLoad>): ShardLoad => ({
  ...{ index: 'a', shards: 3, docs: 5_350_000, bytes: 10 ** 9 },
  ...{ search_ms: 1.25, searches_per_second: 800 },
  ...own,
});

describe('a suggested number of shards', () => {
  it.each([
    [{}, 1, 'one shard is small and fast enough'],
    [{ docs: 120_000_000 }, 3, 'at most 50,000,000 rows a shard'],
    [{ bytes: 100 * 2 ** 30 }, 7, 'at most 16.00 GB a shard'],
    [{ search_ms: 260 }, 6, 'at most 50 ms a search'],
    [{ docs: 10 ** 12 }, 1024, 'at most 50,000,000 rows a shard'],
  ])('of an index with %o is %i', (own, suggested_shards, reason) => {
    expect(suggestShards(load(own))).toMatchObject({ suggested_shards, reason });
  });

  it('is printed with what was measured', () => {
    expect(suggestionLines(suggestShards(load({})))).toEqual([
      'a  1 shard (now 3): one shard is small and fast enough',
      '5,350,000 rows, 1.00 GB; a search takes 1.25 ms: 800 a second on a core',
    ]);
  });

  it('measures the most frequent words unless queries are given', async () => {
    const measured: (readonly string[])[] = [];
    const backend = {
      describeIndex: async () => ({
        ...{ index: 'a', num_docs: 7, bytes: 9, shards: [{}], default_fields: ['title^2'] },
      }),
      suggest: async () => ({ suggestions: [{ text: 'night' }] }),
      bench: async ({ queries }: { queries: readonly string[] }) => {
        measured.push(queries);
        return { p50_us: 500 };
      },
    } as unknown as BackendApi;
    expect(await measuredLoad(backend, undefined)).toEqual({
      ...{ index: 'a', shards: 1, docs: 7, bytes: 9, search_ms: 0.5, searches_per_second: 2000 },
    });
    await measuredLoad(backend, 'a', ['x y']);
    expect(measured).toEqual([['"night"'], ['x y']]);
  });
});
