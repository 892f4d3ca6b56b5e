import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPieces, jsonText } from './json-text.ts';

const SEED = 20_261_121;

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('##[x', '##vso[', '\u0085\u202e', ''),
    fc.double(),
    fc.bigInt(),
    fc.constantFrom(true, null, undefined, () => 1, Symbol('s'), new Date(0)),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'binary', maxLength: 4 }), tie('any'), { maxKeys: 4 }),
  ),
}));

describe('JSON in pieces', () => {
  it('is the text of the whole', () => {
    const property = fc.property(value.any, fc.constantFrom(0, 2, 3), (any, indent) => {
      fc.pre(jsonTextOf(any, indent) !== undefined);
      expect([...jsonPieces(any, indent)].join('')).toBe(jsonTextOf(any, indent));
    });
    fc.assert(property, { seed: SEED, numRuns: 3000 });
  });

  it('has a piece per hit of an answer', () => {
    const hits = Array.from({ length: 50 }, (_, i) => ({ fields: { body: 'x'.repeat(1000 + i) } }));
    const answer = { hits, total: 50, facets: {} };
    const pieces = [...jsonPieces(answer)];
    expect(pieces.join('')).toBe(JSON.stringify(answer));
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(1100);
  });
});

/** Undefined where JSON has no text for a value. */
function jsonTextOf(any: unknown, indent: number): string | undefined {
  const unwritten = ['undefined', 'function', 'symbol'].includes(typeof any);
  return unwritten ? undefined : jsonText(any, indent);
}
