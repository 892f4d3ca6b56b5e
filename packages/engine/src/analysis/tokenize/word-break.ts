/**
 * What the fast path of the standard tokenizer knows of a code point (Unicode Standard Annex 29,
 * Word_Break). SLOW means that it does not know, and leaves the stretch to Intl.Segmenter. Only
 * ranges that hold for all of their code points stand here; a test compares every code point of the
 * table with Intl.Segmenter.
 */
export const SLOW = 0;
/** Parts no word: punctuation, spaces, symbols. */
export const OTHER = 1;
export const LETTER = 2;
export const NUMBER = 3;
/** `_`, which joins letters and figures. */
export const JOINER = 4;
/** Between letters only (`:`), between figures only (`,` `;`), between either (`.` `'`). */
export const MID_LETTER = 5;
export const MID_NUMBER = 6;
export const MID_BOTH = 7;

const LETTERS: readonly (readonly [number, number])[] = [
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0xaa, 0xaa],
  [0xb5, 0xb5],
  [0xba, 0xba],
  [0xc0, 0xd6],
  [0xd8, 0xf6],
  [0xf8, 0x2d1],
  [0x370, 0x374],
  [0x376, 0x377],
  [0x37b, 0x37d],
  [0x386, 0x386],
  [0x388, 0x38a],
  [0x38e, 0x3a1],
  [0x3a3, 0x3f5],
  [0x3f7, 0x481],
  [0x48a, 0x52f],
  [0x531, 0x556],
  [0x561, 0x587],
  [0x620, 0x64a],
  [0x10d0, 0x10fa],
  [0x1e00, 0x1f15],
];
const OTHERS: readonly (readonly [number, number])[] = [
  [0, 0x2f],
  [0x3c, 0x40],
  [0x5b, 0x60],
  [0x7b, 0xa9],
  [0xab, 0xac],
  [0xae, 0xb4],
  [0xb6, 0xb6],
  [0xb9, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x60c, 0x60c],
  [0x61b, 0x61b],
  [0x61f, 0x61f],
  [0x2010, 0x2015],
  [0x201a, 0x2023],
  [0x2026, 0x2026],
  [0x2030, 0x2038],
  [0x2039, 0x203e],
  [0x20a0, 0x20c0],
  [0x2190, 0x21ff],
  [0x2500, 0x257f],
  [0xfffd, 0xfffd],
];

const TABLE = new Uint8Array(0x10000);
for (const [lo, hi] of OTHERS) TABLE.fill(OTHER, lo, hi + 1);
for (const [lo, hi] of LETTERS) TABLE.fill(LETTER, lo, hi + 1);
TABLE.fill(NUMBER, 0x30, 0x3a);
for (const character of ',;') TABLE[character.charCodeAt(0)] = MID_NUMBER;
for (const character of ".'\u2018\u2019") TABLE[character.charCodeAt(0)] = MID_BOTH;
for (const character of ':\u00b7') TABLE[character.charCodeAt(0)] = MID_LETTER;
TABLE['_'.charCodeAt(0)] = JOINER;
// Middle dots that are letters, the Greek question mark and its kin: left to the segmenter.
for (const point of [0x387, 0x37e, 0x60c]) TABLE[point] = SLOW;

/** By code point of the basic plane: its class. Above it everything is SLOW. */
export const WORD_BREAK: Readonly<Uint8Array> = TABLE;
