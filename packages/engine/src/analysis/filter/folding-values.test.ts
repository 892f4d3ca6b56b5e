import { describe, expect, it } from 'vitest';
import { foldValue } from './folding.ts';

/** Assigned code points of the planes that have letters with cases. */
function* characters(): Generator<string> {
  for (let point = 0x20; point < 0x20000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const character = String.fromCodePoint(point);
    if (!/\p{Cn}|\p{Co}|\p{Cc}/u.test(character)) yield character;
  }
}

describe('foldValue', () => {
  it.each([
    ['Ruth', 'RUTH'],
    ['München', 'MU\u0308NCHEN'],
    ['Straße', 'STRASSE'],
    ['ﬁle', 'FILE'],
    ['ΟΔΟΣ', 'οδος'],
    ['İstanbul', 'istanbul'],
    ['ǅungla', 'DŽUNGLA'],
    ['𝐇ello', 'hello'],
    ['ＡＢＣ', 'abc'],
    ['Ёлка', 'елка'],
    ['بِسْمِ ٱللَّهِ', 'بسم الله'],
    ['שָׁלוֹם', 'שלום'],
    ['O\u2019Brien', "o'brien"],
  ])('makes %s and %s one value', (a, b) => expect(foldValue(a)).toBe(foldValue(b)));

  it.each([
    ['й', 'и'],
    ['a b', 'ab'],
    ['ば', 'は'],
    ['ก', 'ข'],
  ])('keeps %s and %s apart', (a, b) => expect(foldValue(a)).not.toBe(foldValue(b)));

  it('gives every character and its cases one value, and folds folded values no further', () => {
    const wrong: string[] = [];
    for (const character of characters()) {
      const folded = foldValue(character);
      // Case mappings of U+0130 and U+0131 belong to Turkish.
      const cases = [character.toUpperCase(), character.toLowerCase()];
      if (cases.some((other) => foldValue(other) !== folded)) wrong.push(character);
      if (foldValue(folded) !== folded) wrong.push(`again ${character}`);
    }
    expect(wrong).toEqual([]);
  });
});
