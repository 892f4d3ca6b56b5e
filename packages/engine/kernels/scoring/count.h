/* Exact numbers of documents. */

/* Postings of lists, up to which they are counted one by one. */
#define FEW_POSTINGS 2000

/* Bits in all (any) of four bitmaps, equal ones allowed, and not in `blocked` (0: none). */
static i32 countBits(i32 a, i32 b, i32 c, i32 d, i32 any, i32 blocked) {
  i32 end = a + (SEGMENT->ranges << 5);
  v128 total = wasm_i32x4_splat(0), x = total, pairs = total;
  b -= a;
  c -= a;
  d -= a;
  i32 but = blocked - a;
  if (!blocked && c == 0 && d == 0) {
    for (; a < end; a += 32) {
      x = *V128(a);
      if (any)
        x = wasm_v128_or(x, *V128(a + b));
      else
        x = wasm_v128_and(x, *V128(a + b));
      pairs = wasm_u16x8_extadd_pairwise_u8x16(wasm_i8x16_popcnt(x));
      x = V128(a)[1];
      if (any)
        x = wasm_v128_or(x, V128(a + b)[1]);
      else
        x = wasm_v128_and(x, V128(a + b)[1]);
      pairs = wasm_i16x8_add(pairs, wasm_u16x8_extadd_pairwise_u8x16(wasm_i8x16_popcnt(x)));
      total = wasm_i32x4_add(total, wasm_u32x4_extadd_pairwise_u16x8(pairs));
    }
  }
  for (; a < end; a += 16) {
    if (any) {
      x = wasm_v128_or(wasm_v128_or(*V128(a), *V128(a + b)),
                       wasm_v128_or(*V128(a + c), *V128(a + d)));
    } else {
      x = wasm_v128_and(wasm_v128_and(*V128(a), *V128(a + b)),
                        wasm_v128_and(*V128(a + c), *V128(a + d)));
    }
    if (blocked) x = wasm_v128_andnot(x, *V128(a + but));
    total = wasm_i32x4_add(total, wasm_u32x4_extadd_pairwise_u16x8(
                                      wasm_u16x8_extadd_pairwise_u8x16(wasm_i8x16_popcnt(x))));
  }
  return wasm_i32x4_extract_lane(total, 0) + wasm_i32x4_extract_lane(total, 1) +
         wasm_i32x4_extract_lane(total, 2) + wasm_i32x4_extract_lane(total, 3);
}

/*
 * Bits in all (any) of n bitmaps and not in the blocked one. Those from the fourth on are put
 * together in the marks, which have no bits before and after.
 */
static i32 countBitmaps(const i32 *bitmaps, i32 n, i32 any) {
  i32 a = bitmaps[0], b = n > 1 ? bitmaps[1] : a, c = n > 2 ? bitmaps[2] : a;
  i32 d = n > 3 ? bitmaps[3] : a, marks = QUERY->marks, bytes = SEGMENT->ranges << 5;
  if (n > 4) {
    copy(marks, d, bytes);
    for (i32 k = 4; k < n; k++) {
      for (i32 at = 0; at < bytes; at += 16) {
        v128 x = *V128(marks + at), y = *V128(bitmaps[k] + at);
        *V128(marks + at) = any ? wasm_v128_or(x, y) : wasm_v128_and(x, y);
      }
    }
    d = marks;
  }
  i32 count = countBits(a, b, c, d, any, QUERY->blocked);
  if (n > 4) fill(marks, 0, bytes);
  return count;
}

static i32 countActive(void) {
  i32 active = QUERY->active;
  Slot *t = QUERY->activeTerms[0];
  i32 blocked = QUERY->blocked;
  if (active == 1 && !blocked) return t->df;
  if (t->kind != DENSE) return join(0, 1);
  i32 *bitmaps = (i32 *)QUERY->sieves;
  for (i32 k = 0; k < active; k++) bitmaps[k] = QUERY->activeTerms[k]->bitmap;
  return countBitmaps(bitmaps, active, 0);
}

/* Documents of a term that are not blocked. */
static i32 countTerm(i32 k) {
  Slot *t = &QUERY->termSlots[k];
  i32 known = t->living;
  if (known >= 0) return known;
  activate(bit(k));
  /* What the other terms exclude does not matter here. */
  QUERY->bitmaps = 0;
  if (QUERY->blocked) {
    QUERY->bitmaps = 1;
    QUERY->sieves[0].bitmap = QUERY->blocked;
    QUERY->sieves[0].flip = 1;
  }
  i32 count = countActive();
  t->living = count;
  return count;
}

/* Sets the bits of the documents in a term's buffer. */
static void markBuffer(Slot *t, i32 marks) {
  i32 at = t->buffer, docs = SEGMENT->ranges << 8;
  i32 end = at + (t->postings << 2);
  for (; at < end; at += 4) {
    i32 d = *I32(at);
    if (!below(d, docs)) trap();
    I32(marks)[shr(d, 5)] |= bit(d);
  }
}

