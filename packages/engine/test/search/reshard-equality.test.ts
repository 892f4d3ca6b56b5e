// @module-tag campaign
/**
 * Answers stay the same when an index gets other shards, before and after merges give each shard
 * segments of its own: random requests of every kind over random corpora that go from one shard to
 * three, two and seven. LHS_SHARD_CASES sets the number of requests (100; campaigns: 1,200),
 * LHS_SEED the seed.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import {
  buildCorpus,
  type Corpus,
  corpusPlan,
  MAPPING,
  WINDOWED,
  WINDOWS,
} from '../../../../test/support/oracle/corpus.ts';
import { addressOf } from '../../../../test/support/oracle/model.ts';
import { searchContext } from '../../../../test/support/search-context.ts';
import { runSteps } from '../../src/base/steps.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { resharding } from '../../src/index/commits/reshard-segments.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { IndexWriter } from '../../src/index/index-writer.ts';
import { storedPlans } from '../../src/index/merges/stored-plans.ts';
import type { Mapping } from '../../src/schema/mapping.ts';
import { shardTable, storedMap } from '../../src/schema/sharding/bucket-map.ts';
import { balancedTable } from '../../src/schema/sharding/bucket-plan.ts';
import { answerBytes, shardOver } from '../../src/shard/bytes.ts';
import { joinShards } from '../../src/shard/joined-shards.ts';
import { localShards } from '../../src/shard/local-shard.ts';
import { asks, expectSame, outcome } from './random-requests.ts';

const CASES = Number(process.env.LHS_SHARD_CASES ?? byEffort(100, 1200, 40_000));
const SEED = Number(process.env.LHS_SEED ?? 20_261_129);
const CASES_A_CORPUS = 100;

/** Gives the index of a corpus other shards: as few buckets as possible move. */
function reshard({ directory }: Corpus, shards: number): void {
  const commit = readCommit(directory)!;
  const table = balancedTable(shardTable({ ...commit, map: commit.shard_map }), shards);
  const spread = { shards, map: storedMap(table, shards) };
  const next = runSteps(resharding(directory, commit, spread));
  writeCommit(directory, { ...next, number: commit.number + 1 });
}

/** Merges what several shards have; with `force` all segments of each. */
function merge({ directory }: Corpus, force: boolean): void {
  const commit = readCommit(directory)!;
  const writer = IndexWriter.open(directory, storedPlans(commit));
  if (force) writer.merges.runForced(1);
  else writer.merges.run();
  writer.commit(commit);
  writer.close();
  const shared = readCommit(directory)!.segments.filter(({ parts }) => parts !== undefined);
  expect(shared).toEqual([]);
}

const contextsOf = (snapshot: IndexSnapshot, of: Mapping) => {
  const { shards: count, shard_map: map } = snapshot.commit;
  const definition = { ...of.definition, shards: count, map };
  const mapping = { ...of, definition };
  const shards = localShards(snapshot, mapping).map((shard) =>
    shardOver((name, bytes, signal) => answerBytes(shard, name, bytes, signal)),
  );
  return {
    apart: searchContext(mapping, snapshot, { shards }),
    joined: searchContext(mapping, snapshot, { joined: joinShards(snapshot, mapping) }),
  };
};

describe.each([
  ['', MAPPING, null],
  [' with windows', WINDOWED, WINDOWS],
])('the answers of an index%s', (_, mapping, windows) => {
  test(`stay through reshards in ${CASES} requests (seed ${SEED})`, async () => {
    const plans = fc.sample(corpusPlan(addressOf), {
      seed: SEED,
      numRuns: Math.ceil(CASES / CASES_A_CORPUS),
    });
    for (const [i, plan] of plans.entries()) {
      const one = buildCorpus(plan, 1, windows);
      const own = buildCorpus(plan, 1, windows);
      const snapshots: (readonly [string, IndexSnapshot])[] = [];
      for (const shards of [3, 2, 7]) {
        reshard(own, shards);
        snapshots.push([`${shards} shards`, openSnapshot(own.directory)]);
      }
      for (const [, snapshot] of snapshots) {
        expect(checkIndex(snapshot)).toEqual([]);
        const { liveDocs, deletedDocs } = snapshot;
        expect({ liveDocs, deletedDocs }).toEqual({
          ...{ liveDocs: one.snapshot.liveDocs, deletedDocs: one.snapshot.deletedDocs },
        });
      }
      const whole = searchContext(mapping, one.snapshot);
      const all = snapshots.map(
        ([name, snapshot]) => [name, contextsOf(snapshot, mapping)] as const,
      );
      const property = fc.asyncProperty(asks, async (asked) => {
        const wanted = await outcome(asked, whole);
        for (const [name, { apart, joined }] of all) {
          expectSame(await outcome(asked, apart), wanted, name);
          expectSame(await outcome(asked, joined), wanted, `${name}, joined`);
        }
      });
      const numRuns = Math.min(CASES_A_CORPUS, CASES - i * CASES_A_CORPUS);
      await fc.assert(property, { seed: SEED + i, numRuns });
      await expectMerged(own, one, mapping, SEED + i);
      for (const [, snapshot] of snapshots) snapshot.release();
      one.snapshot.release();
      own.snapshot.release();
    }
  });
});

/** After merges, too: the deleted documents are gone from both. */
async function expectMerged(own: Corpus, one: Corpus, mapping: Mapping, seed: number) {
  merge(own, false);
  expect(checkIndex(openSnapshot(own.directory))).toEqual([]);
  merge(own, true);
  merge(one, true);
  const [right, merged] = [openSnapshot(one.directory), openSnapshot(own.directory)];
  expect(checkIndex(merged)).toEqual([]);
  const whole = searchContext(mapping, right);
  const { apart, joined } = contextsOf(merged, mapping);
  const property = fc.asyncProperty(asks, async (asked) => {
    const wanted = await outcome(asked, whole);
    expectSame(await outcome(asked, apart), wanted, 'merged');
    expectSame(await outcome(asked, joined), wanted, 'merged, joined');
  });
  await fc.assert(property, { seed, numRuns: 20 });
  right.release();
  merged.release();
}
