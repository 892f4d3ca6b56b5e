import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesView } from '../../base/bytes/two-lane-hash.ts';
import { shardTable } from './bucket-map.ts';
import {
  bucketOfHash,
  bucketOfKey,
  hashKey,
  KEY_BUCKETS,
  shardOfBucket,
  shardOfKey,
} from './key-buckets.ts';

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

describe('the bucket of a key', () => {
  test.each([
    ['', 374],
    ['31', 382],
    ['676974000131613365', 331],
    ['deadbeef', 265],
    ['00112233445566778899aabbccddeeff', 953],
    ['f6023432', 411],
  ])('of the bytes "%s" is %i, as docs/format.md lists it', (key, bucket) => {
    expect(bucketOfKey(hex(key), 0, key.length / 2)).toBe(bucket);
  });

  test('is the low ten bits of the key hash that the content digest uses', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(5), (key, before) => {
        const bytes = new Uint8Array([...new Uint8Array(before), ...key, 7]);
        const hash = new Int32Array(2);
        hashKey(bytesView(bytes), before, before + key.length, hash, 0);
        const bucket = bucketOfKey(bytes, before, before + key.length);
        expect(bucket).toBe(bucketOfHash(hash[0]));
        expect(bucket).toBeLessThan(KEY_BUCKETS);
      }),
    );
  });
});

describe('the shard of a bucket', () => {
  test.each([1, 2, 3, 7, 64])('with %i shards is a range of buckets of even length', (shards) => {
    const all = Array.from({ length: KEY_BUCKETS }, (_, bucket) => shardOfBucket(bucket, shards));
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    const sizes = Array.from({ length: shards }, (_, s) => all.filter((x) => x === s).length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
  });

  test('holds about as many keys as each other one', () => {
    const three = shardTable({ shards: 3 });
    const counts = [0, 0, 0];
    for (let i = 0; i < 30_000; i++) counts[shardOfKey(Buffer.from(`key ${i}`), three)]++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
  });
});
