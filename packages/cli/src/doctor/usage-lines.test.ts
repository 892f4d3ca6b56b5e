import { describe, expect, it } from 'vitest';
import { readPrices, usageLines } from './usage-lines.ts';

const bytes = { postings: 3_000_000, columns: 0, stored: 1000, vectors: 0, keys: 500 };

describe('the lines of what an index takes', () => {
  it('name kinds that are there, and costs by the prices', () => {
    const usage = {
      ...{ bytes, objects: { count: 3, bytes: 2e9 } },
      reads: { requests: 14, bytes: 1_200_000 },
    };
    expect(usageLines(usage, readPrices('0.02, 0.4'), 1e7)).toEqual([
      'postings 3.0 MB, stored 1.0 kB, keys 500 B',
      '3 objects in the store, 2.00 GB: $0.040 a month',
      'a billion rows like these: 200.00 GB, in a store $4.00 a month',
      'the last process that read it fetched 14 requests, 1.2 MB: $5.60 for a million of them',
    ]);
  });

  it('have no costs without a store, and two digits of small ones', () => {
    expect(usageLines({ bytes }, readPrices(), 0)).toHaveLength(1);
    const objects = { count: 1, bytes: 1_100_000 };
    expect(usageLines({ bytes, objects }, readPrices(), 0)[1]).toContain('$0.000025 a month');
    expect(usageLines({ bytes, objects }, readPrices('0,0'), 0)[1]).toContain('$0.00 a month');
  });

  it.each(['x', '1', '1,2,3', '-1,2'])('refuse prices that are no two numbers: %s', (text) => {
    expect(() => readPrices(text)).toThrow(/not two numbers/);
  });
});
