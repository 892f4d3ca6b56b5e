// @module-tag campaign
/**
 * Answers do not depend on windows: random requests of every kind over random corpora with and
 * without windows, in 1 and 3 shards. Updates move documents between windows. LHS_WINDOW_CASES sets
 * the number of requests, LHS_SEED the seed.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  type CorpusPlan,
  corpusPlan,
  MAPPING,
  MICROS,
  versionsOf,
  WINDOWED,
  WINDOWS,
} from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { storing } from '../../../../test/support/stored-files.ts';
import { fetchColdBlocks } from '../../src/home/windows/fetch-blocks.ts';
import { coolSegments } from '../../src/home/windows/move-window.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { type ColdForm, WINDOW_FORM } from '../../src/segment/cool.ts';
import { coldCacheFigures, evictColdBytes, useColdStore } from '../../src/storage/cold-cache.ts';
import { FRAME_HEADER_BYTES } from '../../src/storage/frame.ts';
import { checkHere } from '../../src/verify/structures.ts';
import { type Ask, asks, expectSame, outcome } from './random-requests.ts';

const CASES = Number(process.env.LHS_WINDOW_CASES ?? byEffort(150, 1000, 20_000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_122);
const CASES_A_CORPUS = 100;
const SHARDS = [1, 3];

const bound = fc.option(fc.constantFrom(...MICROS.map(String), '1999-12-31', '2020-01-02'), {
  nil: undefined,
});
/** Ranges of the window field: most of them exclude some windows. */
const range = fc
  .record({ gte: bound, lt: bound })
  .filter(({ gte, lt }) => gte !== undefined || lt !== undefined)
  .map((bounds) => ({ range: { field: 'at', ...bounds } }));

/** Requests of which half are limited to a range of the window field. */
const ranged = fc
  .record({ asked: asks, range: fc.option(range), inside: fc.boolean() })
  .map(({ asked, range: wanted, inside }): Ask => {
    const { kind, request } = asked;
    if (wanted === null || kind === 'suggest' || kind === 'clauses') return asked;
    const { ast } = request as { ast?: object };
    const must = ast === undefined ? [wanted] : [wanted, ast];
    if (inside || kind === 'facets')
      return { kind, request: { ...request, ast: { bool: { must } } } };
    return { kind, request: { ...request, filter: wanted } };
  });

/**
 * The plan's index without windows, then with windows by number of shards. Where they contain other
 * deleted documents, which statistics count, all of them are merged away.
 */
function buildAll(plan: CorpusPlan): readonly Corpus[] {
  const steps = plan.steps.filter((step) => step.do !== 'merge' && step.do !== 'force');
  const build = (own: CorpusPlan) => [
    buildCorpus(own),
    ...SHARDS.map((shards) => buildCorpus(own, shards, WINDOWS)),
  ];
  const built = build({ ...plan, steps });
  if (new Set(built.map(versionsOf)).size === 1) return built;
  for (const { snapshot } of built) snapshot.release();
  return build({ ...plan, steps: [...steps, { do: 'force' }] });
}

/** Values of the window field, one or more per window, and a document without a value. */
const PLACES = [[], ...MICROS.map((at) => [at])];
/** Contents that 60 documents in a row take in turns: their number is odd (`buildCorpus`). */
const TURNS = 19;

/** Plans of a seed. The last documents of the first plan are in all windows, whatever the seed. */
function plansOf(seed: number, count: number): readonly CorpusPlan[] {
  const [first, ...others] = fc.sample(corpusPlan(addressOf), { seed, numRuns: count });
  const pool = first!.pool.slice(0, TURNS).map((one, i) => {
    return { ...one, numbers: { ...one.numbers, at: PLACES[i % PLACES.length]! } };
  });
  const steps = [...first!.steps, { do: 'put' as const, from: 0, count: 60 }];
  return [{ pool, steps }, ...others];
}

/** Nothing but deleted documents and headers is local. */
const ALL_COLD: ColdForm = {
  isCold: ({ kind }) => kind !== 'live',
  resident: () => FRAME_HEADER_BYTES,
};

/** The corpus with every second window, or all of them, in a folder of objects; in small blocks. */
async function cooled(corpus: Corpus, place: string, i: number): Promise<IndexSnapshot> {
  const windows = [...new Set(corpus.snapshot.segments.map(({ entry }) => entry.window ?? null))];
  const { directory } = corpus;
  for (const [n, window] of windows.entries()) {
    if (i % 2 === 1 && n % 2 === 1) continue;
    const own = corpus.snapshot.commit.segments.filter(
      (entry) => (entry.window ?? null) === window,
    );
    const blockBytes = [64, 1024, 65_536][i % 3]!;
    const form = n % 3 > 0 ? ALL_COLD : WINDOW_FORM;
    await coolSegments(directory, own, storing(directory, place, blockBytes), form);
  }
  return openSnapshot(corpus.directory);
}

