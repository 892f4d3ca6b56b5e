/* How often the terms of a phrase are at their positions in a document where they are located. */

INLINE i32 positionAt(const Term *term, i32 first, i32 mask) {
  return packedBits(term->byte, first, mask);
}

/*
 * Looks for a position in the term from where the last look ended (the lead's positions rise).
 * Returns 1: it is there, 0: it is not, -1: the term has no more.
 */
INLINE i32 seekPosition(Term *term, i32 position, i32 width, i32 mask) {
  i32 at = term->scanBit;
  for (i32 left = term->scanLeft; left; left--, at += width) {
    i32 found = positionAt(term, at, mask);
    if (found < position) continue;
    term->scanLeft = left;
    term->scanBit = at;
    return found == position;
  }
  return -1;
}

/* How often the first n terms are at their positions; `lead` has the fewest positions. */
static i32 match(i32 n, const Term *lead, i32 width, i32 once) {
  i32 mask = ones(width), found = 0;
  for (i32 k = 0; k < n; k++) TERMS[k].scanBit = TERMS[k].bit, TERMS[k].scanLeft = TERMS[k].tf;
  for (i32 i = 0; below(i, lead->tf); i++) {
    i32 start = positionAt(lead, lead->bit + i * width, mask) - lead->phrasePosition;
    if (start < 0) continue;
    for (Term *term = TERMS; term < &TERMS[n]; term++) {
      if (term == lead) continue;
      i32 isThere = seekPosition(term, start + term->phrasePosition, width, mask);
      if (isThere < 0) return found;
      if (!isThere) goto next;
    }
    found++;
    if (once) return found;
  next:;
  }
  return found;
}

/* The same for the two terms of a phrase of two words. */
static i32 matchTwo(i32 width, i32 once) {
  const Term *a = &TERMS[0], *b = &TERMS[1];
  i32 mask = ones(width), found = 0;
  i32 aAt = a->bit, aEnd = aAt + a->tf * width, bAt = b->bit, bEnd = bAt + b->tf * width;
  i32 apart = b->phrasePosition - a->phrasePosition;
  i32 x = positionAt(a, aAt, mask) + apart, y = positionAt(b, bAt, mask);
  for (;;) {
    if (x == y) {
      found++;
      if (once) return found;
    }
    if (x <= y) {
      aAt += width;
      if (!below(aAt, aEnd)) return found;
      x = positionAt(a, aAt, mask) + apart;
    } else {
      bAt += width;
      if (!below(bAt, bEnd)) return found;
      y = positionAt(b, bAt, mask);
    }
  }
}

/* How often the phrase of n terms is in doc. */
INLINE i32 countIn(i32 n, const Term *lead, i32 doc, i32 widthCodes, i32 once) {
  i32 width = U8(WIDTHS_AT)[U8(widthCodes)[doc]];
  return n == 2 ? matchTwo(width, once) : match(n, lead, width, once);
}
