import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonValue, utf8Text } from './json-text.ts';

const refusal = (text: string) => {
  try {
    jsonValue(text, 'the body');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('JSON from outside', () => {
  it.each([
    ['{"query":"a","query":"b"}', 'query'],
    ['{"a":{"b":1,"b":1}}', 'b'],
    ['[{"a":1},{"a":1,"c":[{"x":{}}],"a":2}]', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"\\"":1,"\\u0022":2}', '"'],
    ['{"\\\\":1 , "\\u005c" : 2}', '\\'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"":1,"":2}', ''],
  ])('%s names %s twice', (text, name) => {
    expect(refusal(text)).toBe(`the body has the name ${JSON.stringify(name)} twice in one object`);
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}',
    '{"a":"b","c":"a:b{\\"a\\":1}"}',
    '{"a":"\\\\","b":"\\\\\\"","c":":"}',
    '"a:a"',
    '12',
    '[]',
  ])('%s is its value', (text) => {
    expect(jsonValue(text, 'the body')).toEqual(JSON.parse(text));
  });

  it('is refused if it is not JSON', () => {
    expect(refusal('{"a":')).toMatch(/^the body is not JSON: /);
  });

  it('of any value is that value, and a member that is written again is refused', () => {
    const parts = fc.tuple(
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
    );
    const check = ([value, object]: readonly [unknown, Readonly<Record<string, unknown>>]) => {
      for (const one of [value, object]) {
        const text = JSON.stringify(one, null, 1);
        expect(jsonValue(text, 'the body')).toEqual(JSON.parse(text));
      }
      const [name] = Object.keys(object);
      const again = `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:0}`;
      const message = refusal(`[${JSON.stringify(value)},${again}]`);
      expect(message).toContain('twice in one object');
    };
    fc.assert(fc.property(parts, check));
  });
});

describe('a byte order mark', () => {
  it('may stand before a JSON text, once', () => {
    expect(jsonValue('\ufeff{"a":[1]}', 'the body')).toEqual({ a: [1] });
    expect(refusal('\ufeff\ufeff{}')).toMatch(/^the body is not JSON/);
    expect(refusal('\ufeff{"a":1,"a":2}')).toContain('twice in one object');
  });
});

describe('bytes from outside', () => {
  it('are UTF-8', () => {
    expect(utf8Text(Buffer.from('\ufeffgrün 🦆'), 'the body')).toBe('\ufeffgrün 🦆');
  });

  it.each([
    [[0xff]],
    [[0x61, 0xc3]],
    [[0xc0, 0x80]],
    [[0xed, 0xa0, 0x80]],
    [[0xf4, 0x90, 0x80, 0x80]],
  ])('%j is refused', (bytes) => {
    expect(() => utf8Text(Buffer.from(bytes), 'the body')).toThrow('the body is not UTF-8');
  });
});
