/* Survivors of a block of the rarest list that another list or short term holds too. */

/*
 * From so many survivors per block of the other list on, and so many in all, its documents are
 * compared by a bitmap; else each survivor is looked up.
 */
#define PER_BLOCK 4
#define LEAST 32
/* The bitmap has a bit for each document modulo this: it stays in the first cache. */
#define MARKED 16384
/* Less than one of so many survivors: they are looked up one by one. */
#define FEW_COMMON 5
/* So many documents that share a bit with a survivor have room. */
#define STRAY 16

INLINE i32 *markOf(i32 doc) { return &QUERY->survivorMarks[wordOf(doc & (MARKED - 1))]; }

INLINE i32 isMarked(i32 doc) { return hasBit((i32)QUERY->survivorMarks, doc & (MARKED - 1)); }

/* N documents are survivors, at their own places. */
static void allSurvive(i32 docs, i32 n) {
  i32 i = 0, end = n << 2;
  v128 place = wasm_i32x4_splat(0), four = wasm_i32x4_splat(4);
  place = wasm_i32x4_replace_lane(place, 1, 1);
  place = wasm_i32x4_replace_lane(place, 2, 2);
  place = wasm_i32x4_replace_lane(place, 3, 3);
  for (; i < end; i += 16) {
    *V128(U8(QUERY->survivors) + i) = *V128(docs + i);
    *V128(U8(QUERY->places) + i) = place;
    place = wasm_i32x4_add(place, four);
  }
}

/* Sets the bits of n documents, and no others. */
static void markDocs(i32 at, i32 n) {
  i32 end = at + (n << 2);
  fill(QUERY->survivorMarks, 0, MARKED / 8);
  for (; at < end; at += 4) {
    i32 d = *I32(at);
    *markOf(d) |= bit(d);
  }
}

/* The frequency of the posting at a place of the decoded block (all of a short term). */
static i32 frequencyAt(Slot *t, i32 place) {
  if (t->kind == SHORT) return I32(t->buffer + BUFFER_frequencies)[place];
  return packed(t->frequenciesAt, place, t->frequencyBits) + 1;
}

/*
 * Marked documents of docs[from .. to) go to common[m ..], their places to found; returns their
 * end.
 */
static i32 takeMarked(i32 docs, i32 from, i32 to, i32 m) {
  i32 i = from << 2, end = to << 2;
  m <<= 2;
  for (; i < end; i += 4) {
    i32 d = *I32(docs + i);
    *I32(U8(QUERY->common) + m) = d;
    *I32(U8(QUERY->found) + m) = shr(i, 2);
    m += (isMarked(d)) << 2;
  }
  return shr(m, 2);
}

/* The number of marked documents of docs[from .. to). */
static i32 countMarks(i32 docs, i32 from, i32 to) {
  i32 at = docs + (from << 2), end = docs + (to << 2), m = 0;
  for (; at < end; at += 4) {
    i32 d = *I32(at);
    m += isMarked(d);
  }
  return m;
}

/* Survivor i becomes survivor m, with what the lists before k know of it. */
static void move(i32 k, i32 i, i32 m, i32 d) {
  QUERY->survivors[m] = d;
  QUERY->places[m] = QUERY->places[i];
  i32 j = 1;
  for (; j < k; j++) {
    i32 into = QUERY->activeTerms[j]->buffer + BUFFER_survivors;
    I32(into)[m] = I32(into)[i];
  }
}

/* Moves values[0 .. n) whose survivors are marked to the front. */
static void compact(i32 values, i32 n) {
  i32 i = 0, m = 0, end = n << 2;
  for (; i < end; i += 4) {
    i32 d = *I32(U8(QUERY->survivors) + i);
    *I32(values + m) = *I32(values + i);
    m += (isMarked(d)) << 2;
  }
}

/* Leaves of n survivors those that are among the m in common; returns how many. */
static i32 lookUpCommon(i32 k, i32 n, i32 m) {
  i32 into = QUERY->activeTerms[k]->buffer + BUFFER_survivors;
  i32 i = 0, j = 0, out = 0;
  *V128(&QUERY->survivors[n]) = wasm_i32x4_splat(0x7fffffff);
  for (; j < m; j++) {
    i32 d = QUERY->common[j];
    i = seek((i32)QUERY->survivors, i, n, d);
    if (QUERY->survivors[i] == d) {
      move(k, i, out, d);
      I32(into)[out] = I32(into)[j];
      out++;
    }
  }
  return out;
}

