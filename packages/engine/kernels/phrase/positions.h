/* Where the positions of a document lie in a dense term. */

/* Where the last look at a dense term ended: a group of 64 documents, the next one of them. */
typedef struct {
  i32 group, next, tfBit, posBit, byte;
  i32 unused[3];
} Cursor;

#define CURSORS ((Cursor *)CURSORS_AT)

/* A walk over the postings of a range: bits of frequencies and of positions before the next one. */
typedef struct {
  i32 boundary, width, tfBit, posBit;
} Walk;

INLINE i32 nextFrequency(Walk *walk) {
  if (!walk->width) return 1;
  walk->tfBit += walk->width;
  return frequencyBefore(walk->boundary, walk->tfBit, walk->width);
}

/* Walks over the documents of a group, whose width codes begin at `codes`. */
INLINE void walkGroup(Walk *walk, i64 group, i32 codes) {
  for (; group; group &= group - 1)
    walk->posBit += nextFrequency(walk) * U8(WIDTHS_AT)[U8(codes)[ctz64(group)]];
}

/* Bytes of the positions of the first g groups of a range, by walking them. */
static i32 bytesOf(const Term *term, i32 boundary, i32 width, i32 r, i32 g, i32 widthCodes) {
  Walk walk = {boundary, width, 0, 0};
  i32 bytes = 0;
  for (i32 h = 0; h < g; h++) {
    walk.posBit = 0;
    walkGroup(&walk, I64(term->bitmap)[4 * r + h], widthCodes + (r << RANGE_SHIFT) + (h << 6));
    bytes += shr(walk.posBit + 7, 3);
  }
  return bytes;
}

/* Starts at the group that holds doc. A start that is not stored (255) is walked for. */
INLINE void enterGroup(const Term *term, Cursor *cursor, Walk *walk, i32 doc, i32 widthCodes) {
  i32 r = shr(doc, RANGE_SHIFT), g = shr(doc, 6) & 3, bytes = 0, before = 0;
  if (g) {
    bytes = U8(term->group)[3 * r + g - 1];
    if (bytes == 255) bytes = bytesOf(term, walk->boundary, walk->width, r, g, widthCodes);
  }
  cursor->byte = walk->boundary + bytes;
  for (i32 h = 0; h < g; h++) before += popcount64(I64(term->bitmap)[4 * r + h]);
  walk->tfBit = before * walk->width;
  walk->posBit = 0;
  cursor->group = shr(doc, 6);
  cursor->next = doc & -64;
}

/* Frequency and place of the positions of doc in a dense term. */
static void locate(Term *term, Cursor *cursor, i32 doc, i32 widthCodes) {
  i32 r = shr(doc, RANGE_SHIFT);
  Walk walk = {boundaryOf(term, r), U8(term->width)[r], cursor->tfBit, cursor->posBit};
  if (cursor->group != shr(doc, 6) || below(doc, cursor->next))
    enterGroup(term, cursor, &walk, doc, widthCodes);
  i64 between = (shl64(1, doc) - 1) & shl64(-1, cursor->next);
  walkGroup(&walk, I64(term->bitmap)[shr(doc, 6)] & between, widthCodes + (doc & -64));
  cursor->next = doc;
  cursor->tfBit = walk.tfBit;
  cursor->posBit = walk.posBit;
  term->tf = nextFrequency(&walk);
  term->byte = cursor->byte;
  term->bit = walk.posBit;
}

/* The frequency of doc in a dense term. */
static i32 frequency(const Term *term, i32 doc) {
  i32 r = shr(doc, RANGE_SHIFT), width = U8(term->width)[r], word = shr(doc, 6);
  if (!width) return 1;
  i32 rank = popcount64(I64(term->bitmap)[word] & (shl64(1, doc) - 1));
  for (i32 at = 4 * r; at < word; at++) rank += popcount64(I64(term->bitmap)[at]);
  return frequencyBefore(boundaryOf(term, r), (rank + 1) * width, width);
}
