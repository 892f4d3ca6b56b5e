/**
 * Kernels over a bucket of occurrences (packages/engine/src/inverted/term-buckets.ts): the
 * occurrences of some terms that follow one another in byte order. An occurrence is two words:
 * document; position in the low `bits` bits, number of the term in its bucket above.
 *
 *   sort(cells, end, bits, terms, firsts, into): cells .. end by term, as pairs (document,
 *   position) at `into`, each term in the order of the cells. Pairs of term t end at
 *   firsts[t] (i32, an address).
 *
 *   shorts(term, terms, pairs, firsts, docs, freqs, positions, widths, sizes, out): encodes the
 *   terms `term` .. `terms`, whose pairs begin at `pairs`, until one is in 128 documents or more:
 *   its postings are at docs, freqs and positions then. Returns the number of that term, or
 *   `terms`. At `sizes`, two words per term: documents, bytes of its postings (not of the last
 *   one if it is not short).
 */
import { LIST_BLOCK } from '../../packages/engine/src/postings/format.ts';

const sort = `
  export fn sort(i32 cells, i32 end, i32 bits, i32 terms, i32 firsts, i32 into) {
    i32 at = cells, entry = firsts, last = firsts + (terms << 2), count, mask = (1 << bits) - 1;
    memory.fill(firsts, 0, terms << 2);
    while (at < end) {
      entry = firsts + ((i32[at + 4] >> bits) << 2);
      i32[entry] = i32[entry] + 8;
      at += 8;
    }
    entry = firsts;
    while (entry < last) {
      count = i32[entry];
      i32[entry] = into;
      into += count;
      entry += 4;
    }
    at = cells;
    while (at < end) {
      count = i32[at + 4];
      entry = firsts + ((count >> bits) << 2);
      into = i32[entry];
      i32[into] = i32[at];
      i32[into + 4] = count & mask;
      i32[entry] = into + 8;
      at += 8;
    }
  }`;

const shorts = `
  export fn shorts(
    i32 term, i32 terms, i32 pairs, i32 firsts, i32 docs, i32 freqs, i32 positions, i32 widths,
    i32 sizes, i32 out
  ) -> i32 {
    i32 end, df, from;
    while (term < terms) {
      end = i32[firsts + (term << 2)];
      df = group(pairs, (end - pairs) >> 3, docs, freqs, positions);
      i32[sizes] = df;
      if (df >= ${LIST_BLOCK}) { return term; }
      from = out;
      out = short(df, docs, freqs, positions, widths, out);
      i32[sizes + 4] = out - from;
      sizes += 8;
      pairs = end;
      term += 1;
    }
    return term;
  }`;

/** The functions `sort` and `shorts`; they call `group` and `short` of encode.ts. */
export const buckets = [sort, shorts].join('\n');
