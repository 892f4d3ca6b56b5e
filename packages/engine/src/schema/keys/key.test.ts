import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  coordinatesOf,
  decodeKey,
  encodeKey,
  formatKey,
  keyOfCoordinates,
  parseKey,
} from './key.ts';

const seed = 20251121;
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('\0', '\u0001', '\xff', ',', '=', '\\', 'a', '\u{1f9ff}') }),
  fc.string({ unit: fc.integer({ min: 0, max: 0x10ffff }).map(planeChar), maxLength: 6 }),
);
function planeChar(point: number): string {
  return point >= 0xd800 && point < 0xe000 ? '\ufffd' : String.fromCodePoint(point);
}
const compareTexts = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('keys of documents', () => {
  it('round-trips every text of every plane', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        expect(decodeKey(encodeKey(texts))).toEqual(texts);
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('sorts as the texts do, column by column', () => {
    const pair = fc.integer({ min: 1, max: 3 }).chain((n) => {
      const texts = fc.array(text, { minLength: n, maxLength: n });
      return fc.tuple(texts, texts);
    });
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const byColumn = a.map((value, i) => compareTexts(value, b[i])).find((c) => c !== 0) ?? 0;
        expect(Math.sign(Buffer.compare(encodeKey(a), encodeKey(b)))).toBe(Math.sign(byColumn));
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('sorts the numbers of a column by value, and texts beside them as texts', () => {
    const integer = fc.oneof(fc.integer(), fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n }));
    const whole = fc.tuple(integer, fc.constantFrom('a', 'b', '10', '9'));
    fc.assert(
      fc.property(whole, whole, ([a, x], [b, y]) => {
        const [left, right] = [encodeKey([String(a), x], [0]), encodeKey([String(b), y], [0])];
        expect(decodeKey(left)).toEqual([String(a), x]);
        const order = a === b || BigInt(a) === BigInt(b) ? compareTexts(x, y) : a < b ? -1 : 1;
        expect(Math.sign(Buffer.compare(left, right))).toBe(Math.sign(order));
      }),
      { seed, numRuns: 3000 },
    );
  });

  it('sorts decimals of one scale by value', () => {
    const cents = fc.integer({ min: -100_000, max: 100_000 });
    const written = (value: number) => (value / 100).toFixed(2).replace('-0.00', '0.00');
    fc.assert(
      fc.property(cents, cents, (a, b) => {
        const [left, right] = [encodeKey([written(a)], [0]), encodeKey([written(b)], [0])];
        expect(decodeKey(left)).toEqual([written(a)]);
        expect(Math.sign(Buffer.compare(left, right))).toBe(Math.sign(a - b));
      }),
      { seed, numRuns: 1000 },
    );
  });

  it('keeps a text of a number column that is no number', () => {
    for (const text of ['', 'abc', '1e3', '--1', '1.', '007', '-0']) {
      expect(decodeKey(encodeKey([text], [0]))).toEqual([text]);
    }
    expect(Buffer.from(encodeKey(['-42'], [0])).toString('hex')).toBe('f5fd3537');
    expect(Buffer.from(encodeKey(['42'], [0])).toString('hex')).toBe('f6023432');
    expect(() => decodeKey(Uint8Array.of(0xf6, 3, 0x31))).toThrow('not in sorting form');
  });

  it('round-trips the command line form', () => {
    const spec = { partition: ['re,po'], identifier: ['s=ha', '\\'] };
    fc.assert(
      fc.property(fc.tuple(text, text, text), (texts) => {
        const coordinates = coordinatesOf(spec, encodeKey(texts));
        const parsed = parseKey(formatKey(coordinates), spec);
        expect(parsed).toEqual(coordinates);
        expect(decodeKey(keyOfCoordinates(spec, parsed))).toEqual(texts);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('writes what the documents show', () => {
    const spec = { partition: ['repo'], identifier: ['sha'] };
    const key = parseKey('sha=1a3e,repo=git', spec);
    expect(key).toEqual({
      partition: [{ name: 'repo', value: 'git' }],
      identifier: [{ name: 'sha', value: '1a3e' }],
    });
    expect(formatKey(key)).toBe('repo=git,sha=1a3e');
    expect(parseKey('7', { partition: [], identifier: ['id'] })).toEqual({
      identifier: [{ name: 'id', value: '7' }],
    });
    expect(Buffer.from(encodeKey(['a\0', 'b'])).toString('hex')).toBe('6100ff000162');
  });

  it('refuses what is no key', () => {
    const spec = { partition: ['repo'], identifier: ['sha'] };
    expect(() => parseKey('repo=git', spec)).toThrow('key column "sha" is missing');
    expect(() => parseKey('repo=git,shaa=1', spec)).toThrow('did you mean "sha"?');
    expect(() => parseKey('repo=git,sha=1,sha=2', spec)).toThrow('given twice');
    expect(() => parseKey('git', spec)).toThrow('not of the form column=value');
    expect(() => parseKey('repo=a\\', spec)).toThrow('cannot end');
    expect(() => encodeKey(['\ud800'])).toThrow('not Unicode');
    expect(() => decodeKey(Uint8Array.of(0, 2))).toThrow('stray 0x00');
    expect(() => decodeKey(Uint8Array.of(0xff))).toThrow('not UTF-8');
  });
});