/** So many rounds make the tables of words by which later ones are answered. */
const ROUNDS_WITH_TABLES = 12;
const NEAR_WORDS = ['fod', 'bra', 'xx', 'aaab', 'té'].flatMap((text): readonly Ask[] => [
  { kind: 'suggest', request: { field: 't1', text, fuzzy: true, limit: 10 } },
  { kind: 'search', request: { ast: { fuzzy: { field: 't1', value: text, edits: 1 } } } },
  { kind: 'search', request: { ast: { fuzzy: { field: 't1', value: text, edits: 2 } } } },
]);

describe('the answers of an index with cold windows', () => {
  let place = '';
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'lhs-cold-'));
    process.env.LHS_COLD_CACHE_DIR = join(place, 'cache');
    useColdStore(fetchColdBlocks);
  });
  afterAll(() => {
    delete process.env.LHS_COLD_CACHE_DIR;
    rmSync(place, { recursive: true });
  });

  test(`equal those of one without windows in ${CASES / 2} requests (seed ${SEED})`, async () => {
    const corpora = Math.ceil(CASES / 2 / CASES_A_CORPUS);
    const plans = plansOf(SEED + 1, corpora);
    for (const [i, plan] of plans.entries()) {
      const [one, ...windowed] = buildAll(plan);
      const whole = searchContext(MAPPING, one!.snapshot);
      const cold: IndexSnapshot[] = [];
      for (const [n, corpus] of windowed.entries()) {
        cold.push(await cooled(corpus, join(place, `${i}-${n}`), i));
      }
      for (const snapshot of cold) {
        expect(await checkHere(snapshot, {})).toEqual([]);
      }
      const property = fc.asyncProperty(ranged, fc.boolean(), async (asked, evict) => {
        const wanted = await outcome(asked, whole);
        for (const [n, snapshot] of cold.entries()) {
          const answer = await outcome(asked, searchContext(WINDOWED, snapshot));
          expectSame(answer, wanted, `${SHARDS[n]} shards`);
        }
        if (evict) evictColdBytes(0);
      });
      const numRuns = Math.min(CASES_A_CORPUS, CASES / 2 - i * CASES_A_CORPUS);
      await fc.assert(property, { seed: SEED + i, numRuns });
      for (const snapshot of cold) snapshot.release();
      for (const { snapshot } of [one!, ...windowed]) snapshot.release();
    }
    expect(coldCacheFigures().misses).toBeGreaterThan(1000);
  });

  test('are the same for words near another one, however often they were asked', async () => {
    const [plan] = plansOf(SEED + 1, 1);
    const [one, windowed] = buildAll(plan!);
    const cold = await cooled(windowed!, join(place, 'near'), 0);
    const whole = searchContext(MAPPING, one!.snapshot);
    for (let round = 0; round < ROUNDS_WITH_TABLES; round++) {
      for (const asked of NEAR_WORDS) {
        const wanted = await outcome(asked, whole);
        expectSame(await outcome(asked, searchContext(WINDOWED, cold)), wanted, `round ${round}`);
        evictColdBytes(0);
      }
    }
    for (const snapshot of [cold, one!.snapshot, windowed!.snapshot]) snapshot.release();
  });
});

describe('the answers of an index with windows', () => {
  test(`equal those of one without in ${CASES} requests (seed ${SEED})`, async () => {
    const corpora = Math.ceil(CASES / CASES_A_CORPUS);
    const plans = plansOf(SEED, corpora);
    let windows = 0;
    for (const [i, plan] of plans.entries()) {
      const [one, ...windowed] = buildAll(plan);
      for (const corpus of windowed) {
        const { snapshot } = corpus;
        expect(checkIndex(snapshot)).toEqual([]);
        expect(versionsOf(corpus)).toBe(versionsOf(one!));
        windows = Math.max(windows, new Set(snapshot.segments.map((s) => s.entry.window)).size);
      }
      const whole = searchContext(MAPPING, one!.snapshot);
      const property = fc.asyncProperty(ranged, async (asked) => {
        const wanted = await outcome(asked, whole);
        for (const [n, corpus] of windowed.entries()) {
          const context = searchContext(WINDOWED, corpus.snapshot);
          expectSame(await outcome(asked, context), wanted, `${SHARDS[n]} shards`);
        }
      });
      const numRuns = Math.min(CASES_A_CORPUS, CASES - i * CASES_A_CORPUS);
      await fc.assert(property, { seed: SEED + i, numRuns });
      for (const { snapshot } of [one!, ...windowed]) snapshot.release();
    }
    expect(windows).toBe(4);
  });
});
