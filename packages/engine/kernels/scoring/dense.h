/* Conjunctions of dense terms, by the kernels of ranges.h. */

/* A call of the kernels of ranges visits at most so many. */
#define CALL_RANGES 1024
/* Documents of a later page are gathered up to this number and those of a range before scores. */
#define GATHERED 64

static void describe(i32 k, Slot *t) {
  Term *at = &TERMS[k];
  i32 wide = t->wide;
  i32 bounds = (i32)QUERY->termBounds + (k << 11), code = 0, impacts = SEGMENT->impacts;
  f64 weight = t->weight;
  at->bitmap = t->bitmap;
  at->base = t->base;
  at->offset = t->offset;
  at->payload = t->payload;
  at->impact = t->impact;
  at->width = t->width;
  at->group = t->group;
  at->bounds = bounds;
  at->offsetShift = wide + 1;
  at->offsetMask = SELECT(wide, -1, 0xffff);
  at->baseMask = wide - 1;
  at->weight = weight;
  /* A term alone has those that it needs from boundOne. */
  if (QUERY->active == 1) return;
  if (QUERY->scale <= 1.0) {
    v128 factor = wasm_f64x2_splat(weight);
    for (; code < 2048; code += 32) {
      *V128(bounds + code) = wasm_f64x2_mul(factor, *V128(impacts + code));
      V128(bounds + code)[1] = wasm_f64x2_mul(factor, V128(impacts + code)[1]);
    }
    return;
  }
  /* As raise. */
  v128 raised = wasm_f64x2_splat(weight * QUERY->scale * ROUNDING), x = raised;
  v128 grown = wasm_f64x2_splat(QUERY->scale - 1.0), one = wasm_f64x2_splat(1.0);
  for (; code < 2048; code += 16) {
    x = *V128(impacts + code);
    *V128(bounds + code) =
        wasm_f64x2_div(wasm_f64x2_mul(raised, x), wasm_f64x2_add(one, wasm_f64x2_mul(grown, x)));
  }
}

/*
 * The ranges where a term alone can reach a score, with their bounds, which it puts in the table.
 */
static i32 boundOne(f64 weight, f64 least) {
  i32 ranges = SEGMENT->ranges, bounds = QUERY->bounds, into = QUERY->ranges;
  i32 impact = TERMS[0].impact, table = TERMS[0].bounds, r = 0, m = 0;
  i32 low = firstCode(weight, 0.0, least), impacts = SEGMENT->impacts;
  if (low == 256) return 0;
  v128 wanted = wasm_i8x16_splat(low);
  for (; r < ranges; r += 16) {
    i32 set = wasm_i8x16_bitmask(wasm_u8x16_ge(*V128(impact + r), wanted));
    if (ranges - r < 16) set &= ones(ranges - r);
    while (set) {
      i32 range = r + ctz(set);
      i32 code = U8(impact)[range] << 3;
      f64 best = *F64(impacts + code), bound = weight * raise(best);
      *F64(table + code) = bound;
      if (QUERY->scale > 1.0) {
        i32 largest = bit(U8(TERMS[0].width)[range]);
        bound = weight * raiseFrequency(best, largest);
      }
      I32(into)[m] = range;
      F64(bounds)[range] = bound;
      m += bound >= least;
      set &= set - 1;
    }
  }
  return m;
}

/* Those of n ranges that have a document which is not blocked. */
static i32 dropBlocked(i32 from, i32 n) {
  i32 blocked = QUERY->blocked, i = 0, m = 0;
  if (!blocked) return n;
  v128 all = wasm_i8x16_splat(-1), x = all;
  for (; i < n; i++) {
    i32 range = I32(from)[i], at = blocked + (range << 5);
    I32(from)[m] = range;
    x = wasm_v128_and(*V128(at), V128(at)[1]);
    m += wasm_i8x16_bitmask(wasm_i8x16_eq(x, all)) != 0xffff;
  }
  return m;
}

