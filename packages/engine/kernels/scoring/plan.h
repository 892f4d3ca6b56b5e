/* Which terms a document has to hold: conjunctions and unions. */

/* Makes the terms active whose bits are set; the others are excluded. */
static void activate(i32 set) {
  i32 terms = QUERY->terms, k = 0, active = 0, excluded = 0, bitmaps = 0, at = 0;
  for (; k < terms; k++) {
    Slot *t = &QUERY->termSlots[k];
    if (shr(set, k) & 1) {
      at = active;
      active++;
      for (; at > 0 && QUERY->activeTerms[at - 1]->df > t->df; at--)
        QUERY->activeTerms[at] = QUERY->activeTerms[at - 1];
      QUERY->activeTerms[at] = t;
    } else if (t->kind == DENSE) {
      QUERY->sieves[bitmaps].bitmap = t->bitmap;
      QUERY->sieves[bitmaps].flip = 1;
      bitmaps++;
    } else {
      QUERY->excludedTerms[excluded] = t;
      excluded++;
    }
  }
  if (QUERY->blocked) {
    QUERY->sieves[bitmaps].bitmap = QUERY->blocked;
    QUERY->sieves[bitmaps].flip = 1;
    bitmaps++;
  }
  QUERY->reordered = 0;
  for (k = 0; k < active; k++) {
    Slot *own = QUERY->activeTerms[k];
    if (k > 0 && active > 2) {
      Slot *left = QUERY->activeTerms[k - 1];
      if (left->order > own->order) QUERY->reordered = 1;
    }
    if (k > 0 && own->kind == DENSE) {
      QUERY->sieves[bitmaps].bitmap = own->bitmap;
      QUERY->sieves[bitmaps].flip = 0;
      bitmaps++;
    }
  }
  QUERY->active = active;
  QUERY->excluded = excluded;
  QUERY->bitmaps = bitmaps;
  QUERY->firstCode = firstCodeBehind();
}

/*
 * Top documents of the active terms; their number where `whole` and the rarest is a list, else
 * -1.
 */
static i32 searchActive(i32 whole) {
  Slot *lead = QUERY->activeTerms[0];
  if (QUERY->active == 1 && lead->best) {
    if (suffice(lead)) {
      offerBest(lead);
      return -1;
    }
  }
  if (lead->kind == DENSE) {
    searchDense();
    return -1;
  }
  i32 count = join(1, whole);
  return SELECT(whole, count, -1);
}

/* Short terms have no stored best impact: all their scores are computed. */
static void boundShort(Slot *t) {
  i32 docs = t->buffer, i = 0;
  f64 most = 0.0;
  for (; i < t->df; i++) {
    i32 d = I32(docs)[i];
    i32 tf = I32(docs + BUFFER_frequencies)[i];
    most = max_f64(most, share(t->weight, tf, U8(SEGMENT->codes)[d], d));
  }
  t->max = most;
}

/* By the exact set of terms that a document holds, sets of high scores first. */
static void searchUnion(i32 whole) {
  i32 terms = QUERY->terms, set = 1, k = 0, n = 0, at = 0;
  for (; k < terms; k++) {
    Slot *t = &QUERY->termSlots[k];
    if (t->kind == SHORT) boundShort(t);
  }
  for (; set < bit(terms); set++) {
    f64 sum = 0.0;
    for (k = 0; k < terms; k++) {
      if (shr(set, k) & 1) sum += QUERY->termSlots[k].max;
    }
    at = n;
    n++;
    for (; at > 0 && QUERY->sums[at - 1] <= sum; at--) {
      QUERY->sums[at] = QUERY->sums[at - 1];
      QUERY->sets[at] = QUERY->sets[at - 1];
    }
    QUERY->sums[at] = sum;
    QUERY->sets[at] = set;
  }
  for (k = 0; k < n && QUERY->sums[k] * UP >= QUERY->theta; k++) {
    activate(QUERY->sets[k]);
    i32 count = searchActive(whole & (k == 0));
    if (k == 0) QUERY->joined = count;
  }
}
