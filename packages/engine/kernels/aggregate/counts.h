/* Counts of documents by code, or by the bucket in which a code lies. */

/* 16-bit counts: equal neighbours go to four rows in turn, which do not wait for each other. */
typedef struct {
  i32 at[4];
} Rows;

INLINE Rows rowsOf(i32 table, i32 row) {
  return (Rows){{table, table + row, table + 2 * row, table + 3 * row}};
}

/*
 * count{width}: documents of `bits` and `present` in the words [from, to), by code, into a table of
 * 16-bit counts: four rows, `row` bytes apart (0: one row). At most 65,535 documents. Returns how
 * many.
 */
#define COUNT(width)                                                                         \
  EXPORT(count##width)                                                                       \
  i32 count##width(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 table, i32 row) { \
    Rows rows = rowsOf(table, row);                                                          \
    i32 n = 0;                                                                               \
    EACH_WORD {                                                                              \
      i32 p = codes + (i * 64 * width), end = p + 64 * width;                                \
      n += popcount64(w);                                                                    \
      if (w == -1)                                                                           \
        for (; p != end; p += 16 * width)                                                    \
          EACH (k, 16) U16(rows.at[k & 3])[codeAt(width, p, k)]++;                           \
      else                                                                                   \
        for (; w; w &= w - 1) U16(table)[codeAt(width, lowest(width, p, w), 0)]++;           \
    }                                                                                        \
    return n;                                                                                \
  }
COUNT(1)
COUNT(2)
COUNT(4)

/* countMany{width}: the same for many codes: one row of 32-bit counts, any number of documents. */
#define COUNT_MANY(width)                                                               \
  EXPORT(countMany##width)                                                              \
  i32 countMany##width(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 table) { \
    i32 n = 0;                                                                          \
    EACH_WORD {                                                                         \
      i32 p = codes + (i * 64 * width), end = p + 64 * width;                           \
      n += popcount64(w);                                                               \
      if (w == -1)                                                                      \
        for (; p != end; p += 16 * width)                                               \
          EACH (k, 16) I32(table)[codeAt(width, p, k)]++;                               \
      else                                                                              \
        for (; w; w &= w - 1) I32(table)[codeAt(width, lowest(width, p, w), 0)]++;      \
    }                                                                                   \
    return n;                                                                           \
  }
COUNT_MANY(1)
COUNT_MANY(2)
COUNT_MANY(4)

/* Buckets of codes: see bucket. */
typedef struct {
  i32 cells, lasts;
  i64 first, shift;
} Line;

INLINE i32 bucketOf(const i32 width, const Line line, i32 at, const i32 k) {
  if (width == 8) {
    i64 x = I64(at)[k] - line.first;
    i32 b = I32(line.cells)[(i32)shr64(x, line.shift)];
    return b + below64(I64(line.lasts)[b], x);
  }
  i32 x = I32(at)[k], b = I32(line.cells)[shr(x, (i32)line.shift)];
  return b + below(I32(line.lasts)[b], x);
}

/*
 * bucket{width}: as count{width}, by bucket. cells[x >> shift] is the bucket in which a cell
 * begins; no cell meets a third one; lasts[bucket] is the last x of a bucket. x is a code, or a
 * 64-bit value less `first`.
 */
INLINE i32 countBuckets(const i32 width, i32 codes, i32 bits, i32 present, i32 from, i32 to,
                        i32 table, i32 row, const Line line) {
  Rows rows = rowsOf(table, row);
  i32 n = 0;
  EACH_WORD {
    i32 p = codes + (i * 64 * width), end = p + 64 * width;
    n += popcount64(w);
    if (w == -1)
      for (; p != end; p += 16 * width)
        EACH (k, 16) U16(rows.at[k & 3])[bucketOf(width, line, p, k)]++;
    else
      for (; w; w &= w - 1) U16(table)[bucketOf(width, line, lowest(width, p, w), 0)]++;
  }
  return n;
}

EXPORT(bucket4)
i32 bucket4(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 table, i32 row, i32 cells,
            i32 lasts, i32 shift) {
  Line line = {cells, lasts, 0, shift};
  return countBuckets(4, codes, bits, present, from, to, table, row, line);
}
EXPORT(bucket8)
i32 bucket8(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 table, i32 row, i32 cells,
            i32 lasts, i64 first, i64 shift) {
  Line line = {cells, lasts, first, shift};
  return countBuckets(8, codes, bits, present, from, to, table, row, line);
}

INLINE void addRows(const i32 n, Rows rows, i32 bytes, i32 totals) {
  i32 i = 0;
  do {
    v128 sum = ZERO;
    EACH (r, n) {
      sum = wasm_i16x8_add(sum, *V128(rows.at[r] + i));
      *V128(rows.at[r] + i) = ZERO;
    }
    v128_at *into = V128(totals + (i << 1));
    into[0] = wasm_i32x4_add(into[0], wasm_u32x4_extend_low_u16x8(sum));
    into[1] = wasm_i32x4_add(into[1], wasm_u32x4_extend_high_u16x8(sum));
    i += 16;
  } while (below(i, bytes));
}

/* total: adds `bytes` of each row to 32-bit counts and clears the rows. */
EXPORT(total) void total(i32 table, i32 row, i32 bytes, i32 totals) {
  if (row)
    addRows(4, rowsOf(table, row), bytes, totals);
  else
    addRows(1, rowsOf(table, row), bytes, totals);
}
