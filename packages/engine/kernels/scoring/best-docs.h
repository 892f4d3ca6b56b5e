/* The best documents that a term stores (engine/src/postings/best-docs.ts). */

/* Where the best documents of a term end; 0: it has none, or fewer than the page. */
static i32 bestDocsOf(i32 ref) {
  if (ref >= 0 || !SEGMENT->bestDocs || QUERY->after) return 0;
  if (QUERY->limit > BEST) return 0;
  i32 record = SEGMENT->records + (-1 - ref) * 40;
  return SEGMENT->big + (I32(record)[1] << 2) + I32(record)[9];
}

static i32 firstBest(i32 best) { return best - 8 - (I32(best)[-1] & 0xffff) * BEST_DOC_BYTES; }

/* The score of the document at an address. */
static f64 bestScore(i32 at, f64 weight) {
  i32 word = I32(at)[1];
  return share(weight, shr(word, 8), word & 255, *I32(at));
}

static i32 isBlocked(i32 d) {
  i32 blocked = QUERY->blocked;
  if (!blocked) return 0;
  return hasBit(blocked, d);
}

/* Takes the scores of a segment's best documents of term k. */
static void noteBest(i32 k, i32 best, f64 weight) {
  i32 at = firstBest(best), size = QUERY->bestSizes[k], limit = QUERY->limit;
  i32 scores = (i32)QUERY->bestScores + (k << 7), place = 0;
  for (; at < best - 8; at += BEST_DOC_BYTES) {
    f64 score = bestScore(at, weight);
    i32 open = !isBlocked(*I32(at));
    if (open && size == limit) open = F64(scores)[limit - 1] < score;
    if (open) {
      place = SELECT(size < limit, size, limit - 1);
      size = place + 1;
      for (; place > 0; place--) {
        f64 above = F64(scores)[place - 1];
        if (above >= score) break;
        F64(scores)[place] = above;
      }
      F64(scores)[place] = score;
    }
  }
  QUERY->bestSizes[k] = size;
}

/* What the last document of the page scores at least; 0: they do not fill it. */
static f64 bestTheta(i32 asked) {
  i32 limit = QUERY->limit, k = 0;
  f64 theta = 0.0;
  for (; k < asked; k++) {
    if (limit && QUERY->bestSizes[k] == limit)
      theta = max_f64(theta, *F64((i32)QUERY->bestScores + (limit << 3) + (k << 7) - 8));
  }
  return theta;
}

/* 1: of the documents of a term alone, no others of the segment are of the page. */
static i32 suffice(Slot *t) {
  i32 best = t->best, at = firstBest(best), n = 0;
  f64 next = float_of(I32(best)[-2]);
  if (t->weight * raise(next) * UP < QUERY->theta) return 1;
  if (!shr(I32(best)[-1], 16) || QUERY->ranks || QUERY->scale != 1.0) return 0;
  if (QUERY->terms > 1) return 0;
  /* Others with the score of the last one come after it. */
  for (; at < best - 8; at += BEST_DOC_BYTES) n += !isBlocked(*I32(at));
  return n >= QUERY->limit;
}

/* 1: no bitmap leaves the document out. */
static i32 passes(i32 d) {
  i32 at = (i32)QUERY->sieves, end = at + (QUERY->bitmaps << 3);
  for (; at < end; at += 8) {
    if (!((shr(I32(*I32(at))[shr(d, 5)], d) ^ I32(at)[1]) & 1)) return 0;
  }
  return 1;
}

/* Offers the best documents of the active term. */
static void offerBest(Slot *t) {
  i32 best = t->best, at = firstBest(best);
  f64 weight = t->weight;
  for (; at < best - 8; at += BEST_DOC_BYTES) {
    f64 score = bestScore(at, weight);
    if (score >= QUERY->theta) {
      if (passes(*I32(at))) offer(*I32(at), score);
    }
  }
}