/* The same where all m are among them. */
static void keepCommon(i32 k, i32 n, i32 m) {
  i32 j = 1;
  markDocs((i32)QUERY->common, m);
  for (; j < k; j++) compact(QUERY->activeTerms[j]->buffer + BUFFER_survivors, n);
  compact((i32)QUERY->places, n);
  copy(QUERY->survivors, QUERY->common, m << 2);
}

/*
 * Survivors[0 .. n) that blocks `block` .. `last` of term k hold; returns how many. `only`: their
 * number is all that is wanted.
 */
static i32 meetBlocks(i32 k, i32 n, i32 block, i32 last, i32 scoring, i32 only) {
  Slot *t = QUERY->activeTerms[k];
  i32 first = block, m = 0, i = 0;
  i32 docs = t->buffer;
  i32 into = docs + BUFFER_survivors;
  i32 low = QUERY->survivors[0], high = QUERY->survivors[n - 1];
  /* Documents this near one another do not share bits. */
  i32 exact = below(high - low, MARKED);
  markDocs((i32)QUERY->survivors, n);
  for (; block <= last; block++) {
    if (t->kind == LIST) decode(t, block);
    i32 from = 0, to = t->postings;
    if (block == last) to = seek(docs, 0, to, high + 1);
    if (block == first) from = seek(docs, 0, to, low);
    if (only && exact) {
      m += countMarks(docs, from, to);
    } else {
      i = m;
      m = takeMarked(docs, from, to, m);
      if (m > n + STRAY) return meetEach(k, n, first, scoring);
      for (; scoring && i < m; i++) I32(into)[i] = frequencyAt(t, QUERY->found[i]);
    }
  }
  if (only && exact) return m;
  if (exact && m == n) return m;
  if (!exact || m * FEW_COMMON < n) return lookUpCommon(k, n, m);
  keepCommon(k, n, m);
  return m;
}

/* The same, survivor by survivor, from block `block` on. */
static i32 meetEach(i32 k, i32 n, i32 block, i32 scoring) {
  Slot *t = QUERY->activeTerms[k];
  i32 docs = t->buffer, isList = t->kind == LIST;
  i32 into = docs + BUFFER_survivors, blocks = t->blocks, i = 0, m = 0;
  for (; i < n; i++) {
    i32 d = QUERY->survivors[i];
    if (isList) {
      if (I32(t->lastDocs)[block] < d) {
        block = seekBlock(t, block + 1, d);
        if (block >= blocks) return m;
      }
      decode(t, block);
    }
    i32 place = seek(docs, t->place, t->postings, d);
    t->place = place;
    if (place >= t->postings) return m;
    if (I32(docs)[place] == d) {
      move(k, i, m, d);
      if (scoring) I32(into)[m] = frequencyAt(t, place);
      m++;
    }
  }
  return m;
}

/*
 * Survivors[0 .. n) that list or short term k holds (`only`: their number is all that is wanted);
 * -1 - their number where it has no more.
 */
static i32 meet(i32 k, i32 n, i32 scoring, i32 only) {
  Slot *t = QUERY->activeTerms[k];
  i32 blocks = t->blocks;
  i32 hi = QUERY->survivors[n - 1], block = 0, last = 0, m = 0;
  i32 ended = 0;
  if (t->kind == LIST) {
    block = seekBlock(t, t->block, QUERY->survivors[0]);
    if (block >= blocks) return -1;
    last = seekBlock(t, block, hi);
    ended = last >= blocks;
    last = SELECT(ended, blocks - 1, last);
  }
  if (n >= (last - block + 1) * PER_BLOCK && n >= LEAST) {
    m = meetBlocks(k, n, block, last, scoring, only);
    t->place = 0;
  } else {
    m = meetEach(k, n, block, scoring);
  }
  t->block = last;
  return SELECT(ended, -1 - m, m);
}
