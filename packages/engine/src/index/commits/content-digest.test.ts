import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lanesOf as oracleLanes } from '../../../../../test/support/oracle/murmur.ts';
import { bytesView } from '../../base/bytes/two-lane-hash.ts';
import { hashKey } from '../../schema/sharding/key-buckets.ts';
import { DigestBuckets } from './content-digest.ts';

interface Document {
  readonly key: Uint8Array;
  readonly row: bigint;
}
const documents = fc.uniqueArray(
  fc.record({
    key: fc.uint8Array({ minLength: 0, maxLength: 40 }),
    row: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  }),
  { selector: ({ key }) => Buffer.from(key).toString('hex'), maxLength: 60 },
);

const lanesOf = ({ key, row }: Document): [number, number, number, number] => {
  const hash = new Int32Array(2);
  hashKey(bytesView(key), 0, key.length, hash, 0);
  const [low, high] = new Int32Array(BigUint64Array.of(row).buffer);
  return [hash[0], hash[1], low, high];
};
const digestOf = (all: readonly Document[]): DigestBuckets => {
  const buckets = new DigestBuckets();
  for (const document of all) buckets.add(...lanesOf(document));
  return buckets;
};

/** The digest as docs/format.md describes it, by big integers. */
function described(all: readonly Document[]): string {
  const M = 2n ** 32n;
  const sums = Array.from({ length: 1024 }, () => [0n, 0n, 0n]);
  for (const { key, row } of all) {
    const words = Array.from({ length: Math.ceil(key.length / 4) }, (_, i) =>
      [...key.slice(4 * i, 4 * i + 4)].reduce((w, b, at) => w + (BigInt(b) << BigInt(8 * at)), 0n),
    );
    const [low, high] = oracleLanes([BigInt(key.length), ...words], [0x6c686b31n, 0x6b657931n]);
    const element = oracleLanes([low, high, row % M, row / M], [0x6c686431n, 0x64696731n]);
    const bucket = sums[Number(low % 1024n)];
    [1n, ...element].forEach((value, i) => {
      bucket[i] = (bucket[i] + value) % M;
    });
  }
  const bytes = Buffer.alloc(12 * 1024);
  sums.flat().forEach((value, at) => {
    bytes.writeUInt32LE(Number(value), 4 * at);
  });
  return createHash('sha256').update(bytes).digest('hex');
}

describe('the content digest', () => {
  it('follows the format in any order, in parts and after removals', () => {
    fc.assert(
      fc.property(documents, fc.nat(), (all, n) => {
        const digest = digestOf(all);
        expect(digest.hex()).toBe(described(all));
        expect(digest.count).toBe(all.length);
        const at = all.length === 0 ? 0 : n % all.length;
        const parts = digestOf(all.slice(at));
        parts.addAll(digestOf(all.slice(0, at)));
        expect(parts.hex()).toBe(digest.hex());
        expect(parts.differences(digest)).toBe(0);
        const other = { key: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9), row: 5n };
        parts.add(...lanesOf(other));
        expect(parts.differences(digest)).toBe(1);
        parts.remove(...lanesOf(other));
        expect(parts.hex()).toBe(digest.hex());
      }),
      { seed: 20251121, numRuns: 100 },
    );
  });

  it('changes with one row hash, one key or one missing document', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.nat(63), (all, n, bit) => {
        fc.pre(all.length > 0);
        const at = n % all.length;
        const digest = digestOf(all);
        const changed = (document: Document) => all.map((own, i) => (i === at ? document : own));
        const { key, row } = all[at];
        expect(digestOf(changed({ key, row: row ^ (1n << BigInt(bit)) })).hex()).not.toBe(
          digest.hex(),
        );
        const longer = Uint8Array.of(...key, 0);
        expect(digestOf(changed({ key: longer, row })).hex()).not.toBe(digest.hex());
        expect(digestOf(all.filter((_, i) => i !== at)).differences(digest)).toBe(1);
      }),
      { seed: 20251121, numRuns: 100 },
    );
  });

  it('equals the published digests', () => {
    const one = { key: Buffer.from('1'), row: 0xfa9de88ef15ce683n };
    expect(digestOf([]).hex()).toMatchInlineSnapshot(
      `"f3cc103136423a57975750907ebc1d367e2985ac6338976d4d5a439f50323f4a"`,
    );
    expect(digestOf([one]).hex()).toMatchInlineSnapshot(
      `"4e9f93a270938736fc462d6dbba17f762ab84a450099daacbc612c9d4002c353"`,
    );
  });
});
