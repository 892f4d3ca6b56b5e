/* Documents that hold all words of a phrase with a list term, and their order by impact. */

/* Lists of comparable size (up to so many times) are decoded whole and compared four by four. */
#define COMPARABLE 12
#define WORTH_ALL 64

/* Bits of the sixteen documents from `at` on that are `doc`. */
INLINE i32 equalSixteen(const v128_at *at, i32 doc) {
  v128 all = wasm_i32x4_splat(doc);
  v128 low = wasm_i16x8_narrow_i32x4(wasm_i32x4_eq(at[0], all), wasm_i32x4_eq(at[1], all));
  v128 high = wasm_i16x8_narrow_i32x4(wasm_i32x4_eq(at[2], all), wasm_i32x4_eq(at[3], all));
  return wasm_i8x16_bitmask(wasm_i8x16_narrow_i16x8(low, high));
}

/*
 * Documents of source[0 .. n) that a list term has, to `into`; their places in the source to `a`,
 * in the term to `b`. Decodes only blocks that may hold one.
 */
static i32 merge(const Term *term, i32 source, i32 n, i32 into, i32 a, i32 b) {
  i32 m = 0, block = 0, decoded = -1, at = 0, end = 0;
  i32 blocks = term->blocks, last = term->lastDocs, docs = term->docs;
  for (i32 i = 0; below(i, n); i++) {
    i32 doc = I32(source)[i];
    while (!below(blocks, block + 8) && I32(last)[block + 7] < doc) block += 8;
    while (below(block, blocks) && I32(last)[block] < doc) block++;
    if (!below(block, blocks)) break;
    if (decoded != block) {
      decodeDocs(term, block);
      decoded = block;
      at = docs + (block << (BLOCK_SHIFT + 2));
      end = at + (4 << BLOCK_SHIFT);
      if (below(docs + (term->df << 2), end)) end = docs + (term->df << 2);
    }
    while (below(at + 60, end) && I32(at)[15] < doc) at += 64;
    i32 equal = equalSixteen(V128(at), doc);
    if (!equal) continue;
    I32(into)[m] = doc;
    I32(a)[m] = i;
    I32(b)[m] = shr(at - docs, 2) + ctz(equal);
    m++;
  }
  return m;
}

/* values[i] = values[by[i]] for i < n. */
static void move(i32 values, i32 by, i32 n) {
  for (i32 i = 0; i < n; i++) I32(values)[i] = I32(values)[I32(by)[i]];
}

/* to[0 .. n) = from[0 .. n), and up to three words more. */
static void copyWords(v128_at *to, const v128_at *from, i32 n) {
  for (const v128_at *end = from + shr(n + 3, 2); from < end;) *to++ = *from++;
}

/*
 * gather: documents that hold the n described terms, of which the first `lists` are lists or short,
 * to survivors; their posting numbers to the hits of these terms. Documents of the bitmap `blocked`
 * (0: none) are left out. `a`: room for places. Returns how many.
 */
EXPORT(gather) i32 gather(i32 n, i32 lists, i32 survivors, i32 a, i32 blocked) {
  for (i32 k = 0; k < lists; k++) forget(&TERMS[k]);
  decodeAll(&TERMS[0]);
  i32 source = TERMS[0].docs, m = TERMS[0].df, first = 1;
  if (blocked) {
    m = sieve(source, m, blocked, survivors, TERMS[0].hits, first, 1);
    source = survivors;
    first = 0;
  }
  for (i32 k = lists; k < n; k++) {
    m = sieve(source, m, TERMS[k].bitmap, survivors, TERMS[0].hits, first, 0);
    source = survivors;
    first = 0;
  }
  for (i32 k = 1; k < lists; k++) {
    Term *term = &TERMS[k];
    if (!term->lastDocs || (below(WORTH_ALL, m) && below(term->df, m * COMPARABLE))) {
      decodeAll(term);
      m = intersect(source, m, term->docs, term->df, survivors, a, term->hits);
    } else {
      m = merge(term, source, m, survivors, a, term->hits);
    }
    /* Posting numbers of the terms before move along. */
    if (first)
      copyWords(V128(TERMS[0].hits), V128(a), m);
    else
      for (i32 j = 0; j < k; j++) move(TERMS[j].hits, a, m);
    source = survivors;
    first = 0;
  }
  return m;
}

/* The least frequency that the dense terms allow in the document's range, at most `least`. */
INLINE i32 leastByWidth(i32 lists, i32 n, i32 doc, i32 least) {
  for (i32 k = lists; k < n; k++) {
    i32 width = U8(TERMS[k].width)[shr(doc, RANGE_SHIFT)];
    if (width < 5 && bit(width) < least) least = bit(width);
  }
  return least;
}

/*
 * arrange: ordered[0 .. m) = the numbers of survivors by falling impact of what they may have of
 * the phrase at most, in 256 steps; keys: the step of each, 0 the best.
 */
EXPORT(arrange)
void arrange(i32 n, i32 lists, i32 m, i32 survivors, i32 codes, i32 *ordered, u8 *keys) {
  i32_at *buckets = I32(BUCKETS_AT);
  fill(buckets, 0, 4 * 260);
  for (i32 i = 0; i < m; i++) {
    i32 doc = I32(survivors)[i], least = frequencyOf(&TERMS[0], I32(TERMS[0].hits)[i]);
    if (below(32, least)) least = 32;
    if (below(1, least)) least = leastByWidth(lists, n, doc, least);
    f64 step = 255.999 * impactAt(least << ROW_SHIFT, U8(codes)[doc]);
    keys[i] = 255 - (i32)min_f64(255, step);
    buckets[keys[i] + 1]++;
  }
  for (i32 key = 1; key < 257; key++) buckets[key] += buckets[key - 1];
  for (i32 i = 0; i < m; i++) ordered[buckets[keys[i]]++] = i;
}
