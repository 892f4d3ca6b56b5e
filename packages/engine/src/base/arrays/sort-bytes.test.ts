import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sortByteStrings } from './sort-bytes.ts';

describe('sortBytes', () => {
  test('sorts byte strings as Buffer.compare does, equal ones by number', () => {
    const letters = fc
      .uint8Array({ maxLength: 9 })
      .map((bytes) => bytes.map((b) => (b < 200 ? b & 1 : b)));
    const shared = letters.map((bytes) => Uint8Array.of(9, 9, 9, 9, 9, 9, 9, ...bytes));
    fc.assert(
      fc.property(fc.array(fc.oneof(letters, shared), { maxLength: 300 }), (strings) => {
        const offsets = Int32Array.from([0, ...strings.map((s) => s.length)]);
        for (let i = 1; i < offsets.length; i++) offsets[i] += offsets[i - 1];
        const ids = Int32Array.from(strings, (_, i) => i);
        sortByteStrings(ids, Buffer.concat(strings), offsets);
        const expected = strings.map((_, i) => i);
        expected.sort((a, b) => Buffer.compare(strings[a], strings[b]) || a - b);
        expect([...ids]).toEqual(expected);
      }),
      { seed: 20_260_302, numRuns: 300 },
    );
  });
});
