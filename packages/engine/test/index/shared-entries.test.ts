/** Commits with segments that several shards share: what opens, checks and mends them. */
import { describe, expect, it } from 'vitest';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { type IndexSnapshot, openSnapshot } from '../../src/index/index-snapshot.ts';
import { storedPlans } from '../../src/index/merges/stored-plans.ts';
import { bucketOfKey } from '../../src/schema/sharding/key-buckets.ts';
import { encodeBuckets } from '../../src/segment/buckets.ts';
import { type SegmentEntry, writeComponent } from '../../src/segment/entry.ts';
import type { SegmentReader } from '../../src/segment/segment-reader.ts';
import { DriftDoor, toldDocs } from '../verify/plant-drift.ts';
import { sharedIndexes } from './shared-indexes.ts';

const { store, directory, shared, share } = sharedIndexes();

const liveKeys = (segment: SegmentReader): readonly string[] =>
  Array.from({ length: segment.docs }, (_, doc) => doc).flatMap((doc) =>
    segment.isDeleted(doc) ? [] : Buffer.from(segment.keys.key(doc)).toString('hex'),
  );

/** A document of each shard, of a segment that both have, whose buckets no other document has. */
function swappable({ segments, shards }: IndexSnapshot) {
  const bucketOf = (key: string) => bucketOfKey(Buffer.from(key, 'hex'), 0, key.length / 2);
  const buckets = Map.groupBy(segments.flatMap(liveKeys), bucketOf);
  return shards.map(({ segments: own }) => {
    const keys = liveKeys(own.find(({ entry }) => entry.parts !== undefined)!);
    const key = keys.find((each) => buckets.get(bucketOf(each))!.length === 1)!;
    return { key, bucket: bucketOf(key) };
  });
}

/** Entries of a shared segment that say what is not so. */
function wrongBuckets(entry: SegmentEntry): SegmentEntry {
  const parts = encodeBuckets(new Uint16Array(entry.docs));
  const named = { kind: 'buckets', revision: 99 } as const;
  const component = writeComponent(directory(), entry.id, named, parts);
  const components = entry.components.filter(({ kind }) => kind !== 'buckets');
  return { ...entry, components: [...components, component] };
}
const wrongCounts = (entry: SegmentEntry): SegmentEntry => ({
  ...entry,
  parts: entry.parts!.map((part) => ({ ...part, docs: part.docs + 1 })),
});
const wrongShard = ({ parts: _, ...entry }: SegmentEntry): SegmentEntry => ({ ...entry, shard: 1 });

describe('a segment that several shards share', () => {
  it('is seen under the buckets of each commit by who has an earlier one open', async () => {
    const { backend } = store.lake;
    await share();
    const before = openSnapshot(directory());
    const keysOf = ({ shards }: IndexSnapshot) =>
      shards.map(({ segments }) => segments.flatMap(liveKeys).sort());
    const [first, second] = keysOf(before);
    const [out, back] = swappable(before);
    await backend.moveBucket({ index: 't', bucket: out.bucket, shard: 1 });
    await backend.moveBucket({ index: 't', bucket: back.bucket, shard: 0 });
    const after = openSnapshot(directory(), { former: before });
    const swap = (keys: readonly string[], gone: string, come: string) =>
      [...keys.filter((key) => key !== gone), come].sort();
    expect(keysOf(after)).toEqual([
      swap(first, out.key, back.key),
      swap(second, back.key, out.key),
    ]);
    expect(keysOf(before)).toEqual([first, second]);
    for (const snapshot of [before, after]) snapshot.release();
  });

  it.each([
    ['buckets', wrongBuckets, /buckets: document \d+ is in 0, not \d+/],
    ['counts', wrongCounts, /keys: shard 0 lacks 1 of the documents that the commit counts/],
    ['shard', wrongShard, /keys: document \d+ of shard 1 belongs to 0/],
  ])('is found by a verify if its %s is wrong', async (_, change, fault) => {
    const { backend } = store.lake;
    await share();
    const commit = readCommit(directory())!;
    const segments = commit.segments.map((own) => (own.parts === undefined ? own : change(own)));
    writeCommit(directory(), { ...commit, number: commit.number + 1, segments });
    const { equal, faults } = await backend.verify({ index: 't' });
    expect(equal).toBe(false);
    expect(faults.join()).toMatch(fault);
    const damaged = expect.objectContaining({ next: [{ step: 'reindex', index: 't' }] });
    await expect(backend.verify({ index: 't', repair: true })).rejects.toEqual(damaged);
  });

  it('gets documents back that a repair finds missing', async () => {
    const { backend } = store.lake;
    await share();
    const plans = storedPlans(readCommit(directory())!);
    const door = new DriftDoor(directory(), plans, toldDocs(directory()));
    const lost = openSnapshot(directory()).shards.map(
      ({ segments }) => segments.flatMap(liveKeys)[3],
    );
    door.write((writer) => {
      for (const key of lost) door.delete(writer, key);
    });
    expect(shared().length).toBeGreaterThan(0);
    expect(await backend.verify({ index: 't' })).toMatchObject({ missing: 2, faults: [] });
    const { repaired } = await backend.verify({ index: 't', repair: true });
    expect(repaired).toEqual({ added: 2, replaced: 0, deleted: 0 });
    const verified = await backend.verify({ index: 't', deep: true });
    expect(verified).toMatchObject({ equal: true, faults: [] });
  });
});
