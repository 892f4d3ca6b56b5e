import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANALYZER_CATALOG } from '../../analysis/registry.ts';
import { parseDefinition, requireDefinition } from '../parse/parse-definition.ts';
import { mapOfTable, shardTable, storedMap, tableOfMap } from './bucket-map.ts';
import { balancedTable, bucketCounts, movesBetween } from './bucket-plan.ts';
import { KEY_BUCKETS } from './key-buckets.ts';
import { carrySharding, withBucketIn, withSharding } from './with-sharding.ts';

const shardCount = fc.integer({ min: 1, max: 64 });
/** A table of shards that all have buckets, in no order. */
const spread = shardCount.chain((shards) =>
  fc.tuple(
    fc.constant(shards),
    fc.array(fc.nat(shards - 1), { minLength: KEY_BUCKETS, maxLength: KEY_BUCKETS }).map((all) => {
      for (let shard = 0; shard < shards; shard++) all[7 * shard] = shard;
      return Uint16Array.from(all);
    }),
  ),
);

describe('a map of buckets', () => {
  test('has the shard of every bucket, and none if it says what equal ranges say', () => {
    fc.assert(
      fc.property(spread, ([shards, table]) => {
        expect(tableOfMap(mapOfTable(table, shards))).toEqual(table);
        const map = storedMap(table, shards);
        expect([...shardTable({ shards, map })]).toEqual([...table]);
      }),
      { numRuns: 30 },
    );
    expect(storedMap(shardTable({ shards: 5 }), 5)).toBeUndefined();
    expect(mapOfTable(shardTable({ shards: 3 }), 3)).toEqual(['0-341', '342-682', '683-1023']);
  });

  test.each([
    [['0-500', '500-1023'], 'bucket 500 is listed twice'],
    [['0-500', '502-1023'], 'bucket 501 has no shard'],
    [['0-500', '501-1024'], '"501-1024" is no range of buckets (0-1023)'],
    [['7-3', '501-1023'], '"7-3" is no range of buckets (0-1023)'],
    [['all', ''], '"all" is no range of buckets (0-1023)'],
  ])('%j is refused', (map, message) => {
    expect(tableOfMap(map)).toBe(message);
  });
});

describe('a plan for another number of shards', () => {
  test('moves no more buckets than it must, and all shards get as many', () => {
    fc.assert(
      fc.property(spread, shardCount, ([former, table], shards) => {
        const next = balancedTable(table, shards);
        const counts = bucketCounts(next, shards);
        const [least, most] = [Math.min(...counts), Math.max(...counts)];
        expect(most - least).toBeLessThanOrEqual(1);
        // Brute force: the largest former shards keep one more, nothing else stays.
        const sizes = bucketCounts(table, former)
          .slice(0, shards)
          .sort((a, b) => b - a);
        const keep = sizes.map((size, i) =>
          Math.min(size, Math.floor(KEY_BUCKETS / shards) + (i < KEY_BUCKETS % shards ? 1 : 0)),
        );
        const moved = KEY_BUCKETS - keep.reduce((sum, one) => sum + one, 0);
        expect(movesBetween(table, next).length).toBe(moved);
        expect(balancedTable(table, shards)).toEqual(next);
      }),
      { numRuns: 60 },
    );
  });

  test('of one shard is equal ranges, and back again', () => {
    for (let shards = 1; shards <= 64; shards++) {
      const next = balancedTable(shardTable({}), shards);
      expect(storedMap(next, shards)).toBeUndefined();
      expect(storedMap(balancedTable(next, 1), 1)).toBeUndefined();
    }
  });
});

describe('a definition', () => {
  const text = (more: string) =>
    `version: 1
index: a
source: { path: /lake/a }
fields: [ { name: id, type: LONG } ]
${more}`;
  const parse = (yaml: string) => requireDefinition(yaml, ANALYZER_CATALOG);
  const first = (more: string) => parseDefinition(text(more), ANALYZER_CATALOG).issues[0]?.message;
  const moved = withBucketIn({ shards: 3 }, 5, 2);

  test('keeps its map through text, and loses it by a map of equal ranges', () => {
    const own = parse(withSharding(text('# a comment\n'), 3, moved));
    expect(own).toMatchObject({ shards: 3, map: ['0-4,6-341', '342-682', '5,683-1023'] });
    expect(own.text).toContain('# a comment');
    expect(parse(withSharding(own.text, 3, shardTable({ shards: 3 })))).not.toHaveProperty('map');
    expect(parse(withSharding(own.text, 1, shardTable({})))).not.toHaveProperty('shards');
  });

  test('of a map must name every shard once', () => {
    expect(first('sharding: { shards: 3, map: ["0-1023"] }')).toBe(
      'sharding.map has 1 shards, sharding.shards is 3',
    );
    expect(first('sharding: { shards: 2, map: ["0-9", "11-1023"] }')).toBe(
      'sharding.map: bucket 10 has no shard',
    );
    expect(first('sharding: { shards: 2, map: [0, "1-1023"] }')).toContain('sharding.map[0]');
  });

  test('that says nothing about buckets keeps those in force', () => {
    const now = parse(withSharding(text(''), 3, moved));
    const carried = (more: string) => {
      const next = parse(text(more));
      return parse(carrySharding(next.text, next, now)).map;
    };
    expect(carried('sharding: { shards: 3 }')).toEqual(now.map);
    expect(carried('sharding: { shards: 3, map: ["0-341", "342-682", "683-1023"] }')).toBe(
      undefined,
    );
    expect(carried('sharding: { shards: 3, only: [1] }')).toBeUndefined();
    const four = balancedTable(moved, 4);
    expect(carried('sharding: { shards: 4 }')).toEqual(mapOfTable(four, 4));
    expect(carried('')).toBeUndefined();
  });

  test('refuses a shard that is not there, and a shard without buckets', () => {
    expect(() => withBucketIn({ shards: 3 }, 5, 3)).toThrow('the index has shards 0 to 2');
    const alone = ['0', '1-1023'];
    expect(() => withBucketIn({ shards: 2, map: alone }, 0, 1)).toThrow('last one of shard 0');
  });
});
