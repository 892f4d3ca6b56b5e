/* The best documents of a term (engine/src/postings/best-docs.ts). */

#define LAST_BEST_DOC (BEST_DOCS + 8 * (MOST_BEST_DOCS - 1))

/* Takes a document as one of n; returns how many there are then. */
static i32 keepBest(i32 out, i32 n, i32 doc, i32 word, f64 value) {
  i32 at = n;
  if (n == MOST_BEST_DOCS) {
    if (value <= *F64(LAST_BEST_DOC)) return n;
    at = n - 1;
  } else {
    n++;
  }
  for (; at > 0; at--) {
    if (F64(BEST_DOCS - 8)[at] >= value) break;
    F64(BEST_DOCS)[at] = F64(BEST_DOCS - 8)[at];
    I64(out)[at] = I64(out)[at - 1];
  }
  F64(BEST_DOCS)[at] = value;
  I32(out)[2 * at] = doc;
  I32(out)[2 * at + 1] = word;
  return n;
}

/* Behind n documents of `found`. */
static i32 endBest(i32 out, i32 n, i32 found, f64 least, i32 fits) {
  f64 last = *F64(LAST_BEST), next = least;
  i32 tied = 0;
  if (found > n) {
    next = last;
    tied = least * APART < last;
  }
  if (!fits) {
    n = 0;
    tied = 0;
    next = 1.0;
  }
  out += n * BEST_DOC_BYTES;
  *I32(out) = word_of((f32)(next * FLOAT_UP));
  I32(out)[1] = n | (tied << 16);
  return out + 8;
}

/*
 * bestDocs: writes the best documents of a term at `out`, a multiple of 4; returns their end. BEST
 * has the best impacts, `notes` the impact of each block or range: only those with a document among
 * the best are weighed again.
 */
EXPORT(bestDocs)
i32 bestDocs(i32 df, i32 docs, i32 freqs, i32 codes, i32 notes, i32 dense, i32 out) {
  i32 at = docs, end = docs + (df << 2), shift = freqs - docs, to, limit, note = notes;
  i32 n = 0, found = 0, fits = 1, doc, tf, value;
  f64 last = *F64(LAST_BEST), least = 0.0, impact;
  while (at < end) {
    to = at + 4 * LIST_BLOCK;
    if (dense) {
      note = notes + (shr(*I32(at), 8) << 3);
      limit = *I32(at) | 255;
      for (to = at; to < end; to += 4) {
        if (*I32(to) > limit) break;
      }
    }
    to = SELECT(to < end, to, end);
    if (*F64(note) < last) {
      least = max_f64(least, *F64(note));
      at = to;
    } else {
      weighAll(at, at + shift, to, codes);
      value = IMPACTS;
      for (; at < to; at += 4) {
        impact = *F64(value);
        if (impact < last) {
          least = max_f64(least, impact);
        } else {
          doc = *I32(at);
          tf = *I32(at + shift);
          fits &= tf <= MOST_FREQUENCY;
          n = keepBest(out, n, doc, U8(codes)[doc] | (tf << 8), impact);
          found++;
        }
        value += 8;
      }
    }
    note += 8;
  }
  return endBest(out, n, found, least, fits);
}
