/**
 * Receives tokens in order. The token's bytes are bytes[from .. to) (UTF-8, already folded); they
 * are only valid during the call. `position` counts from 0 and may stand still (several tokens of
 * one word) or leave holes (dropped words). `start`, `end`: UTF-8 byte range in the analysed text.
 */
export interface TokenSink {
  token(
    bytes: Uint8Array,
    from: number,
    to: number,
    position: number,
    start: number,
    end: number,
  ): void;
}

/** Text to tokens. Stateless from the caller's view; one instance may be used by one thread. */
export interface Analyzer {
  readonly name: string;
  /**
   * Which stems it makes; absent where there is no choice. An index is searched with the stems
   * that it was built with, or not at all.
   */
  readonly stems?: string;
  /** True if terms are stems, which are no words. */
  readonly isStemmed?: true;
  /**
   * Present if the analyzer turns each word into a term without looking at its neighbours: maps a
   * lower-case word of the standard tokenizer to its term ('' drops the word).
   */
  readonly words?: (word: string) => string;
  /**
   * Analyses the UTF-8 text[from .. to), with positions from `position` on; returns the position
   * that comes next (holes at the end included).
   */
  analyze(text: Uint8Array, from: number, to: number, position: number, sink: TokenSink): number;
  /**
   * Lower-cases / folds one word without splitting it: for prefix, wildcard, fuzzy and regex
   * patterns. No stemming.
   */
  normalize(word: string): string;
}
