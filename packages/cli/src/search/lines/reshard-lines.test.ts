import type { ReshardPlan } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { reshardLines } from './reshard-lines.ts';

const plan = (own: Partial<ReshardPlan>): ReshardPlan => ({
  ...{ index: 'a', former_shards: 1, shards: 2, buckets: [512, 512], generation: 3 },
  moves: [{ bucket: 512, from: 0, to: 1 }],
  ...{ docs_moved: 1200, bytes_moved: 2048, applied: false },
  ...own,
});

describe('lines of a reshard', () => {
  it('name the buckets that move and what that costs', () => {
    expect(reshardLines(plan({}))).toEqual([
      'a  1 to 2 shards · 1 of 1,024 buckets to move · about 1,200 documents, 2.0 kB',
      'buckets by shard: 512, 512',
    ]);
    expect(reshardLines(plan({ applied: true, docs_moved: null }))[0]).toBe(
      'a  1 to 2 shards · 1 of 1,024 buckets moved · the index is not built yet',
    );
  });

  it('say that nothing moves', () => {
    const none = plan({ former_shards: 2, moves: [] });
    expect(reshardLines(none)).toEqual(['a  2 shards: nothing to move']);
  });
});
