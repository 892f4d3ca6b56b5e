/* Scores, and the best documents. */

static f64 share(f64 weight, i32 tf, i32 code, i32 d) {
  if (tf < 32 && code < LONG) return weight * impactAt(tf << ROW_SHIFT, code);
  i32 length = code;
  if (code >= LONG) {
    i32 docs = SEGMENT->longDoc, low = 0, high = SEGMENT->longCount;
    while (low < high) {
      i32 middle = shr(low + high, 1);
      if (I32(docs)[middle] < d)
        low = middle + 1;
      else
        high = middle;
    }
    length = I32(SEGMENT->longLength)[low];
  }
  f64 norm = 1.2 * (0.25 + 0.75 * length / QUERY->averageLength);
  f64 frequency = tf;
  return weight * (frequency / (frequency + norm));
}

/* Frequency of a dense term in a document that holds it. */
static i32 denseFrequency(Slot *t, i32 d) {
  i32 r = shr(d, 8);
  i32 width = U8(t->width)[r];
  if (!width) return 1;
  i32 boundary = t->payload, offset = t->offset;
  if (t->wide)
    boundary += I32(offset)[r];
  else
    boundary += I32(t->base)[shr(r, 3)] + U16(offset)[r];
  i32 at = t->bitmap + (r << 5), word = shr(d, 6) & 3;
  i64 lower = shl64(1, d) - 1;
  i64 rank = popcount64(*I64(at) & SELECT(word, -1, lower)) +
             popcount64(I64(at)[1] & SELECT(word > 1, -1, SELECT(word == 1, lower, 0))) +
             popcount64(I64(at)[2] & SELECT(word > 2, -1, SELECT(word == 2, lower, 0))) +
             popcount64(I64(at)[3] & SELECT(word == 3, lower, 0));
  i32 bit = ((i32)rank + 1) * width;
  i32 bits = shr(*I32(boundary - shr(bit + 7, 3)), -bit & 7);
  return (bits & ones(width)) + 1;
}

/* The most that a dense term scores in a document of this code. */
static f64 denseBound(Slot *t, i32 d, i32 code) {
  i32 r = shr(d, 8);
  i32 width = U8(t->width)[r];
  i32 row = SELECT(width < 5, bit(width), 32);
  f64 impact = raise(F64(SEGMENT->impacts)[U8(t->impact)[r]]);
  f64 other = impactAt(row << ROW_SHIFT, code);
  return t->weight * min_f64(impact, other);
}

/* 1: a document with the score that ended the last page comes after that page. */
static i32 isBehind(i32 d, i32 rank) {
  if (rank >= QUERY->behind) return 1;
  if (rank <= QUERY->notBehind) return 0;
  return follows(QUERY->segment, d);
}

/*
 * The first length code with which the active terms may score no more than the last page's end: a
 * document has each of them once or more often.
 */
static i32 firstCodeBehind(void) {
  i32 low = 0, high = LONG;
  if (!QUERY->after) return 0;
  while (low < high) {
    i32 middle = shr(low + high, 1), k = 0;
    f64 sum = 0.0;
    for (; k < QUERY->active; k++)
      sum += QUERY->activeTerms[k]->weight * F64(TABLE_AT + 2048)[middle];
    if (sum > QUERY->ceiling)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void insert(i32 d, f64 score) {
  i32 size = QUERY->size, limit = QUERY->limit;
  i32 rank = d, ranks = QUERY->ranks, at = size;
  if (score > QUERY->most) return;
  if (QUERY->far) {
    QUERY->theta = offerFar(QUERY->segment, d, score);
    return;
  }
  if (ranks) rank = I32(ranks)[d];
  if (score == QUERY->most) {
    if (!isBehind(d, rank)) return;
  }
  if (size == limit) {
    at = limit - 1;
    f64 worst = QUERY->topScores[at];
    if (score < worst) return;
    if (score == worst) {
      if (QUERY->topDocs[at] >= 0) {
        if (QUERY->topRanks[at] < rank) return;
      }
    }
  } else {
    QUERY->size = size + 1;
  }
  for (; at > 0; at--) {
    f64 above = QUERY->topScores[at - 1];
    i32 doc = QUERY->topDocs[at - 1];
    i32 other = QUERY->topRanks[at - 1];
    if (above > score) break;
    if (above == score) {
      if (doc >= 0 && other < rank) break;
    }
    QUERY->topScores[at] = above;
    QUERY->topDocs[at] = doc;
    QUERY->topRanks[at] = other;
  }
  QUERY->topScores[at] = score;
  QUERY->topDocs[at] = d;
  QUERY->topRanks[at] = rank;
  if (QUERY->size == limit) QUERY->theta = max_f64(QUERY->theta, QUERY->topScores[limit - 1]);
}

/* A document that no bitmap leaves out. */
static void offer(i32 d, f64 score) {
  i32 k = 0;
  for (; k < QUERY->excluded; k++) {
    if (holds(QUERY->excludedTerms[k], d)) return;
  }
  insert(d, score);
}

/* What a score has to reach: more than theta where equal ones lose every tie. */
static f64 threshold(void) {
  f64 theta = QUERY->theta;
  i32 limit = QUERY->limit;
  if (QUERY->far) return QUERY->rising && QUERY->strict ? theta * NEXT : theta;
  if (!QUERY->rising || QUERY->ranks || QUERY->size < limit) return theta;
  if (QUERY->topDocs[limit - 1] < 0) return theta;
  if (QUERY->topScores[limit - 1] < theta) return theta;
  return theta * NEXT;
}
