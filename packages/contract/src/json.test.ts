import { describe, expect, it } from 'vitest';
import { textOfJson } from './json.ts';

describe('the JSON text of a value', () => {
  it('keeps the sign of -0 at every depth, as JSON.parse reads it', () => {
    const value = { a: -0, b: [0, [-0, { c: -0 }]], d: 'x', e: null, f: undefined };
    expect(textOfJson(value)).toBe('{"a":-0,"b":[0,[-0,{"c":-0}]],"d":"x","e":null}');
    expect(Object.is(JSON.parse(textOfJson(-0)), -0)).toBe(true);
    expect(textOfJson({ a: [-0] }, 2)).toBe('{\n  "a": [\n    -0\n  ]\n}');
  });

  it('is that of JSON.stringify for all other values', () => {
    for (const value of [0, -1.5, 'x', null, [], {}, [{ a: [1, 'y', false] }], new Date(0)]) {
      expect(textOfJson(value)).toBe(JSON.stringify(value));
    }
  });
});
