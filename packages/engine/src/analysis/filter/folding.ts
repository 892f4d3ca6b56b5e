import type { Filter } from '../pipeline.ts';
import { lowerText } from '../unicode/lower.ts';
import { foldToAscii } from './ascii-folding.ts';

/** A rule of one script: where it applies, and what it does to a word in NFKC. */
interface ScriptRule {
  readonly script: RegExp;
  readonly fold: (word: string) => string;
}

/** Letters that writers of Arabic, Persian and Urdu use for each other. */
const ARABIC_LETTERS: Readonly<Record<string, string>> = {
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ې: 'ي',
  ک: 'ك',
  ڪ: 'ك',
  ة: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ە: 'ه',
  ۃ: 'ه',
};
/** Endings and beginnings that Persian separates by a zero-width non-joiner. */
const PERSIAN_JOINED =
  /^ن?[يی]?م[يی]\u200c|\u200c(?:ها[يی]?\p{L}*|تر(?:[يی]ن)?|ا[يی]|ا?م|ا?ت|ا?ش|ا[يی]م|ا[يی]د|اند|مان|تان|شان)$/gu;

/** Words that are spelled without the alef that they are pronounced with. */
const WITHOUT_ALEF: readonly (readonly [RegExp, string])[] = [
  [/هاذ/, 'هذ'],
  [/هاكذ/, 'هكذ'],
  [/هاولا/, 'هولا'],
  [/ذالك/, 'ذلك'],
  [/لاكن/, 'لكن'],
  [/اولايك/, 'اوليك'],
  [/رحمان/, 'رحمن'],
  [/اللاه/, 'الله'],
  [/الاه/, 'اله'],
];

/**
 * A decomposed word with the letters that its small ones mean: the long vowels of older spelling
 * (`كِتَٰب`, `صَلَوٰة`, `ٱلنَّبِيِّـۧنَ`) are written as today (`كتاب`, `صلاة`, `النبيين`).
 */
function withLetters(word: string): string {
  if (!/[\u0670\u06e7]/.test(word)) return word;
  const long = word
    .replace(/\u0640/g, '')
    .replace(/\u06e7/g, 'ي')
    .replace(/[ىی]\u0670(?!\p{M}*\p{L})/gu, 'ى')
    .replace(/و\u0670(?=ۃ)/g, 'و')
    .replace(/[وىی]?\u0670ا?/g, 'ا')
    .replace(/\p{Mn}/gu, '');
  return WITHOUT_ALEF.reduce((text, [spoken, written]) => text.replace(spoken, written), long);
}

function foldArabic(word: string): string {
  const bare = withLetters(word.replace(PERSIAN_JOINED, '').normalize('NFD'))
    .replace(/[\p{Mn}\u0640\u06e5\u06e6\u200c\u200d]/gu, '')
    .replace(/(?<!ا)ءا/g, 'ا');
  return bare.replace(/[ٱىیېکڪةہھەۃ]/g, (letter) => ARABIC_LETTERS[letter] ?? letter);
}

const NUKTA = /[\u093c\u09bc\u0a3c\u0abc\u0b3c\u200c\u200d]/g;
/** A nasal before a letter of its class, which is also written as a dot (`हिन्दी`, `हिंदी`). */
const NASAL = /ङ्(?=[क-ङ])|ञ्(?=[च-ञ])|ण्(?=[ट-ण])|न्(?=[त-न])|म्(?=[प-म])|ँ/g;

const foldIndic = (word: string): string => word.replace(NUKTA, '').replace(NASAL, 'ं');

const withoutMarks = (word: string): string => word.normalize('NFD').replace(/\p{Mn}/gu, '');

/** `ё` and stress marks are optional in Cyrillic; `й` and `ї` are letters. */
const foldCyrillic = (word: string): string =>
  word.replace(/[\u0300\u0301]/g, '').replace(/ё/g, 'е');

const RULES: readonly ScriptRule[] = [
  { script: /\p{Script=Arabic}/u, fold: foldArabic },
  // Points, and the marks of abbreviations.
  {
    script: /\p{Script=Hebrew}/u,
    fold: (word) => withoutMarks(word).replace(/["'\u05f3\u05f4]/g, ''),
  },
  { script: /\p{Script=Greek}/u, fold: withoutMarks },
  { script: /\p{Script=Cyrillic}/u, fold: foldCyrillic },
  { script: /[\u0900-\u0b7f]/, fold: foldIndic },
];

/** The zeros of the scripts whose digits are folded. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xe50, 0xed0, 0x1040, 0x17e0];

function plainDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  const zero = ZEROS.find((first) => point >= first && point < first + 10);
  return zero === undefined ? digit : String(point - zero);
}

/**
 * A word as its readers compare it, in any script: without accents, vowel signs and points that may
 * be left out, with one letter for variants of it, with plain digits and widths. A word without
 * capital letters gets none (`𝐇` is `h`).
 */
export function foldLetters(word: string): string {
  if (/^[\x21-\x7e]*$/.test(word)) return word;
  const wide = word.normalize('NFKC');
  const letters = lowerText(word) === word ? lowerText(wide) : wide;
  const plain = foldToAscii(letters).replace(/\p{Nd}/gu, plainDigit);
  return RULES.reduce((text, { script, fold }) => (script.test(text) ? fold(text) : text), plain);
}

/** A whole value, word by word: by Unicode's full case folding, and with its letters folded. */
export function foldValue(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value.toLowerCase();
  const caseless = lowerText(value.normalize('NFKC').toUpperCase());
  return caseless.replace(/\S+/gu, (word) => foldLetters(word));
}

/** The filter. Each word is folded by itself, so frequent words are folded once. */
export const folding: Filter = Object.freeze({
  kind: 'map',
  map: foldLetters,
  normalize: foldLetters,
});