/* Counting sort of n ranges by bound, high ones first. */
static void sortRanges(i32 n, f64 low, f64 high) {
  i32 from = QUERY->ranges, into = QUERY->sorted, bounds = QUERY->bounds;
  i32 i = 0, range = 0, key = 0, at = (i32)QUERY->buckets;
  f64 scale = 0.0;
  if (high > low) scale = 255.0 / (high - low);
  fill(at, 0, 1032);
  for (; i < n; i++) {
    range = I32(from)[i];
    key = 255 - __builtin_wasm_trunc_saturate_u_i32_f64(
                    min_f64(255.0, (F64(bounds)[range] - low) * scale));
    QUERY->buckets[key + 1]++;
  }
  for (i = 1; i < 257; i++) QUERY->buckets[i] += QUERY->buckets[i - 1];
  for (i = 0; i < n; i++) {
    range = I32(from)[i];
    key = 255 - __builtin_wasm_trunc_saturate_u_i32_f64(
                    min_f64(255.0, (F64(bounds)[range] - low) * scale));
    at = QUERY->buckets[key];
    I32(into)[at] = range;
    QUERY->buckets[key] = at + 1;
  }
}

static void takeEmitted(void) {
  i32 i = 0, emitted = *I32(EMITTED_AT), k = 0;
  for (; i < emitted; i++) {
    i32 d = I32(DOCS_AT)[i];
    f64 score = F64(SCORES_AT)[i];
    if (d < 0 || QUERY->reordered) {
      if (d < 0) d = ~d;
      i32 code = U8(SEGMENT->codes)[d];
      for (k = 0; k < QUERY->active; k++) {
        Slot *t = QUERY->activeTerms[k];
        QUERY->shares[t->order] = share(t->weight, denseFrequency(t, d), code, d);
      }
      score = addShares();
    }
    if (score >= QUERY->theta) offer(d, score);
  }
}

/*
 * Sets of length codes with which a term scores theta or more, but no more than the page before
 * it, in ranges with frequencies of up to 0, 1, … 5 bits. A set: for each low half of a code 16
 * bits, by its high half.
 */
static void allowCodes(f64 weight, f64 theta) {
  f64 most = QUERY->most;
  i32 code = 0, tf = 1, width = 0, at = 0;
  fill(QUERY->allowed, 0, 192);
  for (; code < 256; code++) {
    if (code == LONG) {
      tf = 1;
      most = weight;
    }
    while (tf < 32 && weight * impactAt(tf << ROW_SHIFT, code) < theta) tf++;
    if (tf == 32 || weight * impactAt(tf << ROW_SHIFT, code) <= most) {
      width = 32 - clz(tf - 1);
      at = (width << 5) + (shr(code, 7) << 4) + (code & 15) + (i32)QUERY->allowed;
      for (; width < 6; width++) {
        *U8(at) = *U8(at) | bit(shr(code, 4) & 7);
        at += 32;
      }
    }
  }
}

/* Bits of 16 length codes that are not in the set. */
INLINE i64 refusedOf(v128 codes, v128 lower, v128 upper) {
  v128 low = wasm_v128_and(codes, wasm_i8x16_splat(0x8f));
  v128 row = wasm_v128_or(wasm_i8x16_swizzle(lower, low),
                          wasm_i8x16_swizzle(upper, wasm_v128_xor(low, wasm_u8x16_splat(128))));
  v128 high = wasm_v128_and(wasm_u16x8_shr(codes, 4), wasm_i8x16_splat(15));
  v128 bits = wasm_i8x16_swizzle(wasm_i64x2_splat(0x8040201008040201), high);
  return wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_and(row, bits), ZERO));
}

/* Documents of range r whose length allowCodes allows, at m and up; returns the end of them. */
static i32 gatherRange(Slot *t, i32 r, i32 excluded, i32 m) {
  i32 width = U8(t->width)[r], word = r << 5, j = 0;
  i32 end = word + 32, bitmap = t->bitmap, at = SEGMENT->codes + (r << 8);
  i32 allowed = (SELECT(width < 5, width, 5) << 5) + (i32)QUERY->allowed;
  v128 lower = *V128(allowed), upper = V128(allowed)[1];
  for (; word < end; word += 8) {
    i64 bits = *I64(bitmap + word);
    for (j = 0; j < excluded; j++) bits &= ~*I64(I32(EXCLUDED_AT)[j] + word);
    if (bits != 0) {
      EACH (k, 4) bits &= ~shl64(refusedOf(V128(at)[k], lower, upper), 16 * k);
    }
    while (bits != 0) {
      I32(DOCS_AT)[m] = (word << 3) + ctz64(bits);
      m++;
      bits &= bits - 1;
    }
    at += 64;
  }
  return m;
}

/*
 * Of m gathered documents those that a page of equal scores can have: their ranks are behind the
 * page before and below that of the last kept document. Most are left out by one read each.
 */
