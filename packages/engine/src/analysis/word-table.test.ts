import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordTable } from './word-table.ts';

describe('WordTable', () => {
  it('returns what its function returns, for colliding and long words too', () => {
    const work = (word: string) =>
      word.length % 5 === 0 ? '' : word.repeat(1 + (word.length % 3));
    const table = new WordTable(work);
    const word = fc.oneof(
      fc.nat(200_000).map((n) => `w${n}`),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 300 }), fc.nat(5), (words, before) => {
        for (const w of words) {
          const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(w)]);
          table.find(bytes, before, bytes.length);
          const found = Buffer.from(table.bytes.subarray(table.from, table.to)).toString();
          expect(found).toBe(work(w));
        }
      }),
      { seed: 20_261_121, numRuns: 300 },
    );
  });
});
