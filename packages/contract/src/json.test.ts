import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allSteps } from './checks/all-steps.ts';
import { textOfJson, writingJson } from './json.ts';

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

describe('the JSON text of a value in steps', () => {
  it('is that of JSON.stringify for any value, long lists and deep ones too', () => {
    const item = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.string({ maxLength: 400 }));
    const value = fc.record({
      few: fc.array(item),
      many: item.map((one) => ({ hits: Array.from({ length: 6000 }, () => ({ one, x: [] })) })),
      names: item.map((one) => Object.fromEntries([...Array(5000).keys()].map((n) => [n, one]))),
    });
    const indents = fc.constantFrom(0, 2);
    fc.assert(
      fc.property(fc.oneof(value, item), indents, (any, indent) => {
        const whole = any ?? null;
        // Texts of some megabytes: a difference is not printed.
        expect(allSteps(writingJson(whole, indent)) === textOfJson(whole, indent)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps -0, and takes many steps for a long list', () => {
    const long = [Array(20_000).fill(-0), { a: -0 }];
    const steps = writingJson(long);
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(4);
    expect(allSteps(writingJson(long))).toBe(textOfJson(long));
    expect(allSteps(writingJson(long))).toContain('-0,-0');
    expect(allSteps(writingJson([]))).toBe('[]');
  });
});
