/* Vectors in fixed point, and their codes in planes of bytes. */
#include "kernel.h"

#define MOST 32767
#define MIDDLE 128

#define SPLAT_F64(value) wasm_f64x2_splat(value)
/* The two upper lanes of 64 bits, in both halves. */
#define UPPER(v) wasm_i64x2_shuffle(v, v, 1, 1)

/* floor(value / scale + 0.5) of the two lower floats. */
INLINE v128 twoCodes(v128 values, v128 scale) {
  v128 quotients = wasm_f64x2_div(wasm_f64x2_promote_low_f32x4(values), scale);
  return wasm_i32x4_trunc_sat_f64x2_zero(
      wasm_f64x2_floor(wasm_f64x2_add(quotients, SPLAT_F64(0.5))));
}

INLINE v128 fourCodes(v128 values, v128 scale) {
  v128 low = twoCodes(values, scale), high = twoCodes(UPPER(values), scale);
  return wasm_i64x2_shuffle(low, high, 0, 2);
}

/* The largest value of a vector without its sign. */
INLINE f32 largest(const v128_at *values, const v128_at *end) {
  v128 max = ZERO;
  do max = wasm_f32x4_max(max, wasm_f32x4_abs(*values));
  while (++values < end);
  max = wasm_f32x4_max(max, wasm_i64x2_shuffle(max, max, 1, 0));
  return wasm_f32x4_extract_lane(wasm_f32x4_max(max, wasm_i32x4_shuffle(max, max, 1, 1, 1, 1)), 0);
}

/*
 * fix(values, count, dims, scales, codes): floats to fixed point, as `fixVectors` of base/. dims is
 * a multiple of 8.
 */
EXPORT(fix) void fix(v128_at *values, i32 count, i32 dims, f32_at *scales, v128_at *codes) {
  for (f32_at *last = scales + count; scales < last; scales++) {
    v128_at *end = values + (dims >> 2);
    f32 scale = (f32)((f64)largest(values, end) / MOST);
    *scales = scale;
    if (scale == 0) {
      fill(codes, 0, dims << 1);
      codes += dims >> 3;
      values = end;
    }
    v128 by = SPLAT_F64(scale);
    for (; values < end; values += 2, codes++) {
      v128 eight = wasm_i16x8_narrow_i32x4(fourCodes(values[0], by), fourCodes(values[1], by));
      *codes = wasm_i16x8_max(eight, wasm_i16x8_splat(-MOST));
    }
  }
}

/* Sums of squares: of two blocks of eight codes each, of all low bytes. */
typedef struct {
  v128 a, b, lows;
} Squares;

/* Adds the four sums of a product, which are below 2^32, to two sums of 64 bits. */
INLINE v128 widen(v128 sum, v128 product) {
  return wasm_i64x2_add(sum, wasm_i64x2_add(wasm_u64x2_extend_low_u32x4(product),
                                            wasm_u64x2_extend_high_u32x4(product)));
}

INLINE v128 square(v128 code) { return wasm_i32x4_dot_i16x8(code, code); }

INLINE v128 lowOf(v128 code) {
  return wasm_i16x8_sub(wasm_v128_and(code, hoisted(wasm_i16x8_splat(255))),
                        hoisted(wasm_i16x8_splat(MIDDLE)));
}

INLINE f64 total(v128 a, v128 b) {
  v128 sum = wasm_i64x2_add(a, b);
  return (f64)((u64)wasm_i64x2_extract_lane(sum, 0) + (u64)wasm_i64x2_extract_lane(sum, 1));
}

/* Splits 16 components: high bytes to `plane`, low ones to `lows`. */
INLINE void splitSixteen(const v128_at *codes, v128_at *plane, v128_at *lows, Squares *squares) {
  v128 a = codes[0], b = codes[1];
  *plane = wasm_i8x16_narrow_i16x8(wasm_i16x8_shr(a, 8), wasm_i16x8_shr(b, 8));
  squares->a = widen(squares->a, square(a));
  squares->b = widen(squares->b, square(b));
  a = lowOf(a);
  b = lowOf(b);
  *lows = wasm_i8x16_narrow_i16x8(a, b);
  squares->lows = wasm_i32x4_add(squares->lows, wasm_i32x4_add(square(a), square(b)));
}

/*
 * split(codes, count, dims, head, heads, tails, lows, sums): codes to rows of planes, as
 * `Planes.add`: high bytes of the first `head` components, of the others, low bytes. Of each vector
 * also three sums of squares: of all codes, of low bytes, of the codes behind the head. dims and
 * head are multiples of 16.
 */
EXPORT(split)
void split(v128_at *codes, i32 count, i32 dims, i32 head, v128_at *heads, v128_at *tails,
           v128_at *lows, f64_at *sums) {
  for (f64_at *last = sums + 3 * count; sums < last; sums += 3) {
    Squares squares = {ZERO, ZERO, ZERO};
    for (v128_at *end = heads + (head >> 4); heads < end; codes += 2)
      splitSixteen(codes, heads++, lows++, &squares);
    f64 first = total(squares.a, squares.b);
    squares.a = squares.b = ZERO;
    for (v128_at *end = tails + ((dims - head) >> 4); tails < end; codes += 2)
      splitSixteen(codes, tails++, lows++, &squares);
    f64 second = total(squares.a, squares.b);
    sums[0] = first + second;
    sums[1] = total(widen(ZERO, squares.lows), ZERO);
    sums[2] = second;
  }
}
