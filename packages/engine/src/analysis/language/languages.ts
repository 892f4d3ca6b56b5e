/**
 * The languages that can be stemmed: English by our own Porter2, the others by the Snowball
 * project's stemmers in `snowball/`, with the stop words of `@orama/stopwords`
 * (docs/adr/segmentation.md). A language is loaded when it is first used.
 */
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { stemEnglish } from '../english/porter2.ts';
import type { SnowballStemmer } from '../snowball/stemmer.ts';
import { lowerText } from '../unicode/lower.ts';

/** The words that the english analyzer drops: the classic short list that Lucene uses, too. */
export const ENGLISH_STOP_WORDS: readonly string[] = Object.freeze(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there
  these they this to was will with`.split(/\s+/),
);

const require = createRequire(import.meta.url);

/** By our name: the name in the package of stop words. */
const PACKAGED: Readonly<Record<string, string>> = {
  arabic: 'arabic',
  armenian: 'armenian',
  danish: 'danish',
  dutch: 'dutch',
  finnish: 'finnish',
  french: 'french',
  german: 'german',
  greek: 'greek',
  hindi: 'indian',
  hungarian: 'hungarian',
  indonesian: 'indonesian',
  irish: 'irish',
  italian: 'italian',
  lithuanian: 'lithuanian',
  nepali: 'nepali',
  norwegian: 'norwegian',
  portuguese: 'portuguese',
  romanian: 'romanian',
  russian: 'russian',
  serbian: 'serbian',
  spanish: 'spanish',
  swedish: 'swedish',
  tamil: 'tamil',
  turkish: 'turkish',
};

/** Every language with a stemmer and stop words, sorted. */
export const LANGUAGES: readonly string[] = Object.freeze(
  ['english', ...Object.keys(PACKAGED)].sort(),
);

/** The stemmer of a language of LANGUAGES: a word in lower case to its stem. Throws unsupported. */
export function stemmerOf(language: string): (word: string) => string {
  if (language === 'english') return stemEnglish;
  const stemmer = new (snowballOf(language))();
  return (word) => stemmer.stemWord(word);
}

/** Throws unsupported in a bundle, which has not the files that are loaded by their names. */
function snowballOf(language: string): new () => SnowballStemmer {
  try {
    return require(`../snowball/${language}${extname(import.meta.url)}`).Stemmer;
  } catch (cause) {
    const message = `this bundle of the engine has no stemmer of "${language}"`;
    const hint = 'leave "@lakehouse-search/engine" out of the bundle, as an external package';
    throw new LhsError('unsupported', message, { hint, cause });
  }
}

/**
 * Which stems a language of LANGUAGES gives, as a commit records it: terms of one version cannot be
 * searched with those of another. Undefined for English, whose stems never changed.
 */
export const stemsVersion = (language: string): string | undefined =>
  language === 'english' ? undefined : SNOWBALL + (FOLDED_FIRST.get(language) ?? '');

/**
 * Languages whose vowel signs and letter variants hide endings from the stemmer: their analyzers
 * fold letters before it. With the version of the folding.
 */
export const FOLDED_FIRST: ReadonlyMap<string, string> = new Map([
  ['arabic', '-folded-2'],
  ['hindi', '-folded'],
  ['nepali', '-folded'],
]);

/** Of the stemmers in `snowball/`; before, indexes recorded no version (Snowball 2). */
const SNOWBALL = 'snowball-3';

/** The stop words of a language of LANGUAGES, folded as the lowercase filter folds words. */
export function stopWordsOf(language: string): readonly string[] {
  if (language === 'english') return ENGLISH_STOP_WORDS;
  const { stopwords } = require(`@orama/stopwords/${PACKAGED[language]}`) as {
    stopwords: readonly string[];
  };
  const words = stopwords.map((word) => lowerText(word.replace(/^[\ufeff\p{M}]+/u, '')));
  return words.filter((word) => !word.includes(' '));
}
