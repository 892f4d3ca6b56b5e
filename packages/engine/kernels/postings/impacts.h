/* Impacts of documents. */

/* From this code on a document has a norm of its own (inverted/format.ts). */
#define LONG_CODE 240
/* The last of the best impacts of a term. */
#define LAST_BEST (BEST + 8 * (BEST_IMPACTS - 1))

/* The norm of a document whose length has no exact code. */
static f64 longNorm(i32 doc) {
  i32 docs = *I32(LONG_DOCS), low = 0, high = *I32(LONG_COUNT), middle;
  while (low < high) {
    middle = shr(low + high, 1);
    if (I32(docs)[middle] < doc)
      low = middle + 1;
    else
      high = middle;
  }
  return F64(*I32(LONG_NORMS))[low];
}

/* Impacts of the postings at docs .. end, to IMPACTS; returns the best. */
static f64 weighAll(i32 docs, i32 freqs, i32 end, i32 codes) {
  i32 code, into = IMPACTS;
  f64 best = 0.0, norm, tf, value;
  while (docs < end) {
    code = U8(codes)[*I32(docs)];
    norm = F64(NORMS)[code];
    if (code >= LONG_CODE) norm = longNorm(*I32(docs));
    tf = *I32(freqs);
    value = tf / (tf + norm);
    *F64(into) = value;
    if (value > best) best = value;
    into += 8;
    docs += 4;
    freqs += 4;
  }
  return best;
}

/* The same, and BEST takes them. */
static f64 weigh(i32 docs, i32 freqs, i32 end, i32 codes) {
  i32 at, into = IMPACTS + ((end - docs) << 1);
  f64 best = weighAll(docs, freqs, end, codes), value, other;
  if (best <= *F64(LAST_BEST)) return best;
  at = IMPACTS;
  while (at < into) {
    value = *F64(at);
    at += 8;
    if (value <= *F64(LAST_BEST)) continue;
    for (docs = LAST_BEST; docs > BEST; docs -= 8) {
      other = F64(docs)[-1];
      if (other >= value) break;
      *F64(docs) = other;
    }
    *F64(docs) = value;
  }
  return best;
}
