/* Documents driven by lists: of one list term, of survivors of an intersection. */

/*
 * list: postings of blocks [block, blocks) of a list term, where a block's best impact has at least
 * code `first`, that reach theta and are not in `blocked` (0: none). Blocks are decoded as they are
 * scored. Stops after a block that emitted; returns where to go on.
 */
EXPORT(list)
i32 list(i32 block, i32 blocks, i32 last, i32 heads, i32 data, i32 payload, i32 df, i32 codes,
         i32 blocked, i32 first, f64 weight, f64 theta) {
  i32 m = 0;
  for (; below(block, blocks) && !m; block++) {
    i32 head = I32(heads)[block];
    if (below(head & 255, first)) continue;
    i32 width = shr(head, 8) & 255, tfWidth = shr(head, 16) & 255, left = df - (block << 7);
    left = SELECT(below(left, 128), left, 128);
    i32 doc = block ? I32(last)[block - 1] : -1;
    i32 at = payload + I32(data)[block], frequencies = at + (shr(left * width + 31, 5) << 2);
    i32 docBit = 0, tfBit = 0;
    do {
      doc += packedBits(at, docBit, ones(width)) + 1;
      docBit += width;
      if (!blocked || !hasBit(blocked, doc)) {
        i32 row = rowOf(packedBits(frequencies, tfBit, ones(tfWidth)) + 1);
        i32 code = U8(codes)[doc];
        m = emit(m, doc, code, row == BOUND_ROW, weight * impactAt(row, code), theta);
      }
      tfBit += tfWidth;
    } while (--left);
  }
  *I32(EMITTED_AT) = m;
  return block;
}

/* The share of a document in a dense term: its rank in the range, then its frequency. */
INLINE f64 denseShare(Dense *dense, const Term *term, i32 doc, i32 code, i32 *bounded) {
  dense->boundary = boundaryOf(term, shr(doc, RANGE_SHIFT));
  i32 word = term->bitmap + (shr(doc, 6) << 3);
  i32 rank = popcount64(*I64(word) & (shl64(1, doc) - 1));
  for (i32 at = term->bitmap + (shr(doc, RANGE_SHIFT) << 5); below(at, word); at += 8)
    rank += popcount64(*I64(at));
  return dense->weight * impactAt(rowAt(dense, rank, bounded), code);
}

/* What a call of `lists` is about. `ahead`: the most that the dense terms can add. */
typedef struct {
  i32 survivors, codes;
  f64 theta, low, ahead;
} SurvivorScan;

/*
 * Of survivors[from .. to), known to hold `lists` list terms (first; posting numbers by `hits`) and
 * `dense` dense terms, those that reach theta. Stops once 16 are emitted.
 */
INLINE i32 scoreSurvivorsOf(const i32 lists, const i32 dense, Dense *terms, i32 from, i32 to,
                            const SurvivorScan *scan) {
  i32 m = 0;
  EACH (k, lists + dense) terms[k].weight = TERMS[k].weight;
  while (below(from, to) && below(m, 16)) {
    i32 i = from++, doc = I32(scan->survivors)[i], code = U8(scan->codes)[doc], bounded = 0;
    f64 score = 0;
    EACH (k, lists) {
      i32 row = rowOf(I32(TERMS[k].frequencies)[I32(TERMS[k].hits)[i]]);
      f64 share = terms[k].weight * impactAt(row, code);
      bounded |= row == BOUND_ROW;
      score = k ? score + share : share;
    }
    if (dense) {
      if (score + scan->ahead < scan->low) continue;
      EACH (k, lists + dense)
        if (k >= lists) openRange(&terms[k], &TERMS[k], shr(doc, RANGE_SHIFT));
      if (score + boundsAt(terms, lists, lists + dense, code) < scan->low) continue;
      EACH (k, lists + dense)
        if (k >= lists) score += denseShare(&terms[k], &TERMS[k], doc, code, &bounded);
    }
    m = emit(m, doc, code, bounded, score, scan->theta);
  }
  *I32(EMITTED_AT) = m;
  return from;
}

/* lists{l}{p}: l list terms, p dense terms. */
#define LISTS(l, p)                                                                            \
  EXPORT(lists##l##p)                                                                          \
  i32 lists##l##p(i32 from, i32 to, i32 survivors, i32 codes, f64 theta, f64 low, f64 ahead) { \
    const SurvivorScan scan = {survivors, codes, theta, low, ahead};                           \
    Dense terms[4];                                                                            \
    return scoreSurvivorsOf(l, p, terms, from, to, &scan);                                     \
  }
LISTS(1, 1)
LISTS(1, 2)
LISTS(2, 0)
LISTS(2, 1)
LISTS(3, 0)

EXPORT(listsAny)
i32 listsAny(i32 lists, i32 dense, i32 from, i32 to, i32 survivors, i32 codes, f64 theta, f64 low,
             f64 ahead) {
  const SurvivorScan scan = {survivors, codes, theta, low, ahead};
  return scoreSurvivorsOf(lists, dense, ANY_DENSE, from, to, &scan);
}
