/** The tokenizers and filters by their names in a definition, with their options. */
import { asciiFolding } from './filter/ascii-folding.ts';
import {
  edgeNgram,
  elision,
  koreanParticles,
  length,
  possessive,
  stemmer,
  stop,
  truncate,
  unique,
  width,
} from './filter/filters.ts';
import { folding } from './filter/folding.ts';
import { lowercase } from './filter/lowercase.ts';
import { stemmerOf, stemsVersion, stopWordsOf } from './language/languages.ts';
import { type ComponentOptions, fault, type OptionSpec, type OptionSpecs } from './options.ts';
import type { Filter, Tokenizer } from './pipeline.ts';
import { cjkGroups } from './tokenize/cjk.ts';
import { tokenizeCode } from './tokenize/code.ts';
import { edgeNgrams, ngrams } from './tokenize/ngram.ts';
import { runsOf, tokenizeKeyword, tokenizeLetters, tokenizeWhitespace } from './tokenize/runs.ts';
import { tokenizeStandard } from './tokenize/standard.ts';

/** One kind of part: its options, and how it is made of them. */
export interface AnalysisComponent<T> {
  readonly options: OptionSpecs;
  readonly make: (options: ComponentOptions, what: string) => T;
}

const integer = (min: number, max: number, value: number): OptionSpec => ({
  kind: 'integer',
  min,
  max,
  value,
});
const plain = <T>(part: T): AnalysisComponent<T> => ({ options: {}, make: () => part });

/** More sizes at once make an index explode. */
const SIZES_MAX = 8;

function sized<T>(
  min: number,
  max: number,
  make: (min: number, max: number) => T,
): AnalysisComponent<T> {
  return {
    options: { min: integer(1, 32, min), max: integer(1, 32, max) },
    make(options, what) {
      const [least, most] = [options.integer('min'), options.integer('max')];
      if (most < least) throw fault(`${what} has max ${most} below min ${least}`);
      if (most - least >= SIZES_MAX && what.includes('"ngram"')) {
        throw fault(`${what} makes ${most - least + 1} sizes: at most ${SIZES_MAX} are allowed`);
      }
      return make(least, most);
    },
  };
}

/** Tokenizers by name. */
export const TOKENIZERS: Readonly<Record<string, AnalysisComponent<Tokenizer>>> = Object.freeze({
  standard: plain(tokenizeStandard),
  simple: plain(runsOf((c) => /^[\p{Alphabetic}\p{N}]$/u.test(c))),
  letter: plain(tokenizeLetters),
  whitespace: plain(tokenizeWhitespace),
  keyword: plain(tokenizeKeyword),
  ngram: sized(2, 3, ngrams),
  edge_ngram: sized(1, 10, edgeNgrams),
  code: plain(tokenizeCode),
  cjk: {
    options: { size: integer(1, 2, 2) },
    make: (options) => cjkGroups(options.integer('size')),
  },
});

/** The articles that French and its neighbours write with an apostrophe. */
const ELIDED = 'l m t qu n s j d c jusqu quoiqu lorsqu puisqu all dall dell nell sull un gl'.split(
  ' ',
);

/** Filters by name. */
export const FILTERS: Readonly<Record<string, AnalysisComponent<Filter>>> = Object.freeze({
  lowercase: plain(lowercase),
  ascii_folding: plain(asciiFolding),
  folding: plain(folding),
  korean_particles: plain(koreanParticles),
  width: plain(width),
  possessive: plain(possessive),
  elision: {
    options: { articles: { kind: 'words', value: ELIDED } },
    make: (options) => elision(options.words('articles') ?? []),
  },
  stop: {
    options: { language: { kind: 'language' }, words: { kind: 'words' } },
    make(options) {
      const language = options.text('language');
      const words = options.words('words');
      if (language !== undefined) return stop([...stopWordsOf(language), ...(words ?? [])]);
      return stop(words ?? stopWordsOf('english'));
    },
  },
  stemmer: {
    options: { language: { kind: 'language', value: 'english' } },
    make(options) {
      const language = options.text('language') ?? 'english';
      return stemmer(stemmerOf(language), stemsVersion(language));
    },
  },
  length: {
    options: { min: integer(0, 255, 0), max: integer(1, 255, 255) },
    make: (options) => length(options.integer('min'), options.integer('max')),
  },
  truncate: {
    options: { length: integer(1, 255, 10) },
    make: (options) => truncate(options.integer('length')),
  },
  edge_ngram: sized(1, 10, edgeNgram),
  unique: plain(unique),
});
