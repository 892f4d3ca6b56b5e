import { describe, expect, it } from 'vitest';
import { formatJson, parseJson } from './json.ts';
import { JsonNode } from './json-node.ts';

describe('JSON of table metadata', () => {
  it('keeps 64-bit integers exact in both directions', () => {
    const text =
      '{"a":9223372036854775807,"b":-9007199254740993,"c":[1,2.5,1e400,9007199254740991]}';
    const value = parseJson(text.replace('1e400', '1e300'));
    expect(value).toEqual({
      a: 9223372036854775807n,
      b: -9007199254740993n,
      c: [1, 2.5, 1e300, 9007199254740991],
    });
    expect(formatJson(value)).toBe(text.replace('1e400', '1e+300'));
    expect(Object.keys(parseJson('{"__proto__":1}') as object)).toEqual(['__proto__']);
  });

  it('names file and path in every error', () => {
    const node = new JsonNode(parseJson('{"a":{"b":["x",null]}}'), '', 'f.json');
    const b = node.get('a').get('b').items();
    expect(() => b[0]!.long()).toThrow(/"a.b\[0\]" is "x", expected a 64-bit integer.*f\.json/);
    expect(() => node.get('a').get('c').string()).toThrow(/"a.c" is nothing, expected a string/);
    expect(() => new JsonNode(2n ** 63n, 'n', 'f').long()).toThrow(/64-bit/);
    expect(() => new JsonNode(2 ** 31, 'n', 'f').int()).toThrow(/32-bit/);
  });
});
