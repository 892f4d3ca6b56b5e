// @module-tag campaign
/**
 * Answers do not depend on the number of shards: random requests of every kind over random corpora
 * in 1, 2, 3 and 7 shards, whose requests and answers pass through bytes, or which are searched as
 * one. LHS_SHARD_CASES sets the number of requests (100; campaigns: 1,200), LHS_SEED the
 * seed.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  type CorpusPlan,
  corpusPlan,
  MAPPING,
  versionsOf,
} from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import type { SearchContext } from '../../src/search/context.ts';
import { answerBytes, shardOver } from '../../src/shard/bytes.ts';
import { joinShards } from '../../src/shard/joined-shards.ts';
import { localShards } from '../../src/shard/local-shard.ts';
import { asks, expectSame, outcome } from './random-requests.ts';

const CASES = Number(process.env.LHS_SHARD_CASES ?? byEffort(100, 1200, 40_000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_121);
const CASES_A_CORPUS = 100;
const SHARDS = [2, 3, 7];

/**
 * The plan's index in 1, 2, 3 and 7 shards. Statistics count deleted documents until a merge or an
 * empty segment drops them, which happens at other times in other shards: where the indexes hold
 * other deleted documents, all of them are merged away.
 */
function buildAll(plan: CorpusPlan): readonly Corpus[] {
  const steps = plan.steps.filter((step) => step.do !== 'merge' && step.do !== 'force');
  const build = (own: CorpusPlan) => [1, ...SHARDS].map((shards) => buildCorpus(own, shards));
  const built = build({ ...plan, steps });
  if (new Set(built.map(versionsOf)).size === 1) return built;
  for (const { snapshot } of built) snapshot.release();
  return build({ ...plan, steps: [...steps, { do: 'force' }] });
}

const sharded = (corpus: Corpus): SearchContext => {
  const shards = localShards(corpus.snapshot, MAPPING).map((shard) =>
    shardOver((name, bytes, signal) => answerBytes(shard, name, bytes, signal)),
  );
  return searchContext(MAPPING, corpus.snapshot, { shards });
};

const joined = ({ snapshot }: Corpus): SearchContext =>
  searchContext(MAPPING, snapshot, { joined: joinShards(snapshot, MAPPING) });

describe('the answers of several shards', () => {
  test(`equal those of one in ${CASES} requests (seed ${SEED})`, async () => {
    const corpora = Math.ceil(CASES / CASES_A_CORPUS);
    const plans = fc.sample(corpusPlan(addressOf), { seed: SEED, numRuns: corpora });
    for (const [i, plan] of plans.entries()) {
      const built = buildAll(plan);
      for (const corpus of built) expect(versionsOf(corpus)).toBe(versionsOf(built[0]));
      const [one, ...many] = built;
      const whole = searchContext(MAPPING, one.snapshot);
      const property = fc.asyncProperty(asks, async (asked) => {
        const wanted = await outcome(asked, whole);
        for (const [n, corpus] of many.entries()) {
          expectSame(await outcome(asked, sharded(corpus)), wanted, `${SHARDS[n]} shards`);
          expectSame(await outcome(asked, joined(corpus)), wanted, `${SHARDS[n]} joined shards`);
        }
      });
      const numRuns = Math.min(CASES_A_CORPUS, CASES - i * CASES_A_CORPUS);
      await fc.assert(property, { seed: SEED + i, numRuns });
      for (const { snapshot } of built) snapshot.release();
    }
  });
});
