/* Sums of doubles that are stored as ordered integers (base/arrays/ordered-double.ts). */

/* Two doubles from two ordered integers: negative ones are flipped but for the sign. */
INLINE v128 unfolded(v128 v, v128 zero) {
  return wasm_v128_xor(v, wasm_u64x2_shr(wasm_i64x2_lt(v, zero), 1));
}

/*
 * sumDoubles: of the documents of `bits` and `present` in the words [from, to): returns how many.
 * Document d goes to lane d & 7. At `lanes`: eight sums, what each has lost (f64; the two-sum of
 * Knuth), then the least and the greatest ordered integer (i64); all are read and written back.
 */
EXPORT(sumDoubles)
i32 sumDoubles(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 lanes) {
  v128 sums[4], lost[4], low = wasm_i64x2_splat(I64(lanes)[16]);
  v128 high = wasm_i64x2_splat(I64(lanes)[17]);
  EACH (j, 4) {
    sums[j] = V128(lanes)[j];
    lost[j] = V128(lanes)[4 + j];
  }
  /* Clang would shift the sign instead of comparing with zero, which takes longer. */
  v128 zero = hoisted(ZERO);
  i32 n = 0;
  EACH_WORD {
    i32 at = codes + (i << 9), end = at + 512;
    n += popcount64(w);
    for (; at != end; at += 64, w = shr64(w, 8)) {
      EACH (j, 4) {
        v128 two = wasm_i64x2_make(1 << (2 * j), 2 << (2 * j));
        v128 v = V128(at)[j];
        v128 left = hoisted(wasm_i64x2_ne(zero, wasm_v128_and(wasm_i64x2_splat(w), two)));
        low = wasm_v128_bitselect(v, low, wasm_v128_and(left, wasm_i64x2_lt(v, low)));
        high = wasm_v128_bitselect(v, high, wasm_v128_and(left, wasm_i64x2_gt(v, high)));
        v128 x = wasm_v128_and(left, unfolded(v, zero)), sum = wasm_f64x2_add(sums[j], x);
        v128 added = wasm_f64x2_sub(sum, sums[j]);
        v128 more = wasm_f64x2_add(wasm_f64x2_sub(sums[j], wasm_f64x2_sub(sum, added)),
                                   wasm_f64x2_sub(x, added));
        lost[j] = wasm_f64x2_add(lost[j], more);
        sums[j] = sum;
        __asm__("" : "+r"(low), "+r"(high), "+r"(sums[j]), "+r"(lost[j]));
      }
    }
  }
  EACH (j, 4) {
    V128(lanes)[j] = sums[j];
    V128(lanes)[4 + j] = lost[j];
  }
  i64 a = wasm_i64x2_extract_lane(low, 0), b = wasm_i64x2_extract_lane(low, 1);
  I64(lanes)[16] = a < b ? a : b;
  a = wasm_i64x2_extract_lane(high, 0);
  b = wasm_i64x2_extract_lane(high, 1);
  I64(lanes)[17] = a > b ? a : b;
  return n;
}
