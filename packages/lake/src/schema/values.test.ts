import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDate, formatTimestamp, parseDate, parseTimestamp } from './civil-time.ts';
import { compareText, compareValues } from './compare.ts';
import { bigintFromBytes, bigintToBytes, formatDecimal, parseDecimal } from './decimal.ts';
import { decodeSingleValue, encodeSingleValue } from './single-value.ts';
import { MapValue, type Type, type Value, VariantValue } from './type.ts';
import { valueToJson } from './value-json.ts';

const seed = { seed: 20_260_711, numRuns: 500 };

describe('text of dates and timestamps', () => {
  it('agree with Date over its whole range, and come back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50_000_000, max: 50_000_000 }), (days) => {
        const text = formatDate(days);
        expect(text).toBe(new Date(days * 86_400_000).toISOString().split('T')[0]);
        expect(parseDate(text)).toBe(days);
      }),
      seed,
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 61n), max: 2n ** 61n }), (ticks) => {
        for (const digits of [6, 9] as const) {
          const text = formatTimestamp(ticks, digits, true);
          expect(parseTimestamp(text, digits)).toBe(ticks);
        }
      }),
      seed,
    );
  });

  it('read zones and refuse what is no date', () => {
    expect(parseTimestamp('1970-01-01T01:00:00+01:00', 6)).toBe(0n);
    expect(parseTimestamp('1969-12-31 23:59:59.999999', 6)).toBe(-1n);
    expect(formatTimestamp(-1n, 6, false)).toBe('1969-12-31T23:59:59.999999');
    for (const text of ['2023-02-29', '2023-13-01', '2023-1-1', 'x']) {
      expect(parseDate(text)).toBeNull();
    }
    expect(parseTimestamp('2023-01-01T24:00:00', 6)).toBeNull();
  });
});

describe('text of decimals', () => {
  it('come back from text and from bytes', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }),
        fc.integer({ min: 0, max: 38 }),
        (unscaled, scale) => {
          expect(parseDecimal(formatDecimal(unscaled, scale), scale)).toBe(unscaled);
          expect(bigintFromBytes(bigintToBytes(unscaled))).toBe(unscaled);
        },
      ),
      seed,
    );
    expect(formatDecimal(-5n, 2)).toBe('-0.05');
    expect(parseDecimal('1.005', 2)).toBeNull();
    expect(parseDecimal('1e3', 0)).toBe(1000n);
    expect([...bigintToBytes(128n)]).toEqual([0, 128]);
    expect([...bigintToBytes(-128n)]).toEqual([128]);
  });
});

describe('single values as bytes', () => {
  const cases: readonly (readonly [Type, Value, string])[] = [
    [{ kind: 'boolean' }, true, '01'],
    [{ kind: 'int' }, -2, 'feffffff'],
    [{ kind: 'long' }, 1n, '0100000000000000'],
    [{ kind: 'float' }, 1.5, '0000c03f'],
    [{ kind: 'double' }, -2, '00000000000000c0'],
    [{ kind: 'date' }, 1, '01000000'],
    [{ kind: 'timestamptz' }, -1n, 'ffffffffffffffff'],
    [{ kind: 'string' }, 'aé', '61c3a9'],
    [{ kind: 'uuid' }, 'f79c3e09-677c-4bbd-a479-3f349cb785e7', 'f79c3e09677c4bbda4793f349cb785e7'],
    [{ kind: 'decimal', precision: 9, scale: 2 }, 1420n, '058c'],
  ];
  it.each(cases)('of %o %s are the bytes of the specification', (type, value, hex) => {
    const bytes = encodeSingleValue(type, value)!;
    expect(Buffer.from(bytes).toString('hex')).toBe(hex);
    expect(decodeSingleValue(type, bytes)).toEqual(value);
  });

  it('are read through promotions, and ignored where they cannot be values', () => {
    const int = encodeSingleValue({ kind: 'int' }, -7)!;
    expect(decodeSingleValue({ kind: 'long' }, int)).toBe(-7n);
    expect(decodeSingleValue({ kind: 'timestamp' }, int)).toBe(-7n * 86_400_000_000n);
    const float = encodeSingleValue({ kind: 'float' }, 0.1)!;
    expect(decodeSingleValue({ kind: 'double' }, float)).toBe(Math.fround(0.1));
    expect(decodeSingleValue({ kind: 'int' }, new Uint8Array(3))).toBeUndefined();
    expect(decodeSingleValue({ kind: 'string' }, new Uint8Array([0x61, 0xc3]))).toBeUndefined();
  });
});

describe('order', () => {
  it('of text is that of its UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareText(a, b))).toBe(bytes);
      }),
      seed,
    );
  });

  it('puts null first and NaN last, and does not tell the zeros apart', () => {
    const sorted = [Number.NaN, 1, null, Number.NEGATIVE_INFINITY].sort(compareValues);
    expect(sorted).toEqual([null, Number.NEGATIVE_INFINITY, 1, Number.NaN]);
    expect(compareValues(-0, 0)).toBe(0);
    expect(compareValues(new Uint8Array([255]), new Uint8Array([1, 2]))).toBeGreaterThan(0);
  });
});

describe('valueToJson', () => {
  const variant = new VariantValue({
    kind: 'object',
    fields: new Map([
      ['b', { kind: 'decimal', unscaled: 125n, scale: 1 }],
      ['a', { kind: 'array', elements: [{ kind: 'null' }, { kind: 'int64', value: 2n ** 60n }] }],
      ['c', { kind: 'decimal', unscaled: 1234567890123456n, scale: 2 }],
    ]),
  });
  const list: Type = {
    kind: 'list',
    elementId: 2,
    elementRequired: false,
    element: { kind: 'float' },
  };
  const map: Type = {
    kind: 'map',
    keyId: 3,
    key: { kind: 'int' },
    valueId: 4,
    valueRequired: false,
    value: { kind: 'string' },
  };
  it.each([
    [{ kind: 'long' }, 9007199254740991n, 9007199254740991],
    [{ kind: 'long' }, -9007199254740992n, '-9007199254740992'],
    [{ kind: 'decimal', precision: 9, scale: 2 }, 1990n, '19.90'],
    [{ kind: 'timestamptz' }, 1n, '1970-01-01T00:00:00.000001Z'],
    [{ kind: 'timestamp_ns' }, 1n, '1970-01-01T00:00:00.000000001'],
    [{ kind: 'time' }, 86_399_999_999n, '23:59:59.999999'],
    [{ kind: 'date' }, -719_528, '0000-01-01'],
    [{ kind: 'binary' }, new Uint8Array([1, 255]), 'Af8='],
    [list, [Number.NaN, Number.POSITIVE_INFINITY, null], ['NaN', 'Infinity', null]],
    [
      map,
      new MapValue([
        [2, 'b'],
        [1, null],
      ]),
      [
        { key: 2, value: 'b' },
        { key: 1, value: null },
      ],
    ],
    [
      { kind: 'variant' },
      variant,
      { a: [null, '1152921504606846976'], b: 12.5, c: '12345678901234.56' },
    ],
    [{ kind: 'string' }, null, null],
  ] as readonly (readonly [Type, Value, unknown])[])('of %o', (type, value, expected) => {
    expect(valueToJson(type, value)).toEqual(expected);
  });
});
