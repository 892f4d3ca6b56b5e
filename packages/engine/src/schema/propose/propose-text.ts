/** What the values of a text column suggest: its type, its analyzer, and how it is stored. */
import type { Value } from '@lakehouse-search/lake';
import { parseIp } from '../values/ip-value.ts';
import { type ProposedAnalyzer, proposeAnalyzer, UNSPACED } from './propose-analyzer.ts';

/** Texts at least this long on average, with several words, are prose. */
const PROSE_CHARS = 40;
/** Values at most this long on average are codes that people type. */
const SHORT_CHARS = 16;
/** At most this share of distinct values makes a string a category. */
const CATEGORY_SHARE = 0.2;
/** Single words with at least this many distinct values are names, which words search. */
const NAMES = 20;
/** At least this share of rows with several words makes a category a text, too. */
const WORDY_ROWS = 0.3;
/** The same of the distinct values if they are short and no codes. */
const WORDY_VALUES = 0.01;
/** A larger share of distinct values makes facets useless. */
const UNIQUE_SHARE = 0.9;

/** A smaller share of numbers is no reason to name them. */
const NUMBERS_SHARE = 0.8;

/** A proposal for a text column, without the column. */
export interface ProposedText {
  readonly type: 'KEYWORD' | 'TEXT' | 'IP';
  readonly why: string;
  readonly cached: boolean;
  /** KEYWORD: facets and sorts are useful. */
  readonly fast: boolean;
  /** KEYWORD: categories and short codes, which are compared without case and accents. */
  readonly folded?: boolean;
  /** TEXT that bare words search, by this analyzer. */
  readonly analyzer?: ProposedAnalyzer;
  /** TEXT whose whole values are useful facets. */
  readonly hasFacet?: boolean;
  /** Values that tell the rows apart; of TEXT, names with numbers. */
  readonly isCode?: boolean;
}

/** The proposal for a column with such values (of lists: of their elements). */
export function proposeText(sample: readonly Value[]): ProposedText {
  const texts = sample.flat().filter((value) => typeof value === 'string' && value !== '');
  return proposed(texts as string[]);
}

function proposed(texts: readonly string[]): ProposedText {
  const plain = { cached: false, fast: true };
  if (texts.length === 0) return { ...plain, type: 'KEYWORD', why: 'no values seen' };
  if (texts.every((text) => parseIp(text) !== null)) {
    return { ...plain, type: 'IP', why: 'addresses' };
  }
  if (texts.every(looksLikeJson)) return { ...plain, type: 'TEXT', why: 'JSON text' };
  const average = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  const values = [...new Set(texts)];
  const distinct = values.length / texts.length;
  const why = `${shapeOf(distinct, Math.round(average))}${numbersIn(texts)}`;
  const isCategory = distinct <= CATEGORY_SHARE;
  const isProse = shareOf(texts, hasWords) > 0.5 && average >= PROSE_CHARS;
  const isName = !isCategory && values.length >= NAMES && shareOf(texts, isNamed) > 0.5;
  if (!isProse && !isName && !isWordy(texts, values, average)) {
    const fast = texts.length < NAMES || distinct <= UNIQUE_SHARE;
    const isShort = isCategory || average <= SHORT_CHARS;
    const folded = isShort && texts.some((text) => /\p{L}/u.test(text));
    const isCode = !fast && areCodes(texts);
    return { type: 'KEYWORD', why, cached: isCategory, fast, folded, isCode };
  }
  const isRepeated = average < PROSE_CHARS && texts.length >= NAMES && distinct <= UNIQUE_SHARE;
  return {
    ...{ type: 'TEXT', why, fast: false, cached: !isProse, analyzer: proposeAnalyzer(texts) },
    hasFacet: !isProse && (isCategory || isRepeated),
    isCode: distinct > UNIQUE_SHARE && average <= SHORT_CHARS && texts.every(isNumbered),
  };
}

/** `14 % distinct, 9 characters on average`. */
function shapeOf(distinct: number, length: number): string {
  const characters = length === 1 ? '1 character' : `${length} characters`;
  return `${Math.round(distinct * 100)} % distinct, ${characters} on average`;
}

/** Many rows have several words, or a few of the short values that are no codes. */
function isWordy(texts: readonly string[], values: readonly string[], average: number): boolean {
  if (shareOf(texts, hasWords) >= WORDY_ROWS) return true;
  return average < PROSE_CHARS && shareOf(values, hasWords) >= WORDY_VALUES && !areCodes(texts);
}

/** `; 93 % are numbers, compared as texts` of a column that may be one of numbers in its source. */
function numbersIn(texts: readonly string[]): string {
  const numbers = texts.filter((text) => /^[-+]?\d+(\.\d+)?$/.test(text)).length / texts.length;
  const areCodes = texts.some((text) => /^0\d/.test(text));
  if (numbers < NUMBERS_SHARE || areCodes) return '';
  return `; ${Math.floor(numbers * 100)} % are numbers, compared as texts`;
}

const shareOf = (texts: readonly string[], has: (text: string) => boolean): number =>
  texts.filter(has).length / texts.length;

/** Several words, or a text of a script without blanks. */
const hasWords = (text: string): boolean => /\S\s+\S/.test(text) || UNSPACED.test(text);

/** Most have a digit or a sign: a code of letters alone may be a word of other queries. */
const areCodes = (texts: readonly string[]): boolean =>
  shareOf(texts, (text) => /[^\p{L}\p{M}\s'’-]/u.test(text)) > 0.5;

/** A name with a number: `NGC 224`. */
const isNumbered = (text: string): boolean => /^\p{L}+[\s.-]*\p{N}+$/u.test(text);

/** Words, or one word with small letters and without digits: no code, path or number. */
const isNamed = (text: string): boolean =>
  hasWords(text) || (/^\p{L}[\p{L}\p{M}'’.-]*$/u.test(text) && /\p{Ll}|\p{Lo}/u.test(text));

const looksLikeJson = (text: string): boolean => /^\s*[{[][\s\S]*[}\]]\s*$/.test(text);