static void mark(Slot *t, i32 marks) {
  i32 block = 0;
  if (t->kind == SHORT) {
    markBuffer(t, marks);
    return;
  }
  for (; block < t->blocks; block++) {
    spend(1);
    if (isOpen(t, block)) {
      decode(t, block);
      markBuffer(t, marks);
    }
  }
}

/* The bitmaps of the dense terms at `into`; returns how many. */
static i32 denseBitmaps(i32 *into) {
  i32 n = 0;
  for (i32 k = 0; k < QUERY->terms; k++) {
    Slot *t = &QUERY->termSlots[k];
    if (t->kind == DENSE) into[n++] = t->bitmap;
  }
  return n;
}

/* Documents of any term: lists are marked, bitmaps counted with the marks. */
static i32 countMarked(void) {
  i32 marks = QUERY->marks, *bitmaps = (i32 *)QUERY->sieves, n = denseBitmaps(bitmaps), lists = 0;
  for (i32 k = 0; k < QUERY->terms; k++) {
    Slot *t = &QUERY->termSlots[k];
    if (t->kind == DENSE) continue;
    mark(t, marks);
    lists = 1;
  }
  if (!lists) return countBitmaps(bitmaps, n, 1);
  /* Those that countBitmaps would put together in the marks are put there now. */
  for (; n > 3; n--) {
    for (i32 at = 0; at < SEGMENT->ranges << 5; at += 16)
      *V128(marks + at) = wasm_v128_or(*V128(marks + at), *V128(bitmaps[n - 1] + at));
  }
  bitmaps[n] = marks;
  i32 count = countBitmaps(bitmaps, n + 1, 1);
  fill(marks, 0, SEGMENT->ranges << 5);
  return count;
}

/* Documents in a term's buffer that are in no of n bitmaps and not marked yet; marks them. */
static i32 countNew(Slot *t, i32 marks, const i32 *bitmaps, i32 n) {
  i32 at = t->buffer, docs = SEGMENT->ranges << 8, count = 0;
  i32 end = at + (t->postings << 2);
  for (; at < end; at += 4) {
    i32 d = *I32(at), k = 0;
    if (!below(d, docs)) trap();
    i32 word = shr(d, 5) << 2;
    i32 seen = *I32(marks + word);
    *I32(marks + word) = seen | bit(d);
    for (; k < n; k++) seen |= *I32(bitmaps[k] + word);
    count += shr(~seen, d) & 1;
  }
  return count;
}

static void clearMarks(Slot *t, i32 marks) {
  i32 at = t->buffer;
  i32 end = at + (t->postings << 2);
  for (; at < end; at += 4) I32(marks)[shr(*I32(at), 5)] = 0;
}

/* Documents of lists and short terms that no dense term has and nothing blocks, one by one. */
static i32 countOutside(void) {
  i32 marks = QUERY->marks, terms = QUERY->terms, k = 0, count = 0;
  i32 *bitmaps = (i32 *)QUERY->sieves, n = denseBitmaps(bitmaps);
  if (QUERY->blocked) bitmaps[n++] = QUERY->blocked;
  for (i32 clear = 0; clear < 2; clear++) {
    for (k = 0; k < terms; k++) {
      Slot *t = &QUERY->termSlots[k];
      i32 block = 0;
      while (t->kind && block < t->blocks) {
        if (t->kind == LIST) {
          if (!isOpen(t, block)) {
            block++;
            continue;
          }
          decode(t, block);
        }
        if (clear)
          clearMarks(t, marks);
        else
          count += countNew(t, marks, bitmaps, n);
        block++;
      }
    }
  }
  return count;
}

/* Documents of any dense term that nothing blocks. */
static i32 countDense(void) {
  i32 *bitmaps = (i32 *)QUERY->sieves, n = denseBitmaps(bitmaps);
  if (!n) return 0;
  if (n > 1 || QUERY->blocked) return countBitmaps(bitmaps, n, 1);
  Slot *t = QUERY->termSlots;
  while (t->kind != DENSE) t++;
  return t->df;
}

/* `exact`: the blocked documents of a term are few, or none. */
static i32 countUnion(i32 exact) {
  i32 terms = QUERY->terms, joined = QUERY->joined;
  if (terms == 1) return countTerm(0);
  if (terms > 2 || !exact) {
    i32 k = 0, postings = 0;
    for (; k < terms; k++) {
      Slot *t = &QUERY->termSlots[k];
      if (t->kind) postings += t->df;
    }
    if (postings > FEW_POSTINGS) return countMarked();
    return countDense() + countOutside();
  }
  i32 each = countTerm(0) + countTerm(1);
  if (joined >= 0) return each - joined;
  activate(3);
  return each - countActive();
}
