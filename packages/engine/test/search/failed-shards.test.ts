/** Shards that fail: the answer is that of the others, and says how many failed. */

import { LhsError } from '@lakehouse-search/contract';
import {
  checkAggregateRequest,
  checkExplainRequest,
  checkFacetsRequest,
  checkSearchRequest,
  checkSuggestRequest,
} from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  buildCorpus,
  type Corpus,
  corpusPlan,
  MAPPING,
} from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { shardTable } from '../../src/schema/sharding/bucket-map.ts';
import { shardOfKey } from '../../src/schema/sharding/key-buckets.ts';
import type { SearchContext } from '../../src/search/context.ts';
import { explainKey } from '../../src/search/explain/explain.ts';
import { searchIndex } from '../../src/search/search.ts';
import { suggestIndex } from '../../src/search/suggest.ts';
import { aggregateIndex, facetIndex } from '../../src/search/summarize.ts';
import { joinShards } from '../../src/shard/joined-shards.ts';
import { localShards } from '../../src/shard/local-shard.ts';
import type { Shard } from '../../src/shard/shard.ts';

const SHARDS = 5;
const plans = fc.sample(corpusPlan(addressOf), { seed: 11, numRuns: 20 });
const corpora = plans.map((plan) => buildCorpus(plan, SHARDS));
const sizes = corpora.map(({ live }) => live.length);
const corpus: Corpus = corpora[sizes.indexOf(Math.max(...sizes))];
afterAll(() => {
  for (const { snapshot } of corpora) snapshot.release();
});

const OPERATIONS = [
  ...['statistics', 'search', 'nearest', 'aggregate', 'suggest', 'keys', 'explain', 'fetch'],
] as readonly (keyof Shard)[];

/** A shard whose operations throw, all or those named. */
function broken(shard: Shard, error: Error, names = OPERATIONS): Shard {
  const throwing = Object.fromEntries(
    OPERATIONS.map((name) => [
      name,
      (request: never, signal?: AbortSignal) => {
        if (names.includes(name)) throw error;
        return shard[name](request, signal);
      },
    ]),
  );
  return throwing as unknown as Shard;
}

const DAMAGE = new LhsError('corrupt_index', 'the segment is damaged');

/** The corpus with some shards broken. */
function contextWith(
  failed: readonly number[],
  error: Error = DAMAGE,
  names = OPERATIONS,
): SearchContext {
  const shards = localShards(corpus.snapshot, MAPPING).map((shard, i) =>
    failed.includes(i) ? broken(shard, error, names) : shard,
  );
  return searchContext(MAPPING, corpus.snapshot, { shards });
}

const shardOf = (key: string) => shardOfKey(Buffer.from(key), shardTable({ shards: SHARDS }));
const outside = (failed: readonly number[]) =>
  corpus.live.map(({ key }) => key).filter((key) => !failed.includes(shardOf(key)));
const search = (context: SearchContext, request: object) =>
  searchIndex(context, checkSearchRequest({ limit: 10_000, ...request }));
const keysOf = async (answer: ReturnType<typeof search>) =>
  (await answer).hits.map(({ coordinates }) => coordinates.identifier[0].value).sort();

