import type { TokenSink } from '../analyzer.ts';
import type { Filter } from '../pipeline.ts';

/** Latin letters that do not fall apart into an ASCII letter and marks. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
  ĸ: 'k',
  ŋ: 'n',
  Ŋ: 'N',
  ŧ: 't',
  Ŧ: 'T',
  ƒ: 'f',
  ɛ: 'e',
  ə: 'e',
  Ə: 'E',
  ɔ: 'o',
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2010': '-',
  '\u2013': '-',
  '\u2014': '-',
};

/**
 * A text with its Latin letters as ASCII: accents fall off (`é` is `e`, composed or not), ligatures
 * and the like are spelled out (`ß` is `ss`), wide and circled forms become plain. Other scripts
 * keep their marks (`й` stays `й`).
 */
export function foldToAscii(text: string): string {
  let out = '';
  let folded = false;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) {
      out += character;
      folded = true;
    } else if (!(folded && /^\p{M}$/u.test(character))) {
      const ascii = LETTERS[character] ?? plain(character);
      out += ascii ?? character;
      folded = ascii !== undefined;
    }
  }
  return out;
}

function plain(character: string): string | undefined {
  const parts = character.normalize('NFKD').replace(/\p{M}/gu, '');
  return /^[\x21-\x7e]+$/.test(parts) ? parts : undefined;
}

/** The filter; words of ASCII alone are passed on untouched. */
export const asciiFolding: Filter = Object.freeze({
  kind: 'sink',
  attach: (next: TokenSink): TokenSink => ({
    token(b, from, to, position, start, end) {
      let i = from;
      while (i < to && b[i] < 0x80) i++;
      if (i === to) {
        next.token(b, from, to, position, start, end);
        return;
      }
      const folded = Buffer.from(foldToAscii(Buffer.from(b.subarray(from, to)).toString()));
      next.token(folded, 0, folded.length, position, start, end);
    },
  }),
  normalize: foldToAscii,
});
