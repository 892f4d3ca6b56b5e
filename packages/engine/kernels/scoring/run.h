/* The whole query, segment by segment. */

/*
 * Sorts the segments [first, last) that have the terms (all of them, or any) by the most that a
 * document scores there; returns how many. flags 4: a tenth best score of a term in any of them
 * is the first threshold.
 */
static i32 sortSegments(i32 first, i32 last, i32 asked, i32 all, i32 flags) {
  i32 s = first, n = 0, best = 0;
  f64 theta = QUERY->theta;
  fill(QUERY->bestSizes, 0, sizeof(QUERY->bestSizes));
  readAhead(first, last, asked, flags & 1);
  for (; s < last; s++) {
    Entry *entry = &QUERY->segments[s];
    i32 k = 0, present = 0, at = 0;
    f64 bound = 0.0;
    enter(entry);
    QUERY->blocked = entry->blocked;
    /* Of several terms in one segment the tenth best scores are as good, and cheaper. */
    i32 scored = (flags & 1) && (asked == 1 || (!all && (last - first > 1 || QUERY->blocked)));
    for (; k < asked; k++) {
      if (entry->found[k].df) {
        i32 ref = entry->found[k].ref;
        f64 weight = QUERY->weights[k];
        bound += weight * bestOf(ref);
        best = 0;
        if (scored) best = bestDocsOf(ref);
        if (best) {
          noteBest(k, best, weight);
        } else if (flags & 4)
          theta = max_f64(theta, weight * tenthOf(ref) * DOWN);
        present++;
      }
    }
    if (present && (!all || present == QUERY->distinct)) {
      entry->bound = bound;
      at = n;
      n++;
      for (; at > 0; at--) {
        i32 before = QUERY->segmentOrder[at - 1];
        if (QUERY->segments[before].bound >= bound) break;
        QUERY->segmentOrder[at] = before;
      }
      QUERY->segmentOrder[at] = s;
    }
  }
  QUERY->theta = max_f64(theta, bestTheta(asked));
  return n;
}

/* The query over the segment of an entry; returns the count, or 0. */
static i32 runSegment(Entry *entry, i32 asked, i32 all, i32 flags) {
  i32 k = 0, n = 0, count = -1;
  f64 theta = QUERY->theta, most = 0.0;
  for (; k < asked; k++) {
    i32 df = entry->found[k].df;
    if (df) {
      Slot *t = &QUERY->termSlots[n];
      t->weight = QUERY->weights[k];
      t->order = QUERY->orders[k];
      t->living = entry->living[k];
      openTerm(t, n, df, entry->found[k].ref);
      most += t->max;
      n++;
    }
  }
  QUERY->terms = n;
  QUERY->joined = -1;
  QUERY->rising = n == 1;
  if ((flags & 1) && most * UP >= theta) {
    if (all || n == 1) {
      activate(-1);
      count = searchActive((shr(flags, 1) & 1) && n > 1);
    } else {
      searchUnion(shr(flags, 1) & 1);
    }
  }
  if (!(flags & 2)) return 0;
  if (n == 1) return countTerm(0);
  if (!all) return countUnion(entry->exact);
  if (count >= 0) return count;
  activate(-1);
  return countActive();
}

/* Emits the documents of segment s that are among the best now. */
static void emitBest(i32 s) {
  i32 i = 0;
  Emitted *at = QUERY->emitted + QUERY->emittedCount;
  for (; i < QUERY->size; i++) {
    i32 d = QUERY->topDocs[i];
    if (d >= 0) {
      at->score = QUERY->topScores[i];
      at->doc = d;
      at->segment = s;
      at++;
      /* It is one of an earlier segment for the next one. */
      QUERY->topDocs[i] = -1;
    }
  }
  QUERY->emittedCount = at - QUERY->emitted;
}

/* Keeps the numbers of documents that are not blocked, where they were counted. */
static void keepLiving(Entry *entry, i32 asked) {
  i32 k = 0, n = 0;
  for (; k < asked; k++) {
    if (entry->found[k].df) {
      entry->living[k] = QUERY->termSlots[n].living;
      n++;
    }
  }
}

/*
 * A whole query over the segments [first, last) of those looked up. all 1: all terms, 0: any.
 * flags: 1 top documents, 2 count, 4 stored tenth best scores hold. Returns the count, or 0.
 */
EXPORT(query) i32 query(i32 first, i32 last, i32 asked, i32 all, i32 flags) {
  i32 n = sortSegments(first, last, asked, all, flags), i = 0, total = 0;
  QUERY->emittedCount = 0;
  for (; i < n; i++) {
    i32 s = QUERY->segmentOrder[i];
    Entry *entry = &QUERY->segments[s];
    if (!(flags & 2) && entry->bound * UP < QUERY->theta) break;
    enter(entry);
    QUERY->ranks = entry->ranks;
    QUERY->blocked = entry->blocked;
    QUERY->fewBlocked = entry->exact;
    QUERY->segment = s;
    QUERY->behind = 0x7fffffff;
    QUERY->notBehind = -1;
    QUERY->strict = 0;
    total += runSegment(entry, asked, all, flags);
    if (flags & 1) emitBest(s);
    if (flags & 2) keepLiving(entry, asked);
  }
  return total;
}
