/*
 * Sums of texts to vectors of length 1 in fixed point, as `TokenSums.take` and `fixVectors` do.
 *
 * A division of a component by the scale is replaced by a product with 1 / scale: quotients of two
 * numbers of 24 bits that are no half differ from every half by at least 2^-26, and errors stay
 * below 2^-36, so adding 2^-30 rounds halves up and changes no other code.
 */

#define MOST 32767
/* 2^-30; and the number beyond which doubles have no fraction: its low half is the sum rounded. */
#define HALF_UP 0.000000000931322574615478515625
#define TO_INTEGER 6755399441055744.0

INLINE v128 low(v128 v) { return wasm_f64x2_promote_low_f32x4(v); }
INLINE v128 high(v128 v) { return low(wasm_i64x2_shuffle(v, v, 1, 1)); }

/* Adds the squares of two components of two rows, one row a lane, in their order. */
INLINE v128 addSquares(v128 sum, v128 pairs) {
  v128 first = low(pairs), second = high(pairs);
  sum = wasm_f64x2_add(sum, wasm_f64x2_mul(first, first));
  return wasm_f64x2_add(sum, wasm_f64x2_mul(second, second));
}

/* Adds the squares of four components of two rows. */
INLINE v128 addFour(v128 sum, v128 a, v128 b) {
  sum = addSquares(sum, wasm_i32x4_shuffle(a, b, 0, 4, 1, 5));
  return addSquares(sum, wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
}

/* Lengths of rows by the sums of their squares; 1 of a row of zeros. */
INLINE v128 lengthsOf(v128 sums) {
  v128 isZero = wasm_f64x2_eq(sums, wasm_f64x2_splat(0));
  return wasm_v128_bitselect(wasm_f64x2_splat(1), wasm_f64x2_sqrt(sums), isZero);
}

INLINE v128 divide(v128 values, v128 by) {
  v128 a = wasm_f32x4_demote_f64x2_zero(wasm_f64x2_div(low(values), by));
  v128 b = wasm_f32x4_demote_f64x2_zero(wasm_f64x2_div(high(values), by));
  return wasm_i64x2_shuffle(a, b, 0, 2);
}

INLINE v128 near(v128 two, v128 times) {
  v128 sum = wasm_f64x2_add(wasm_f64x2_mul(two, times), wasm_f64x2_splat(HALF_UP));
  return wasm_f64x2_add(sum, wasm_f64x2_splat(TO_INTEGER));
}

/* The codes of four values. */
INLINE v128 four(v128 values, v128 times) {
  return wasm_i32x4_shuffle(near(low(values), times), near(high(values), times), 0, 2, 4, 6);
}

/* One row: values of length 1, their scale, their codes. */
static void finishRow(v128_at *row, i32 dims, f64 length, i32 *scale, v128_at *codes) {
  v128 by = wasm_f64x2_splat(length), max = ZERO;
  v128_at *end = row + (dims >> 2);
  for (v128_at *at = row; at < end; at++) {
    *at = divide(*at, by);
    max = wasm_f32x4_max(max, wasm_f32x4_abs(*at));
  }
  max = wasm_f32x4_max(max, wasm_i32x4_shuffle(max, max, 2, 3, 2, 3));
  max = wasm_f32x4_max(max, wasm_i32x4_shuffle(max, max, 1, 1, 1, 1));
  max = wasm_f32x4_demote_f64x2_zero(wasm_f64x2_div(low(max), wasm_f64x2_splat(MOST)));
  *scale = wasm_i32x4_extract_lane(max, 0);
  v128 times = wasm_f64x2_div(wasm_f64x2_splat(1), low(wasm_i32x4_shuffle(max, max, 0, 0, 0, 0)));
  if (!*scale) times = ZERO;
  for (v128_at *at = row; at < end; at += 2, codes++) {
    v128 eight = wasm_i16x8_narrow_i32x4(four(at[0], times), four(at[1], times));
    *codes = wasm_i16x8_max(eight, wasm_i16x8_splat(-MOST));
  }
}

/*
 * finish: `count` rows of sums, a multiple of 4, of `dims` components, a multiple of 8: they become
 * vectors of length 1, with their scales, codes and sums of squares (f64, of the sums).
 */
EXPORT(finish)
void finish(i32 sums, i32 count, i32 dims, i32 *scales, i32 codes, v128_at *squares) {
  i32 size = dims << 2;
  for (; count > 0; count -= 4, squares += 2) {
    v128 ab = ZERO, cd = ZERO;
    for (i32 at = sums; at < sums + size; at += 16) {
      ab = addFour(ab, *V128(at), *V128(at + size));
      cd = addFour(cd, *V128(at + size + size), *V128(at + size + size + size));
    }
    squares[0] = ab;
    squares[1] = cd;
    ab = lengthsOf(ab);
    cd = lengthsOf(cd);
    f64 lengths[] = {wasm_f64x2_extract_lane(ab, 0), wasm_f64x2_extract_lane(ab, 1),
                     wasm_f64x2_extract_lane(cd, 0), wasm_f64x2_extract_lane(cd, 1)};
    EACH (k, 4) {
      finishRow(V128(sums), dims, lengths[k], scales++, V128(codes));
      sums += size;
      codes += dims << 1;
    }
  }
}
