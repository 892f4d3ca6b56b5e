/**
 * An analyzer is a tokenizer and a row of filters:
 *
 * 1. The tokenizer walks the UTF-8 text and hands over tokens as pieces of it, with positions.
 * 2. Each filter is a sink before the next sink: it passes a token on, changes its bytes in a
 *    buffer of its own, drops it (its position stays empty) or makes several of it (at the same
 *    position).
 * 3. The last step drops tokens of more than LIMITS.termBytes bytes; their positions stay empty,
 *    too.
 */
import { LIMITS } from '../base/limits.ts';
import type { Analyzer, TokenSink } from './analyzer.ts';
import { lowercase } from './filter/lowercase.ts';
import { tokenizeStandard } from './tokenize/standard.ts';
import { WordTable } from './word-table.ts';

/** Text to raw tokens; returns the position that comes next. */
export type Tokenizer = (
  text: Uint8Array,
  from: number,
  to: number,
  position: number,
  sink: TokenSink,
) => number;

/** A sink of a chain; one with a memory forgets it when a text begins. */
export interface Stage extends TokenSink {
  reset?(): void;
}

/**
 * One step of a chain: a sink before the next one, or a word for a word (an empty one drops it).
 */
export type Filter =
  | {
      readonly kind: 'sink';
      /** A sink that does the filter's work and hands the rest to `next`. */
      readonly attach: (next: TokenSink) => Stage;
      /** How the filter folds letters, if it does: words of a pattern are folded so, too. */
      readonly normalize?: (word: string) => string;
    }
  | {
      readonly kind: 'map';
      readonly map: (word: string) => string;
      /** How words of a pattern are changed, if the filter folds letters. */
      readonly normalize?: (word: string) => string;
      /** See `Analyzer.isStemmed`. */
      readonly isStemmer?: true;
      /** See `Analyzer.stems`. */
      readonly version?: string;
    };

/**
 * The end of a chain: drops tokens that are too long for a term, hands the others to the sink of
 * the day.
 */
class Tail implements TokenSink {
  out: TokenSink | undefined;

  token(
    b: Uint8Array,
    from: number,
    to: number,
    position: number,
    start: number,
    end: number,
  ): void {
    if (to - from <= LIMITS.termBytes && to > from) {
      this.out?.token(b, from, to, position, start, end);
    }
  }
}

/**
 * The analyzer that a tokenizer and filters make. Its chain is built once; one call uses it at a
 * time.
 */
export function buildAnalyzer(
  name: string,
  tokenizer: Tokenizer,
  filters: readonly Filter[],
): Analyzer {
  const tail = new Tail();
  const stages: Stage[] = [tail];
  for (const filter of joinMaps(filters).toReversed()) stages.unshift(attach(stages[0], filter));
  const forgetful = stages.filter((stage) => stage.reset !== undefined);
  const folds = filters.flatMap((f) => f.normalize ?? []);
  const [stems] = filters.flatMap((f) => (f.kind === 'map' ? (f.version ?? []) : []));
  const words = tokenizer === tokenizeStandard ? wordsOf(filters) : undefined;
  return Object.freeze({
    name,
    ...(stems === undefined ? {} : { stems }),
    ...(filters.some((f) => f.kind === 'map' && f.isStemmer) ? { isStemmed: true as const } : {}),
    ...(words === undefined ? {} : { words }),
    analyze(text: Uint8Array, from: number, to: number, position: number, sink: TokenSink) {
      tail.out = sink;
      for (const stage of forgetful) stage.reset?.();
      try {
        return tokenizer(text, from, to, position, stages[0]);
      } finally {
        tail.out = undefined;
      }
    },
    normalize: (word: string) => folds.reduce((text, fold) => fold(text), word),
  });
}

function attach(next: TokenSink, filter: Filter): Stage {
  if (filter.kind === 'sink') return filter.attach(next);
  const table = new WordTable(filter.map);
  return {
    token(b, from, to, position, start, end) {
      table.find(b, from, to);
      if (table.to > table.from)
        next.token(table.bytes, table.from, table.to, position, start, end);
    },
  };
}

/** See `Analyzer.words`; absent if the filters are not lower case and then maps of words. */
function wordsOf([first, ...others]: readonly Filter[]): Analyzer['words'] {
  if (first !== lowercase) return undefined;
  const [map, ...more] = joinMaps(others);
  if (map === undefined) return (word) => word;
  return map.kind === 'map' && more.length === 0 ? map.map : undefined;
}

/** Neighbouring maps become one, so that a frequent word is looked up once for all of them. */
function joinMaps(filters: readonly Filter[]): readonly Filter[] {
  const out: Filter[] = [];
  for (const filter of filters) {
    const last = out.at(-1);
    if (filter.kind !== 'map' || last?.kind !== 'map') out.push(filter);
    else {
      const first = last.map;
      const map = (word: string) => {
        const made = first(word);
        return made === '' ? '' : filter.map(made);
      };
      out[out.length - 1] = { kind: 'map', map };
    }
  }
  return out;
}
