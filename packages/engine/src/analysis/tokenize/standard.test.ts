import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowercase } from '../filter/lowercase.ts';
import { buildAnalyzer } from '../pipeline.ts';
import { analyzeToTokens } from '../tokens.ts';
import { tokenizeStandard } from './standard.ts';
import {
  JOINER,
  LETTER,
  MID_BOTH,
  MID_LETTER,
  MID_NUMBER,
  NUMBER,
  OTHER,
  SLOW,
  WORD_BREAK,
} from './word-break.ts';

const analyzer = buildAnalyzer('words', tokenizeStandard, []);
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
const words = (text: string) =>
  analyzeToTokens(analyzer, text).map((t) => [t.token, t.start, t.end]);
const reference = (text: string) =>
  [...segmenter.segment(text)]
    .filter((s) => s.isWordLike)
    .map((s) => [s.segment, s.index, s.index + s.segment.length]);

const TRICKY = [
  ...'abXYZ019_.,:;\'-/@#$%&()"!? \t\n',
  ...'éßİıǅΣσςЖя\u0301\u0308\u00ad\u200b\u200c\u200d\u2060\ufeff\u00a0\u2019\u2018\u00b7\u2026\u2014\u201c\u00b2\u00bd\u00aa',
  ...'אבשׁ״׳ابتـ٣٫،ไทยภาษาကမ္မာខ្មែរລາວहिन्दीবাংলাதமிழ்한국어조선東京都々〆〱ひらがなカタカナーﾊﾝｶｸ゛、。１２ＡＢ',
  '👍',
  '👩‍👩‍👧',
  '🇩🇪',
  '1️⃣',
  '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '𝒳',
  '𐐀',
  '𠀀',
  '①',
  'Ⅷ',
  '\u{e0001}',
  '\uffff',
  '\u0000',
  "can't",
  'a.b',
  '3.14',
  '1,000',
  'foo_bar',
  '__',
];
const tricky = fc
  .array(fc.constantFrom(...TRICKY), { maxLength: 24 })
  .map((parts) => parts.join(''));

describe('words of Unicode UAX 29', () => {
  it('are those of Intl.Segmenter, on tricky text', () => {
    fc.assert(
      fc.property(tricky, (text) => {
        expect(words(text)).toEqual(reference(text));
      }),
      { seed: 20_261_121, numRuns: 20_000 },
    );
  });

  it('are those of Intl.Segmenter, on any text', () => {
    const any = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(any, (text) => {
        expect(words(text)).toEqual(reference(text));
      }),
      { seed: 20_261_121, numRuns: 5000 },
    );
  });

  it('are those of Intl.Segmenter across stretches of several kilobytes', () => {
    const text = 'Die Prüfung 東京都に行きます。 ภาษาไทยง่าย ok_1, 3.14 العربية e\u0301té '.repeat(
      400,
    );
    expect(words(text)).toEqual(reference(text));
    const glued = '東京都に行きます'.repeat(1500);
    expect(words(glued)).toEqual(reference(glued));
  });

  it('have classes in the table that the segmenter agrees with, code point by code point', () => {
    const split = (text: string) =>
      [...segmenter.segment(text)].map((s) => s.segment + (s.isWordLike ? '+' : '')).join('|');
    const joins: Readonly<Record<number, readonly [boolean, boolean, boolean]>> = {
      [OTHER]: [false, false, false],
      [LETTER]: [true, true, true],
      [NUMBER]: [true, true, true],
      [JOINER]: [true, true, true],
      [MID_LETTER]: [true, false, false],
      [MID_NUMBER]: [false, true, false],
      [MID_BOTH]: [true, true, false],
    };
    const wrong: string[] = [];
    for (let point = 0; point < 0x10000; point++) {
      const kind = WORD_BREAK[point];
      if (kind === SLOW) continue;
      const c = String.fromCharCode(point);
      ['aa', '11', 'a1'].forEach(([before, after], i) => {
        const whole = `${before}${c}${after}+`;
        const apart = `${before}+|${c}|${after}+`;
        if (split(before + c + after) !== (joins[kind][i] ? whole : apart))
          wrong.push(point.toString(16));
      });
    }
    expect(wrong).toEqual([]);
  });
});

describe('tokens of bytes that are not UTF-8', () => {
  it('part no words and move no offsets', () => {
    const bytes = Uint8Array.from([
      0x61, 0xff, 0x62, 0x63, 0xe6, 0x9d, 0x20, 0xc3, 0x64, 0xed, 0xa0, 0x80, 0x65,
    ]);
    const found: [string, number, number][] = [];
    const next = analyzer.analyze(bytes, 0, bytes.length, 5, {
      token: (b, from, to, _, start, end) =>
        found.push([Buffer.from(b.subarray(from, to)).toString('latin1'), start, end]),
    });
    expect(found).toEqual([
      ['a', 0, 1],
      ['bc', 2, 4],
      ['d', 8, 9],
      ['e', 12, 13],
    ]);
    expect(next).toBe(9);
  });

  it('never throw, whatever they are', () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const folded = buildAnalyzer('x', tokenizeStandard, [lowercase]);
    fc.assert(
      fc.property(bytes, fc.nat(10), (b, from) => {
        let last = from;
        folded.analyze(b, Math.min(from, b.length), b.length, 0, {
          token(_, __, ___, position, start, end) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            expect(position).toBeGreaterThanOrEqual(0);
            last = end;
          },
        });
        expect(last).toBeLessThanOrEqual(Math.max(from, b.length));
      }),
      { seed: 20_261_121, numRuns: 5000 },
    );
  });
});

describe('lower case of tokens', () => {
  const lower = buildAnalyzer('x', tokenizeStandard, [lowercase]);
  it.each([
    ['ÉCOLE Straße STRASSE', 'école straße strasse'],
    ['ΟΔΟΣ οδος Σ', 'οδοσ οδοσ σ'],
    ['İSTANBUL Iğdır', 'istanbul iğdır'],
    ['ǅ ẞ Ⱥ 𐐀 Ｋ', 'ǆ ß ⱥ 𐐨 ｋ'],
    ['Café\u0301', 'café\u0301'],
  ])('%s', (text, wanted) => {
    expect(
      analyzeToTokens(lower, text)
        .map((t) => t.token)
        .join(' '),
    ).toBe(wanted);
    expect(lower.normalize(text)).toBe(wanted);
  });

  it('is folded for words and patterns alike', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aZéÉΣςİßЖ'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(word, (w) => {
        expect(analyzeToTokens(lower, w).map((t) => t.token)).toEqual([lower.normalize(w)]);
      }),
      { seed: 20_261_121, numRuns: 2000 },
    );
  });
});

describe('tokens that are too long', () => {
  it('are dropped above 255 bytes, and their position stays empty', () => {
    const text = `a ${'b'.repeat(255)} ${'c'.repeat(256)} d`;
    expect(analyzeToTokens(analyzer, text).map((t) => [t.token.length, t.position])).toEqual([
      [1, 0],
      [255, 1],
      [1, 3],
    ]);
  });
});
