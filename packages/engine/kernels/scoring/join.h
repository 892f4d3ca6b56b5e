/* Conjunctions whose rarest term is a list or short. */

/*
 * So many blocks of the rarest list: the other terms are bounded block by block, which reads lines
 * of memory that nothing else needs.
 */
#define BOUNDED 24

/* Documents survivors[0 .. n) with their places whose bit is set (flip: is not). */
static i32 keep(i32 docs, i32 n, i32 bitmap, i32 flip, i32 first) {
  i32 i = 0, m = 0, end = n << 2;
  for (; i < end; i += 4) {
    i32 d = *I32(docs + i), place = shr(i, 2);
    if (!first) place = *I32(U8(QUERY->places) + i);
    *I32(U8(QUERY->survivors) + m) = d;
    *I32(U8(QUERY->places) + m) = place;
    m += ((shr(I32(bitmap)[shr(d, 5)], d) ^ flip) & 1) << 2;
  }
  return shr(m, 2);
}

/* Number of documents in a bitmap (flip: not in it). */
static i32 countKept(i32 docs, i32 n, i32 bitmap, i32 flip) {
  i32 end = docs + (n << 2), m = 0;
  for (; docs < end; docs += 4) {
    i32 d = *I32(docs);
    m += hasBit(bitmap, d);
  }
  return SELECT(flip, n - m, m);
}

/* The most that a term scores in a block of a list. */
static f64 blockBest(f64 weight, i32 head) {
  f64 impact = F64(SEGMENT->impacts)[head & 255];
  return weight * raiseFrequency(impact, bit(shr(head, 16) & 255));
}

/* The first impact code with which the lead can reach theta beside the others. */
static i32 firstCode(f64 weight, f64 rest, f64 least) {
  i32 low = 1, high = 256, impacts = SEGMENT->impacts;
  while (low < high) {
    i32 middle = shr(low + high, 1);
    if (weight * raise(F64(impacts)[middle]) + rest < least)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/*
 * Documents of the active terms, the rarest of which is a list or short; `whole`: all are
 * visited.
 */
static i32 join(i32 scoring, i32 whole) {
  i32 active = QUERY->active;
  Slot *lead = QUERY->activeTerms[0];
  i32 k = 1;
  i32 isList = lead->kind == LIST, docs = lead->buffer;
  i32 blocks = lead->blocks, heads = lead->heads, lists = 1;
  f64 weight = lead->weight, rest = 0.0, before = -1.0, best = weight;
  for (; k < active; k++) {
    Slot *t = QUERY->activeTerms[k];
    rest += t->max;
    t->block = 0;
    t->place = 0;
    if (t->kind) lists++;
  }
  i32 block = 0, count = 0, least = 1, done = 0, late = 0, bounded = 0;
  i32 bounding = scoring && !whole && active > 1 && blocks >= BOUNDED;
  f64 bar = 0.0, others = 0.0;
  if (QUERY->fewBlocked && QUERY->blocked) {
    if (scoring)
      late = !whole && active == 1 && QUERY->bitmaps == 1;
    else
      late = active > 1 && QUERY->sieves[0].bitmap == QUERY->blocked;
  }
  others = rest;
  while (block < blocks && !done) {
    spend(1);
    if (scoring && !whole && isList) {
      f64 now = threshold();
      if (now != before) {
        before = now;
        bar = SELECT(active == 1, now, now / UP);
        least = firstCode(weight, rest, bar);
      }
      while (block < blocks && (I32(heads)[block] & 255) < least) block++;
      if (block >= blocks) break;
    }
    if (isList && !isOpen(lead, block)) {
      block++;
      continue;
    }
    if (isList) {
      if (scoring) best = blockBest(weight, I32(heads)[block]);
      others = rest;
      bounded = bounding && bar > 0.0;
      if (bounded) {
        others = boundInBlock(lead, block);
        if (others < 0.0 || best + others < bar) {
          block++;
          continue;
        }
      }
      if (best + others < bar) {
        block++;
        continue;
      }
      decode(lead, block);
    }
    i32 n = lead->postings, first = 1, source = docs, limit = 256;
    if (!scoring && lists == 1 && QUERY->bitmaps == 1) {
      count += countKept(docs, n, QUERY->sieves[0].bitmap, QUERY->sieves[0].flip);
      block++;
      continue;
    }
    k = 0;
    /*
     * Deleted documents are few: of one term only those that would be offered are looked up, of
     * several those that hold all.
     */
    if (late) k = 1;
    for (; k < QUERY->bitmaps; k++) {
      n = keep(source, n, QUERY->sieves[k].bitmap, QUERY->sieves[k].flip, first);
      first = 0;
      source = (i32)QUERY->survivors;
    }
    if (lists > 1 && first) {
      allSurvive(docs, n);
      first = 0;
      source = (i32)QUERY->survivors;
    }
    for (k = 1; k < lists && n > 0; k++) {
      n = meet(k, n, scoring, !scoring && !late && k + 1 == lists);
      if (n < 0) {
        n = -1 - n;
        done = 1;
      }
    }
    if (late && !scoring) n = countKept(source, n, QUERY->blocked, 1);
    count += n;
    if (scoring && n > 0) {
      if (isList && n > 12) limit = codeLimit(weight, best, lead->frequencyBits, others, bounded);
      scoreSurvivors(n, limit, others, source, !first, late);
    }
    block++;
  }
  return count;
}