static i32 keepRanks(i32 m) {
  i32 ranks = QUERY->ranks, j = 0, n = 0, last = QUERY->size - 1;
  if (QUERY->far) return m;
  i32 from = QUERY->notBehind, to = 0x7fffffff;
  if (last + 1 == QUERY->limit) {
    if (QUERY->topDocs[last] >= 0) to = QUERY->topRanks[last];
  }
  for (; j < m; j++) {
    i32 d = I32(DOCS_AT)[j], rank = d;
    if (ranks) rank = I32(ranks)[d];
    I32(DOCS_AT)[n] = d;
    n += (rank > from) & (rank < to);
  }
  return n;
}

/* Scores m gathered documents of a term; those of a page are offered. */
static void scoreGathered(Slot *t, i32 m, f64 theta) {
  i32 codes = SEGMENT->codes, j = 0;
  f64 weight = t->weight;
  if (theta == QUERY->most) m = keepRanks(m);
  for (; j < m; j++) {
    i32 d = I32(DOCS_AT)[j];
    f64 score = share(weight, denseFrequency(t, d), U8(codes)[d], d);
    if (score >= QUERY->theta) offer(d, score);
  }
}

/*
 * Documents of order[0 .. n) of one term, on a page that begins behind a document: few documents
 * have a length and a frequency with which they score between theta and that document's score.
 */
static void rangesBehind(i32 n, i32 order, i32 bounds, i32 excluded) {
  Slot *t = QUERY->activeTerms[0];
  i32 i = 0, m = 0, spent = 0;
  f64 weight = t->weight, theta = -1.0, now = 0.0;
  while (i < n) {
    now = threshold();
    if (now != theta) {
      theta = now;
      allowCodes(weight, theta);
    }
    m = 0;
    spent = i;
    for (; i < n && m < GATHERED; i++) {
      i32 r = I32(order)[i];
      if (F64(bounds)[r] >= theta) m = gatherRange(t, r, excluded, m);
    }
    spend(i - spent);
    scoreGathered(t, m, theta);
  }
}

/* Top documents of the active terms, which are all dense. */
static void searchDense(void) {
  i32 active = QUERY->active, k = 0, n = 0, i = 0, excluded = 0;
  i32 ranges = SEGMENT->ranges, bounds = QUERY->bounds, order = QUERY->ranges;
  f64 highest = 0.0, theta = QUERY->theta, most = QUERY->ceiling;
  i32 first = QUERY->firstCode;
  for (; k < active; k++) {
    Slot *t = QUERY->activeTerms[k];
    describe(k, t);
    highest += t->max;
  }
  for (k = 0; k < QUERY->bitmaps; k++) {
    if (QUERY->sieves[k].flip) {
      I32(EXCLUDED_AT)[excluded] = QUERY->sieves[k].bitmap;
      excluded++;
    }
  }
  if (active == 1) {
    n = dropBlocked(order, boundOne(QUERY->activeTerms[0]->weight, threshold()));
  } else {
    if (active == 2) {
      n = bounds2(ranges, bounds, order, UP, theta);
    } else if (active == 3) {
      n = bounds3(ranges, bounds, order, UP, theta);
    } else if (active == 4) {
      n = bounds4(ranges, bounds, order, UP, theta);
    } else {
      n = boundsAny(active, ranges, bounds, order, UP, theta);
    }
    n = dropBlocked(order, n);
    sortRanges(n, theta, highest * UP);
    order = QUERY->sorted;
  }
  if (active == 1 && QUERY->after) {
    rangesBehind(n, order, bounds, excluded);
    return;
  }
  while (i < n) {
    i32 from = i, to = i + CALL_RANGES;
    to = SELECT(to < n, to, n);
    theta = threshold();
    if (QUERY->reordered) theta = theta / UP;
    f64 low = QUERY->theta / UP;
    i32 codes = SEGMENT->codes;
    if (active == 1) {
      i = ranges1(i, to, order, bounds, codes, excluded, first, theta, low, most);
    } else if (active == 2) {
      i = ranges2(i, to, order, bounds, codes, excluded, first, theta, low, most);
    } else if (active == 3) {
      i = ranges3(i, to, order, bounds, codes, excluded, first, theta, low, most);
    } else if (active == 4) {
      i = ranges4(i, to, order, bounds, codes, excluded, first, theta, low, most);
    } else {
      i = rangesAny(active, i, to, order, bounds, codes, excluded, first, theta, low, most);
    }
    spend(i - from);
    takeEmitted();
  }
}
