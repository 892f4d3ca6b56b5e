/* Postings and their positions as bits. */

/* group: n pairs (document, position) as postings; returns how many. */
EXPORT(group) i32 group(i32 pairs, i32 n, i32 docs, i32 freqs, i32 positions) {
  i32 end = pairs + (n << 3), last = -1, doc, first = docs;
  while (pairs < end) {
    doc = *I32(pairs);
    *I32(positions) = I32(pairs)[1];
    if (doc != last) {
      *I32(docs) = doc;
      *I32(freqs) = 1;
      docs += 4;
      freqs += 4;
      last = doc;
    } else {
      I32(freqs)[-1]++;
    }
    pairs += 8;
    positions += 4;
  }
  return shr(docs - first, 2);
}

/* Positions of the postings at docs .. end, ending on a byte; returns the end. */
static i32 writePositions(i32 docs, i32 freqs, i32 end, i32 widths, i32 out) {
  i32 at = *I32(POSITION), last, width, bit = 0;
  i64 word = 0;
  while (docs < end) {
    width = U8(WIDTHS)[U8(widths)[*I32(docs)]];
    last = at + (*I32(freqs) << 2);
    while (at < last) {
      word |= shl64(*U32(at), bit);
      bit += width;
      at += 4;
      if (bit >= 32) {
        *I32(out) = (i32)word;
        out += 4;
        word = shr64(word, 32);
        bit -= 32;
      }
    }
    docs += 4;
    freqs += 4;
  }
  *I32(out) = (i32)word;
  *I32(POSITION) = at;
  return out + shr(bit + 7, 3);
}

/* Values at .. end, each less `less`, at one width, ending on a byte; returns the end. */
static i32 pack(i32 at, i32 end, i32 width, i32 less, i32 out) {
  i32 bit = 0;
  i64 word = 0;
  if (!width) return out;
  while (at < end) {
    word |= shl64((u32)(*I32(at) - less), bit);
    bit += width;
    at += 4;
    if (bit >= 32) {
      *I32(out) = (i32)word;
      out += 4;
      word = shr64(word, 32);
      bit -= 32;
    }
  }
  *I32(out) = (i32)word;
  return out + shr(bit + 7, 3);
}

/* Writes a varint; returns its end. */
static i32 varint(i32 value, i32 out) {
  for (; !below(value, 128); value = shr(value, 7)) {
    *U8(out) = value | 128;
    out++;
  }
  *U8(out) = value;
  return out + 1;
}
