import { LhsError } from '@lakehouse-search/contract';
import { MapValue, VariantValue } from '@lakehouse-search/lake';
import { decodeVariant, variantFromJson } from '@lakehouse-search/lake/variant';
import { describe, expect, it } from 'vitest';
import { writeWireValue } from '../../../../test/support/encode-part.ts';
import { readWireValue } from './wire-value.ts';

const carried = (value: unknown) =>
  readWireValue(JSON.parse(JSON.stringify(writeWireValue(value))), 'value');

const { metadata, value } = variantFromJson('{"a":[1,2.50,{"b":"text","c":null}],"d":1e300}');
const variant = new VariantValue(decodeVariant(metadata, value));

describe('a value of a change batch', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'text'],
    ['a flag', false],
    ['a number', 1.5],
    ['negative zero', -0],
    ['no number', Number.NaN],
    ['a decimal', -(10n ** 37n)],
    ['bytes', Uint8Array.of(0, 255)],
    ['a list', [1, null, ['x']]],
    ['a struct', { int: 5n, struct: { base64: 'x' } }],
    [
      'a map',
      new MapValue([
        ['k', [1n]],
        ['k', null],
      ]),
    ],
    ['a variant', variant],
  ])('comes out of JSON as it went in: %s', (_, item) => {
    const back = carried(item);
    expect(back).toEqual(item);
    if (typeof item === 'number') expect(Object.is(back, item)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['value', { zz: 1 }],
    ['value', {}],
    ['value', { int: '1', float: 'NaN' }],
    ['value', undefined],
    ['value', 2n],
    ['value[1].int', [1, { int: '1.5' }]],
    ['value.float', { float: 1 }],
    ['value.base64.base64', { base64: '?' }],
    ['value.map[0]', { map: [[1]] }],
    ['value.struct', { struct: [] }],
    ['value.variant', { variant: { metadata: { base64: '' }, value: { base64: '' } } }],
    ['value.toString', { toString: 1 }],
  ])('is refused by the path of what is wrong: %s (%#)', (path, json) => {
    try {
      readWireValue(json, 'value');
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof LhsError)) throw error;
      expect(error.code).toBe('invalid_argument');
      expect(error.message).toContain(`"${path.replace('.toString', '')}`);
    }
  });

  it('is refused where it is nested too deep', () => {
    let json: unknown = 1;
    for (let i = 0; i < 200; i++) json = [json];
    expect(() => readWireValue(json, 'value')).toThrow('nested too deep');
  });
});