describe('a search of shards of which some fail', () => {
  test.each([[[2]], [[0, 3]], [[0, 1, 2, 4]]])(
    'without %j has the hits of the others',
    async (failed) => {
      const context = contextWith(failed, new TypeError('a bug'));
      const answer = await search(context, {});
      expect(answer).toMatchObject({
        partial: true,
        shards_total: SHARDS,
        shards_scanned: SHARDS - failed.length,
        total: outside(failed).length,
      });
      expect(await keysOf(search(context, {}))).toEqual(outside(failed).sort());
      const grouped = await search(context, { collapse: 'k1', sort: [{ field: '_key' }] });
      expect(grouped).toMatchObject({ partial: true, total: outside(failed).length });
    },
  );

  test('says nothing of a failure when all shards answer', async () => {
    const answer = await search(contextWith([]), { facets: { fields: ['k1'] } });
    expect(answer).toMatchObject({ shards_total: SHARDS, shards_scanned: SHARDS });
    expect(answer).not.toHaveProperty('partial');
  });

  test('shows hits without fields when their shard fails after it was searched', async () => {
    const answer = await search(contextWith([1], DAMAGE, ['fetch']), { fields: ['t1'] });
    expect(answer).toMatchObject({ partial: true, shards_scanned: SHARDS - 1 });
    expect(answer.total).toBe(corpus.live.length);
    for (const { coordinates, fields } of answer.hits) {
      const lost = shardOf(coordinates.identifier[0].value) === 1;
      expect(fields === undefined).toBe(lost);
    }
  });

  test('throws the error of a shard when all of them fail', async () => {
    await expect(search(contextWith([0, 1, 2, 3, 4]), {})).rejects.toBe(DAMAGE);
  });

  test.each(['limit_exceeded', 'invalid_argument', 'interrupted'] as const)(
    'throws %s of one shard, which refuses the request itself',
    async (code) => {
      const refusal = new LhsError(code, 'no');
      await expect(search(contextWith([3], refusal), {})).rejects.toBe(refusal);
    },
  );
});

describe('a search of joined shards', () => {
  /** The corpus with some shards broken; a search of all shards at once throws the error. */
  function joinedWith(failed: readonly number[], error: Error): SearchContext {
    const joined = joinShards(corpus.snapshot, MAPPING)!;
    const whole = broken(joined.whole, error);
    return { ...contextWith(failed, error), joined: { ...joined, whole } };
  }

  test('has the hits of the other shards when one fails', async () => {
    const answer = await search(joinedWith([2], DAMAGE), {});
    const total = outside([2]).length;
    expect(answer).toMatchObject({ partial: true, shards_scanned: SHARDS - 1, total });
    expect(await keysOf(search(joinedWith([2], DAMAGE), {}))).toEqual(outside([2]).sort());
  });

  test('asks no shard apart when none fails', async () => {
    const joined = joinShards(corpus.snapshot, MAPPING)!;
    const apart = contextWith([0, 1, 2, 3, 4], DAMAGE, ['search']);
    const answer = await search({ ...apart, joined }, { fields: ['t1'] });
    expect(answer).toMatchObject({ shards_scanned: SHARDS, total: corpus.live.length });
    expect(answer).not.toHaveProperty('partial');
    const wanted = await search(contextWith([]), { fields: ['t1'] });
    expect(answer.hits).toEqual(wanted.hits);
  });

  test('throws what refuses the request', async () => {
    const refusal = new LhsError('limit_exceeded', 'no');
    await expect(search(joinedWith([], refusal), {})).rejects.toBe(refusal);
  });
});

describe('other reads of shards of which some fail', () => {
  test('count the failed ones', async () => {
    const failed = [1, 4];
    const context = contextWith(failed);
    const aggs = { n: { stats: { field: 'n1' } } };
    const total = outside(failed).length;
    const aggregated = await aggregateIndex(context, checkAggregateRequest({ aggs }));
    expect(aggregated).toMatchObject({ failed_shards: 2, total });
    const facets = await facetIndex(context, checkFacetsRequest({ fields: ['k1'] }));
    expect(facets).toMatchObject({ partial: true, total });
    const suggested = await suggestIndex(context, checkSuggestRequest({ field: 't1', text: 'f' }));
    expect(suggested).toMatchObject({ failed_shards: 2 });
  });

  test('explain a key of a shard that answers, and no key of a failed one', async () => {
    const failed = [0, 2];
    const explain = (key: string) => {
      const coordinates = { identifier: [{ name: 'id', value: key }] };
      return explainKey(contextWith(failed), checkExplainRequest({ query: '*:*', coordinates }));
    };
    const [key] = outside(failed);
    const shards = { shards_scanned: SHARDS - 2, shards_total: SHARDS };
    expect(await explain(key)).toMatchObject({ found: true, matched: true, ...shards });
    const lost = corpus.live.map((doc) => doc.key).find((one) => failed.includes(shardOf(one)));
    await expect(explain(lost as string)).rejects.toBe(DAMAGE);
  });
});
