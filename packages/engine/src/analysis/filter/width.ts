import type { TokenSink } from '../analyzer.ts';
import type { Filter } from '../pipeline.ts';

/**
 * Wide Latin letters and figures as plain ones, narrow Katakana as wide ones (what NFKC does to
 * U+FF00 to U+FFEF).
 */
const foldWidth = (text: string): string =>
  text.replace(/[\uff00-\uffef]+/g, (run) => run.normalize('NFKC'));

/** The filter; words without such forms (UTF-8 with a lead byte EF) are passed on untouched. */
export const width: Filter = Object.freeze({
  kind: 'sink',
  attach: (next: TokenSink): TokenSink => ({
    token(b, from, to, position, start, end) {
      let i = from;
      while (i < to && b[i] !== 0xef) i++;
      if (i === to) {
        next.token(b, from, to, position, start, end);
        return;
      }
      const folded = Buffer.from(foldWidth(Buffer.from(b.subarray(from, to)).toString()));
      next.token(folded, 0, folded.length, position, start, end);
    },
  }),
  normalize: foldWidth,
});
