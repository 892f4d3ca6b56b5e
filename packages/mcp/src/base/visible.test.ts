import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible, visibleText } from './visible.ts';

describe('invisible characters', () => {
  it.each([
    ['a\u202Eb', 'a\\u{202e}b'],
    ['\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['zero\u200Bwidth', 'zero\\u{200b}width'],
    ['\u{E0041}', '\\u{e0041}'],
    ['line\u2028end', 'line\\u{2028}end'],
    ['\uFEFF', '\\u{feff}'],
    ['❤️ 東京 é', '❤️ 東京 é'],
  ])('of %j are escapes', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
    expect(visible({ [text]: [text, 1, null] })).toEqual({ [expected]: [expected, 1, null] });
  });

  it('are in no visible text, which stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visibleText(text);
        expect(shown).not.toMatch(/(?!\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
        expect(visibleText(shown)).toBe(shown);
      }),
    );
  });
});
