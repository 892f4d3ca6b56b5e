/**
 * An analyzer is a tokenizer and a row of filters:
 *
 * 1. The tokenizer walks the UTF-8 text and hands over tokens as pieces of it, with positions.
 * 2. Each filter is a sink before the next sink: it passes a token on, changes its bytes in a buffer of its own, drops it
 *    (its position stays empty) or makes several of it (at the same position).
 * 3. The last step drops tokens of more than LIMITS.termBytes bytes; their positions stay empty, too.
 */
import { LIMITS } from '../base/limits.ts';
import type { Analyzer, TokenSink } from './analyzer.ts';

/** Text to raw tokens; returns the position that comes next. */
export type Tokenizer = (
  text: Uint8Array,
  from: number,
  to: number,
  position: number,
  sink: TokenSink,
) => number;

/** One step of a chain. */
export interface Filter {
  /** A sink that does the filter's work and hands the rest to `next`. */
  readonly attach: (next: TokenSink) => TokenSink;
  /** How the filter folds letters, if it does: words of a pattern are folded so, too. */
  readonly normalize?: (word: string) => string;
}

/** The end of a chain: drops tokens that are too long for a term, hands the others to the sink of the day. */
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

/** The analyzer that a tokenizer and filters make. Its chain is built once; one call uses it at a time. */
export function buildAnalyzer(
  name: string,
  tokenizer: Tokenizer,
  filters: readonly Filter[],
): Analyzer {
  const tail = new Tail();
  const head = filters.reduceRight<TokenSink>((next, filter) => filter.attach(next), tail);
  const folds = filters.flatMap((filter) => filter.normalize ?? []);
  return Object.freeze({
    name,
    analyze(text: Uint8Array, from: number, to: number, position: number, sink: TokenSink) {
      tail.out = sink;
      try {
        return tokenizer(text, from, to, position, head);
      } finally {
        tail.out = undefined;
      }
    },
    normalize: (word: string) => folds.reduce((text, fold) => fold(text), word),
  });
}
