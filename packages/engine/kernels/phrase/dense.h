/* Phrases of dense terms, range by range. */

/* The score of a frequency at a length code. */
INLINE f64 scoreOf(f64 weight, i32 frequency, i32 code) {
  return weight * impactAt(rowOf(frequency), code);
}

/* What a call of `phrases` is about. */
typedef struct {
  i32 sorted, bound, codes, widthCodes, excluded, counting;
  f64 weight, low;
} PhraseScan;

/* How often the phrase of n dense terms is in doc; 0 too if its frequencies keep it below low. */
INLINE i32 matchDense(const i32 n, const PhraseScan *scan, i32 doc, i32 most) {
  i32 code = U8(scan->codes)[doc], least = 1 << 30;
  const Term *lead = TERMS;
  if (scoreOf(scan->weight, most, code) < scan->low) return 0;
  EACH (k, n) {
    locate(&TERMS[k], &CURSORS[k], doc, scan->widthCodes);
    if (below(TERMS[k].tf, least)) {
      least = TERMS[k].tf;
      lead = &TERMS[k];
      if (scoreOf(scan->weight, least, code) < scan->low) return 0;
    }
  }
  return countIn(n, lead, doc, scan->widthCodes, scan->counting);
}

/*
 * Documents of sorted[from .. to) with the phrase of n dense terms, in no excluded bitmap, whose
 * frequencies let `weight` reach `low`: emits them with their phrase frequencies. With `counting`
 * they are counted instead. Stops after a range that emitted; returns where to go on.
 */
INLINE i32 scanPhrases(const i32 n, i32 from, i32 to, const PhraseScan *scan) {
  i32 m = 0, counted = 0;
  while (below(from, to) && !m) {
    i32 r = I32(scan->sorted)[from++], width = 255;
    i64 groups[4];
    if (F64(scan->bound)[r] < scan->low) continue;
    candidatesOf(n, r, scan->excluded, groups);
    EACH (k, n) {
      i32 own = U8(TERMS[k].width)[r];
      if (own < width) width = own;
    }
    i32 most = width < 5 ? bit(width) : 32;
    EACH (q, 4) {
      for (i64 left = groups[q]; left; left &= left - 1) {
        i32 doc = (r << RANGE_SHIFT) + q * 64 + ctz64(left);
        i32 found = matchDense(n, scan, doc, most);
        if (!found) continue;
        if (scan->counting) {
          counted++;
        } else {
          I32(DOCS_AT)[m] = doc;
          I32(SCORES_AT)[m] = found;
          m++;
        }
      }
    }
  }
  *I32(EMITTED_AT) = m;
  *I32(COUNTED_AT) = counted;
  return from;
}

/* phrases{n}: of n terms. */
#define PHRASES(n)                                                                                 \
  EXPORT(phrases##n)                                                                               \
  i32 phrases##n(i32 from, i32 to, i32 sorted, i32 bound, i32 codes, i32 widthCodes, i32 excluded, \
                 i32 counting, f64 weight, f64 low) {                                              \
    const PhraseScan scan = {sorted, bound, codes, widthCodes, excluded, counting, weight, low};   \
    return scanPhrases(n, from, to, &scan);                                                        \
  }
PHRASES(2)
PHRASES(3)

EXPORT(phrasesAny)
i32 phrasesAny(i32 n, i32 from, i32 to, i32 sorted, i32 bound, i32 codes, i32 widthCodes,
               i32 excluded, i32 counting, f64 weight, f64 low) {
  const PhraseScan scan = {sorted, bound, codes, widthCodes, excluded, counting, weight, low};
  return scanPhrases(n, from, to, &scan);
}
