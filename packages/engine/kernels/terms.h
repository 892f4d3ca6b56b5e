/* Terms of a query as engine/src/scoring/kernel/kernel-memory.ts describes them, and their impacts. */

/* Documents of a range, as a shift. */
#define RANGE_SHIFT 8
/* Rows of the table of impacts: frequencies; those above 31 share row 32, whose impacts are 1. */
#define ROW_SHIFT 11
#define BOUND_ROW (32 << ROW_SHIFT)
/* The first length code that is not exact. */
#define LONG 240

#define TERMS ((Term *)0)

/* The impact at a row (its byte offset) and a length code. */
INLINE f64 impactAt(i32 row, i32 code) { return F64((u8 *)(row + (code << 3)) + TABLE_AT)[0]; }

INLINE i32 rowOf(i32 frequency) { return SELECT(below(frequency, 32), frequency, 32) << ROW_SHIFT; }

/* Where the frequencies of range r of a dense term end. */
INLINE i32 boundaryOf(const Term *term, i32 r) {
  i32 base = I32(term->base)[shr(r, 3)] & term->baseMask;
  i32 offset = *I32(term->offset + shl(r, term->offsetShift)) & term->offsetMask;
  return term->payload + base + offset;
}

/* The frequency packed at `width` bits that end `end` bits before the boundary. */
INLINE i32 frequencyBefore(i32 boundary, i32 end, i32 width) {
  i32 bits = shr(*I32(boundary - shr(end + 7, 3)), -end & 7);
  return 1 + (bits & ones(width));
}

/* The value of some bits (up to 25) at bit number `first` of the bytes from `at` on. */
INLINE i32 packedBits(i32 at, i32 first, i32 mask) {
  return shr(*I32(at + shr(first, 3)), first & 7) & mask;
}

/* What a kernel knows of a dense term in the range at hand. */
typedef struct {
  f64 weight, best;
  i32 width, row, boundary, bitmap, rank;
} Dense;

/* Room for the terms of kernels for any number of them: there is no stack. */
#define ANY_DENSE ((Dense *)DENSE_AT)

/* Reads the range's width, bound and the row of its largest possible frequency. */
INLINE void openRange(Dense *dense, const Term *term, i32 r) {
  i32 width = U8(term->width)[r];
  dense->width = width;
  dense->best = F64(term->bounds)[U8(term->impact)[r]];
  dense->row = SELECT(below(width, 5), bit(width), 32) << ROW_SHIFT;
}

/* The most that the term can score at a length code in the range. */
INLINE f64 boundAt(const Dense *dense, i32 code) {
  return min_f64(dense->best, dense->weight * impactAt(dense->row, code));
}

/* The sum of the bounds of terms first .. n - 1. */
INLINE f64 boundsAt(const Dense *dense, const i32 first, const i32 n, i32 code) {
  f64 sum = boundAt(&dense[first], code);
  EACH (k, n)
    if (k > first) sum += boundAt(&dense[k], code);
  return sum;
}

/* The row of posting number `rank` of the range; notes in `bounded` that it is only a bound. */
INLINE i32 rowAt(const Dense *dense, i32 rank, i32 *bounded) {
  if (!dense->width) return 1 << ROW_SHIFT;
  i32 row = rowOf(frequencyBefore(dense->boundary, (rank + 1) * dense->width, dense->width));
  *bounded |= row == BOUND_ROW;
  return row;
}

/* Emits a document that reaches theta; ~doc if its score is only a bound. Returns the next number.
 */
INLINE i32 emit(i32 m, i32 doc, i32 code, i32 bounded, f64 score, f64 theta) {
  if (!(score >= theta)) return m;
  I32(DOCS_AT)[m] = bounded || !below(code, LONG) ? ~doc : doc;
  F64(SCORES_AT)[m] = score;
  return m + 1;
}

/* Documents of range r in the bitmaps of n dense terms and in no excluded one, by 64. */
INLINE void candidatesOf(const i32 n, i32 r, i32 excluded, i64 found[4]) {
  i32 bitmap = TERMS[0].bitmap + (r << 5);
  EACH (q, 4) found[q] = I64(bitmap)[q];
  EACH (k, n)
    if (k > 0) {
      bitmap = TERMS[k].bitmap + (r << 5);
      EACH (q, 4) found[q] &= I64(bitmap)[q];
    }
  for (i32 j = 0; below(j, excluded); j++) {
    bitmap = I32(EXCLUDED_AT)[j] + (r << 5);
    EACH (q, 4) found[q] &= ~I64(bitmap)[q];
  }
}
