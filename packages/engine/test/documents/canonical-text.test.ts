/**
 * Two rooms write the canonical text of a key's value: the engine, which must open an index without
 * the table's code, and the table, whose changes and look-ups go by key. They have to agree.
 */
import type { Type, Value } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../lake/src/scan/canonical-text.ts';
import { columnText, parseColumnText } from '../../src/schema/values/column-text.ts';

const seed = 20_261_121;
const DAY = 86_400_000_000n;
const long = (most = 2n ** 63n): fc.Arbitrary<bigint> => fc.bigInt({ min: -most, max: most - 1n });
const kinds: readonly (readonly [Type, fc.Arbitrary<Value>])[] = [
  [{ kind: 'boolean' }, fc.boolean()],
  [{ kind: 'int' }, fc.integer()],
  [{ kind: 'long' }, long()],
  [{ kind: 'decimal', precision: 38, scale: 0 }, long(10n ** 37n)],
  [{ kind: 'decimal', precision: 38, scale: 9 }, fc.oneof(long(10n ** 37n), long(100n))],
  [{ kind: 'date' }, fc.integer({ min: -2_000_000, max: 4_000_000 })],
  [{ kind: 'time' }, fc.bigInt({ min: 0n, max: DAY - 1n })],
  [{ kind: 'timestamp' }, long()],
  [{ kind: 'timestamptz' }, long()],
  [{ kind: 'timestamp_ns' }, long()],
  [{ kind: 'timestamptz_ns' }, long()],
  [{ kind: 'string' }, fc.string({ unit: 'binary' })],
  [{ kind: 'uuid' }, fc.uuid()],
  [{ kind: 'binary' }, fc.uint8Array({ maxLength: 40 })],
  [{ kind: 'fixed', length: 5 }, fc.uint8Array({ minLength: 5, maxLength: 5 })],
];

describe('the text of a key column', () => {
  test.each(kinds.map(([type, values]) => ({ kind: type.kind, type, values })))(
    'is the same in lake and engine for $kind, and reads back',
    ({ type, values }) => {
      fc.assert(
        fc.property(values, (value) => {
          const text = columnText(type, value);
          expect(canonicalText(type, value)).toBe(text);
          const back = parseColumnText(type, text);
          if (value instanceof Uint8Array)
            expect(Buffer.from(back as Uint8Array).equals(value)).toBe(true);
          else expect(back).toBe(value);
        }),
        { seed, numRuns: 300 },
      );
    },
  );
});
