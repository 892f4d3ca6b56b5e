/* Scores of the survivors of a block of the rarest list, or of a short term. */

/*
 * Scores survivors[0 .. n) whose length code is one of a page, below `limit`, by the lead; those
 * that can reach theta beside the other terms, which score up to `rest`, go on. Without others
 * they are offered. `late`: blocked documents are among them.
 */
static void scoreSurvivors(i32 n, i32 limit, f64 rest, i32 docs, i32 placed, i32 late) {
  i32 codes = SEGMENT->codes;
  Slot *lead = QUERY->activeTerms[0];
  i32 i = 0;
  i32 isList = lead->kind == LIST, single = QUERY->active == 1;
  i32 at = lead->frequenciesAt, width = lead->frequencyBits;
  i32 mask = ones(width), low = QUERY->firstCode;
  f64 weight = lead->weight, least = leastShare(single, rest);
  f64 ceiling = QUERY->ceiling;
  limit = SELECT(limit > low, limit - low, 0);
  if (!isList) at = lead->buffer + BUFFER_frequencies;
  /* Passes without branches that depend on the data: a wrong guess costs more than a score. */
  i32 m = 0, j = 0;
  for (; i < n; i++) {
    *I32(U8(QUERY->candidates) + m) = i;
    m += below(U8(codes)[I32(docs)[i]] - low, limit) << 2;
  }
  n = shr(m, 2);
  m = 0;
  for (i = 0; i < n; i++) {
    i32 own = QUERY->candidates[i];
    i32 d = I32(docs)[own], place = own;
    i32 code = U8(codes)[d], tf = 0;
    if (placed) place = QUERY->places[own];
    if (isList) {
      place *= width;
      tf = ((i32)shr64(*I64(at + shr(place, 3)), place & 7) & mask) + 1;
    } else {
      tf = I32(at)[place];
    }
    f64 score = tf < 32 && code < LONG ? weight * impactAt(tf << ROW_SHIFT, code)
                                       : share(weight, tf, code, d);
    QUERY->candidates[m] = own;
    QUERY->candidateScores[m] = score;
    m += (score >= least) & (score <= ceiling);
  }
  for (; j < m; j++) {
    f64 score = QUERY->candidateScores[j];
    if (score >= least) {
      i32 own = QUERY->candidates[j], d = I32(docs)[own];
      if (late) late = 1 + isBlocked(d);
      if (single) {
        if (late < 2) offer(d, score);
      } else {
        scoreOthers(own, d, U8(codes)[d], score);
      }
      least = leastShare(single, rest);
    }
  }
}

/* What the lead alone has to score. */
static f64 leastShare(i32 single, f64 rest) {
  if (single) return threshold();
  return QUERY->theta / UP - rest;
}

/* Scores survivor i by the terms after the lead, which scores `score` in it. */
static void scoreOthers(i32 i, i32 d, i32 code, f64 score) {
  i32 active = QUERY->active, k = 1;
  Slot *t = QUERY->activeTerms[0];
  f64 theta = QUERY->theta, own = 0.0, most = 0.0;
  QUERY->shares[t->order] = score;
  for (; k < active; k++) {
    t = QUERY->activeTerms[k];
    if (!t->kind) break;
    i32 tf = I32(t->buffer + BUFFER_survivors)[i];
    own = share(t->weight, tf, code, d);
    QUERY->shares[t->order] = own;
    score += own;
  }
  i32 lists = k;
  if (k < active) {
    most = score;
    for (; k < active; k++) most += denseBound(QUERY->activeTerms[k], d, code);
    if (most * UP < theta) return;
    for (k = lists; k < active; k++) {
      t = QUERY->activeTerms[k];
      own = share(t->weight, denseFrequency(t, d), code, d);
      QUERY->shares[t->order] = own;
      score += own;
    }
  }
  if (score * UP < theta) return;
  if (QUERY->reordered) score = addShares();
  if (score >= theta) offer(d, score);
}

/* Sum of the active terms' shares in the order of the query. */
static f64 addShares(void) {
  i32 order = 0, first = 1;
  f64 sum = 0.0;
  for (; order < 8; order++) {
    i32 k = 0;
    for (; k < QUERY->active; k++) {
      if (QUERY->activeTerms[k]->order == order) {
        f64 own = QUERY->shares[order];
        if (first)
          sum = own;
        else
          sum += own;
        first = 0;
      }
    }
  }
  return sum;
}
