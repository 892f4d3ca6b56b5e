import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitEach, fitTogether } from './fit-values.ts';
import { cutText, tokensOf, tokensOfJson } from './tokens.ts';

describe('the estimate of tokens', () => {
  it('is four ASCII characters per token, and one other character per token', () => {
    expect(['', 'a', 'abcd', 'abcde', 'äö', 'abcdäö'].map(tokensOf)).toEqual([0, 1, 1, 2, 2, 3]);
  });
});

describe('a cut text', () => {
  it('fits, is a start of the text, and is never half a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 2, max: 40 }),
        (text, most) => {
          const cut = cutText(text, most);
          expect(tokensOf(cut)).toBeLessThanOrEqual(most);
          expect(text.startsWith(cut.replace(/…$/, ''))).toBe(true);
          expect(cut.isWellFormed()).toBe(text.isWellFormed() || cut.isWellFormed());
          if (tokensOf(text) <= most) expect(cut).toBe(text);
        },
      ),
    );
  });
});

describe('values that have to fit one by one', () => {
  it('are named as cut only if they were', () => {
    const values = { exact: 'x'.repeat(80), longer: 'x'.repeat(81) };
    expect(fitEach(values, 20)).toMatchObject({
      values: { exact: values.exact },
      cut: ['longer'],
    });
  });
});

describe('a list that has to fit', () => {
  const list = Array.from({ length: 300 }, (_, i) => `package-${i}`);

  it('has its first values, the marked one, and the number of the others', () => {
    fc.assert(
      fc.property(fc.nat(299), fc.integer({ min: 24, max: 400 }), (at, most) => {
        const { values, cut } = fitEach({ list }, most, { list: `«package»-${at}` });
        const shown = values.list as string[];
        const [own, left] = [shown.slice(0, -1), shown.at(-1)];
        expect(tokensOfJson(shown)).toBeLessThanOrEqual(most);
        expect(own).toContain(list[at]);
        expect(own).toEqual(list.filter((value, i) => i < own.length - 1 || own.includes(value)));
        expect(left).toBe(`… ${list.length - own.length} more`);
        expect(cut).toEqual(['list']);
      }),
    );
  });

  it('is a cut text if not one value fits', () => {
    const { values } = fitEach({ list: ['long '.repeat(100)] }, 20);
    expect(values.list).toMatch(/…$/);
  });
});

describe('values that have to fit together', () => {
  it('fit, or are refused; short values stay whole while long ones are cut', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.stringMatching(/^[a-z]{1,8}$/),
          fc.string({ maxLength: 600, size: 'max' }),
        ),
        fc.integer({ min: 20, max: 400 }),
        (values, most) => {
          const fitted = fitTogether(values, most);
          if (fitted === undefined) return;
          expect(tokensOfJson(fitted.values)).toBeLessThanOrEqual(most);
          const changed = Object.keys(values).filter(
            (name) => fitted.values[name] !== values[name],
          );
          expect(changed).toEqual(fitted.cut);
        },
      ),
    );
    expect(fitTogether({ a: 'short', b: 'long '.repeat(500) }, 100)).toMatchObject({
      values: { a: 'short' },
      cut: ['b'],
    });
  });
});
