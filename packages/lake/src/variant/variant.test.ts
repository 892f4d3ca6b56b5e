import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { LakeError } from '../base/errors.ts';
import type { VariantNode } from '../schema/type.ts';
import { variantToJson as variantPlain } from '../schema/value-json.ts';
import { decodeVariant } from './decode.ts';
import { encodeVariant } from './encode.ts';
import { nodeFromJson, variantFromJson } from './from-json.ts';
import { assembleVariant } from './shredded.ts';

const SEED = 20261121;
const bytes = (...values: number[]) => Uint8Array.from(values);
const EMPTY = bytes(1, 0, 0);

/**
 * `[[[…null…]]]` byte by byte: an array of one element with offsets of four bytes at each level.
 */
function nestedArrays(levels: number): Uint8Array {
  const size = 10 * levels + 1;
  const out = new DataView(new ArrayBuffer(size));
  for (let at = 0; at < size - 1; at += 10) {
    out.setUint8(at, 3 | (3 << 2));
    out.setUint8(at + 1, 1);
    out.setUint32(at + 6, size - at - 10, true);
  }
  return new Uint8Array(out.buffer);
}

describe('decoding of variants', () => {
  it('reads every primitive by its published id', () => {
    const le = (value: bigint) => {
      const view = new DataView(new ArrayBuffer(8));
      view.setBigInt64(0, value, true);
      return [...new Uint8Array(view.buffer)];
    };
    const cases: [number[], unknown][] = [
      [[0 << 2], null],
      [[1 << 2], true],
      [[2 << 2], false],
      [[3 << 2, 0xff], -1],
      [[4 << 2, 0x34, 0x12], 0x1234],
      [[5 << 2, 0, 0, 0, 0x80], -2147483648],
      [[6 << 2, ...le(9007199254740993n)], '9007199254740993'],
      [[7 << 2, 0, 0, 0, 0, 0, 0, 0xf4, 0x3f], 1.25],
      [[8 << 2, 2, 0xd2, 4, 0, 0], 12.34],
      [[9 << 2, 3, ...le(-1234567890123456n)], '-1234567890123.456'],
      [[10 << 2, 1, ...le(-1n), ...le(-1n)], -0.1],
      [[11 << 2, 0xff, 0xff, 0xff, 0xff], '1969-12-31'],
      [[12 << 2, ...le(-1n)], '1969-12-31T23:59:59.999999Z'],
      [[13 << 2, ...le(1709251199123456n)], '2024-02-29T23:59:59.123456'],
      [[14 << 2, 0, 0, 0x20, 0xc0], -2.5],
      [[15 << 2, 2, 0, 0, 0, 0, 0xff], 'AP8='],
      [[16 << 2, 2, 0, 0, 0, 0xc3, 0xa9], 'é'],
      [[17 << 2, ...le(86_399_999_999n)], '23:59:59.999999'],
      [[18 << 2, ...le(-1n)], '1969-12-31T23:59:59.999999999Z'],
      [[19 << 2, ...le(1n)], '1970-01-01T00:00:00.000000001'],
      [
        [20 << 2, ...Array.from({ length: 16 }, (_, i) => i * 17)],
        '00112233-4455-6677-8899-aabbccddeeff',
      ],
      [[(3 << 2) | 1, 0x61, 0x62, 0x63], 'abc'],
    ];
    for (const [value, plain] of cases) {
      expect(variantPlain(decodeVariant(EMPTY, Uint8Array.from(value)))).toEqual(plain);
    }
  });

  it('reads objects and arrays by the layout of the specification', () => {
    // names a, b; {"a": 1, "b": [true]}; the values stand in reverse order
    const metadata = bytes(0x01, 2, 0, 1, 2, 0x61, 0x62);
    const value = bytes(2, 2, 0, 1, 5, 0, 7, 3, 1, 0, 1, 4, 12, 1);
    expect(variantPlain(decodeVariant(metadata, value))).toEqual({ a: 1, b: [true] });
  });

  it('refuses shared bytes, depth and offsets outside', () => {
    const shared = bytes(3, 3, 0, 0, 0, 2, 12, 1);
    expect(() => decodeVariant(EMPTY, shared)).toThrow(/share bytes/);
    expect(() => decodeVariant(EMPTY, bytes(3, 1, 0, 9, 4))).toThrow(/values end/);
    expect(() => decodeVariant(EMPTY, bytes(21 << 2))).toThrow(/primitive type 21/);
    expect(() => decodeVariant(bytes(2, 0, 0), bytes(0))).toThrow(/version 2/);
    let deep: VariantNode = { kind: 'null' };
    for (let i = 0; i < 500; i++) deep = { kind: 'array', elements: [deep] };
    const { value } = encodeVariant(deep);
    expect(decodeVariant(EMPTY, value).kind).toBe('array');
    const deeper = bytes(3 | (1 << 2), 1, 0, 0, value.length & 0xff, value.length >>> 8, ...value);
    expect(() => decodeVariant(EMPTY, deeper)).toThrow(/deeper/);
    expect(() => decodeVariant(EMPTY, nestedArrays(100_000))).toThrow(/deeper than 500/);
  });

  it('never hangs or crashes on damaged bytes', () => {
    const good = variantFromJson('{"a":[1,2.5,{"b":"text","c":null}],"d":{"e":[[],{}]},"f":1e300}');
    const random = seededBelow(SEED);
    for (let round = 0; round < 3000; round++) {
      const metadata = good.metadata.slice();
      const value = good.value.slice();
      value[random(value.length)] = random(256);
      if (round % 3 === 0) metadata[random(metadata.length)] = random(256);
      try {
        decodeVariant(metadata, value.subarray(0, value.length - (round % 7 === 0 ? 3 : 0)));
      } catch (error) {
        expect(error).toBeInstanceOf(LakeError);
      }
    }
  });
});

