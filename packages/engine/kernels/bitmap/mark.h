/* Postings to bits, and bits to documents. */

/* Four deltas of up to this width stand in 64 bits from any bit of a byte on. */
#define FOUR_IN_A_WORD 14

/* The bits of packed data from bit number `first` on, at least 57. */
INLINE i64 bitsFrom(i32 data, i32 first) { return shr64(*I64(data + shr(first, 3)), first & 7); }

INLINE void setBit(i32 words, i32 doc) { I32(words)[wordOf(doc)] |= bit(doc); }

/*
 * mark: adds up n deltas - 1 of `width` bits (up to 24), low bits first, and sets the bits of the
 * documents; returns the last one. Traps at a document that is not below `docs`.
 */
EXPORT(mark) i32 mark(i32 data, i32 n, i32 width, i32 last, i32 words, i32 docs) {
  i32 first = 0, mask = ones(width);
  if (!below(FOUR_IN_A_WORD, width)) {
    for (; !below(n, 4); n -= 4, first += width << 2) {
      i64 deltas = bitsFrom(data, first);
      i32 four[4];
      EACH (k, 4) {
        last += 1 + ((i32)deltas & mask);
        four[k] = last;
        deltas = shr64(deltas, width);
      }
      /* They rise, so the last one tells whether all are there. */
      if (!below(last, docs)) trap();
      EACH (k, 4) setBit(words, four[k]);
    }
  }
  for (; n; n--, first += width) {
    last += 1 + ((i32)bitsFrom(data, first) & mask);
    if (!below(last, docs)) trap();
    setBit(words, last);
  }
  return last;
}

/* documents: the numbers of the set bits to `into`, rising; returns how many. */
EXPORT(documents) i32 documents(i64_at *bits, i32 bytes, i32 *into) {
  i32 *first = into;
  for (i64_at *at = bits, *end = bits + (bytes >> 3); at < end; at += 2) {
    if (!(at[0] | at[1])) continue;
    i32 docs = (i32)((u8 *)at - (u8 *)bits) << 3;
    EACH (k, 2) {
      for (i64 word = at[k]; word; word &= word - 1) *into++ = docs + 64 * k + ctz64(word);
    }
  }
  return into - first;
}
