/*
 * A bucket of occurrences (engine/src/inverted/write/term-buckets.ts): those of some terms that follow
 * one another in byte order. An occurrence is two words: document; position in the low `bits` bits,
 * number of the term in its bucket above.
 */

/*
 * sort: cells .. end by term, as pairs (document, position) at `into`, each term in the order of
 * the cells. Pairs of term t end at firsts[t].
 */
EXPORT(sort) void sort(i32 cells, i32 end, i32 bits, i32 terms, i32 firsts, i32 into) {
  i32 at = cells, entry = firsts, last = firsts + (terms << 2), count, mask = ones(bits);
  fill(firsts, 0, terms << 2);
  for (; at < end; at += 8) {
    entry = firsts + (shr(I32(at)[1], bits) << 2);
    *I32(entry) += 8;
  }
  for (entry = firsts; entry < last; entry += 4) {
    count = *I32(entry);
    *I32(entry) = into;
    into += count;
  }
  for (at = cells; at < end; at += 8) {
    count = I32(at)[1];
    entry = firsts + (shr(count, bits) << 2);
    into = *I32(entry);
    *I32(into) = *I32(at);
    I32(into)[1] = count & mask;
    *I32(entry) = into + 8;
  }
}

/*
 * shorts: encodes the terms `term` .. `terms`, whose pairs begin at `pairs`, until one is in a
 * block of documents or more: its postings are at docs, freqs and positions then. Returns the
 * number of that term, or `terms`. At `sizes`, two words per term: documents, bytes of its postings
 * (not of the last one if it is not short).
 */
EXPORT(shorts)
i32 shorts(i32 term, i32 terms, i32 pairs, i32 firsts, i32 docs, i32 freqs, i32 positions,
           i32 widths, i32 sizes, i32 out) {
  i32 end, df, from;
  for (; term < terms; term++) {
    end = I32(firsts)[term];
    df = group(pairs, shr(end - pairs, 3), docs, freqs, positions);
    *I32(sizes) = df;
    if (df >= LIST_BLOCK) return term;
    from = out;
    out = shortTerm(df, docs, freqs, positions, widths, out);
    I32(sizes)[1] = out - from;
    sizes += 8;
    pairs = end;
  }
  return term;
}