describe('variants as JSON', () => {
  it('keeps every digit', () => {
    const kinds = (text: string) => nodeFromJson(text).kind;
    expect(['1', '-129', '70000', '3000000000'].map(kinds)).toEqual([
      'int8',
      'int16',
      'int32',
      'int64',
    ]);
    expect(nodeFromJson('12.50')).toEqual({ kind: 'decimal', unscaled: 1250n, scale: 2 });
    expect(nodeFromJson('92233720368547758089')).toMatchObject({ kind: 'decimal', scale: 0 });
    expect(kinds('1e3')).toBe('double');
    expect(kinds(`0.${'1'.repeat(39)}`)).toBe('double');
    expect(Object.is(variantPlain(nodeFromJson('-0.0')), -0)).toBe(true);
    expect(JSON.stringify(variantPlain(nodeFromJson('{"z":1,"a":{"__proto__":2}}')))).toBe(
      '{"a":{"__proto__":2},"z":1}',
    );
  });

  it('refuses what is not JSON, and depth', () => {
    expect(() => nodeFromJson('{a:1}')).toThrow(LakeError);
    expect(() => nodeFromJson('['.repeat(100_000))).toThrow(/deeper/);
  });

  it('round-trips random JSON through the binary form', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
        // decimals of more than 15 digits and integers beyond 2^53 come back as strings
        const short = (_: string, v: unknown) =>
          typeof v === 'number' ? +(v % 2 ** 40).toPrecision(9) : v;
        const text = JSON.stringify(json, short);
        const { metadata, value } = variantFromJson(text);
        expect(variantPlain(decodeVariant(metadata, value))).toEqual(JSON.parse(text));
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('writes large objects and arrays', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [`k${i}`, 'x'.repeat(i)]),
    );
    const json = { wide, list: Array.from({ length: 70_000 }, (_, i) => i) };
    const { metadata, value } = variantFromJson(JSON.stringify(json));
    expect(variantPlain(decodeVariant(metadata, value))).toEqual(json);
  });
});

describe('shredded variants', () => {
  const int = (value: number) =>
    ({ value: null, typed: { kind: 'scalar', node: { kind: 'int8', value } } }) as const;

  it('joins typed fields with the rest and drops missing ones', () => {
    const { metadata, value } = variantFromJson('{"rest":true}');
    const fields = [
      ['a', int(1)],
      ['gone', { value: null, typed: null }],
      ['n', { value: bytes(0), typed: null }],
    ] as const;
    const node = assembleVariant(metadata, { value, typed: { kind: 'object', fields } }, 'f');
    expect(variantPlain(node)).toEqual({ a: 1, n: null, rest: true });
  });

  it('reads a shredded key from typed_value only, even if it is missing there', () => {
    const { metadata, value } = variantFromJson('{"gone":1,"typed":2,"rest":3}');
    const fields = [
      ['gone', { value: null, typed: null }],
      ['typed', int(4)],
    ] as const;
    const typed = { kind: 'object', fields } as const;
    expect(variantPlain(assembleVariant(metadata, { value, typed }, 'f'))).toEqual({
      typed: 4,
      rest: 3,
    });
    const element = { kind: 'array', elements: [{ value, typed }] } as const;
    expect(variantPlain(assembleVariant(metadata, { value: null, typed: element }, 'f'))).toEqual([
      { typed: 4, rest: 3 },
    ]);
  });

  it('refuses two values for one scalar and a rest that is no object', () => {
    const both = { value: bytes(0), typed: int(1).typed };
    expect(() => assembleVariant(EMPTY, both, 'f')).toThrow(/both value and typed_value/);
    const odd = { value: bytes(0), typed: { kind: 'object', fields: [] } } as const;
    expect(() => assembleVariant(EMPTY, odd, 'f')).toThrow(/expected object/);
    expect(assembleVariant(EMPTY, { value: null, typed: null }, 'f')).toEqual({ kind: 'null' });
  });
});
