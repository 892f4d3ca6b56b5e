/* Postings of list and short terms, decoded block by block. */

#define BLOCK_SHIFT 7

/* 128 values of `width` bits from `at` to words at `to`: documents behind `last`, or frequencies.
 */
INLINE void unpack(const i32 areDocs, i32 at, i32 to, i32 width, i32 last) {
  i32 end = to + (4 << BLOCK_SHIFT);
  v128 before = wasm_i32x4_splat(last), one = wasm_i32x4_splat(1);
  if (below(UNPACK_WIDTHS, width)) {
    for (i32 first = 0; below(to, end); first += width, to += 4) {
      i32 value = (i32)shr64(*I64(at + shr(first, 3)), first & 7) & (i32)(shl64(1, width) - 1);
      last = (areDocs ? last : 0) + value + 1;
      *I32(to) = last;
    }
    return;
  }
  v128_at *tables = V128(UNPACK_TABLES + width * UNPACK_BYTES);
  v128 shuffles[] = {tables[0], tables[2]}, factors[] = {tables[1], tables[3]};
  v128 mask = wasm_i32x4_splat(ones(width));
  for (; below(to, end); to += 32, at += width) {
    EACH (half, 2) {
      v128 values =
          width ? unpackFour(half ? at + shr(width, 1) : at, shuffles[half], factors[half], mask)
                : ZERO;
      before = areDocs ? addUp(before, values) : wasm_i32x4_add(values, one);
      V128(to)[half] = before;
    }
  }
}

EXPORT(unpackDocs) void unpackDocs(i32 at, i32 to, i32 width, i32 last) {
  unpack(1, at, to, width, last);
}
EXPORT(unpackFrequencies) void unpackFrequencies(i32 at, i32 to, i32 width, i32 last) {
  unpack(0, at, to, width, last);
}

/* Where the bits of a block begin, and a byte of its head: widths of documents, of frequencies. */
INLINE i32 dataOf(const Term *term, i32 block) {
  return term->data + I32(term->dataOffsets)[block];
}
INLINE i32 headOf(const Term *term, i32 block, i32 byte) {
  return U8(term->heads)[(block << 2) + byte];
}

/* Documents of a block of a list term. */
static void decodeDocs(const Term *term, i32 block) {
  i32 last = block ? I32(term->lastDocs)[block - 1] : -1;
  i32 into = term->docs + (block << (BLOCK_SHIFT + 2));
  unpackDocs(dataOf(term, block), into, headOf(term, block, 1), last);
}

/* The varint at *at, which moves behind it. Five bytes at most. */
INLINE i32 readVarint(i32 *at) {
  i32 value = 0, shift = 0, byte;
  do {
    byte = *U8((*at)++);
    value |= shl(byte & 127, shift);
    shift += 7;
  } while (byte >= 128 && shift < 35);
  return value;
}

/* Documents and frequencies of a short term, and where its positions begin. */
static void decodeShort(Term *term) {
  i32 at = term->data, doc = -1, i = 0;
  do {
    i32 value = readVarint(&at);
    doc += shr(value, 1) + 1;
    I32(term->docs)[i] = doc;
    I32(term->frequencies)[i] = value & 1 ? readVarint(&at) : 1;
  } while (++i < term->df);
  term->positions = at;
  *I32(term->positionBits) = 0;
}

/* Documents of all blocks, or of a short term all there is. */
static void decodeAll(Term *term) {
  if (!term->lastDocs) {
    decodeShort(term);
    return;
  }
  for (i32 block = 0; below(block, term->blocks); block++) decodeDocs(term, block);
}

/* Frequencies of a block of a list term. */
static void decodeFrequencies(const Term *term, i32 block) {
  i32 size = term->df - (block << BLOCK_SHIFT);
  if (below(128, size)) size = 128;
  i32 at = dataOf(term, block) + (shr(size * headOf(term, block, 1) + 31, 5) << 2);
  i32 into = term->frequencies + (block << (BLOCK_SHIFT + 2));
  unpackFrequencies(at, into, headOf(term, block, 2), 0);
}

/*
 * The word that counts located postings of the block of posting j; -1: its frequencies are not
 * decoded either.
 */
INLINE i32_at *stateOf(const Term *term, i32 j) { return &I32(term->positionBits)[j & -128]; }

/* The frequency of posting j, whose block is decoded. */
static i32 frequencyOf(const Term *term, i32 j) {
  i32_at *state = stateOf(term, j);
  if (*state < 0) {
    decodeFrequencies(term, shr(j, BLOCK_SHIFT));
    *state = 0;
  }
  return I32(term->frequencies)[j];
}

/* Nothing is decoded of the term: marks its blocks so. */
static void forget(const Term *term) {
  if (!term->lastDocs) return;
  for (i32 block = 0; block < term->blocks; block++) *stateOf(term, block << BLOCK_SHIFT) = -1;
}

/* The first bit of the positions of posting j from the start of its block's. */
static i32 bitOf(const Term *term, i32 j, i32 widthCodes) {
  i32_at *state = stateOf(term, j), *bits = I32(term->positionBits);
  i32 place = j & 127, located = *state, at = (j & -128) + located;
  if (!place) return 0;
  if (!below(located, place)) return bits[j];
  *state = place;
  i32 sum = located ? bits[at] : 0;
  while (at < j) {
    i32 code = U8(widthCodes)[I32(term->docs)[at]];
    sum += I32(term->frequencies)[at] * U8(WIDTHS_AT)[code];
    bits[++at] = sum;
  }
  return sum;
}
