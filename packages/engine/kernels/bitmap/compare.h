/* Codes of a column compared with bounds: bits of 32 documents at a time. */

/* Lanes of a block of codes that lie in [first, first + spread]: all ones. */
INLINE v128 inside(const i32 width, v128 code, v128 first, v128 spread) {
  if (width == 1) return wasm_u8x16_le(wasm_i8x16_sub(code, first), spread);
  if (width == 2) return wasm_u16x8_le(wasm_i16x8_sub(code, first), spread);
  return wasm_u32x4_le(wasm_i32x4_sub(code, first), spread);
}

/* Bits of 16 documents whose codes begin at `codes`. */
INLINE i32 sixteen(const i32 width, const v128_at *codes, v128 first, v128 spread) {
  v128 blocks[4];
  EACH (k, width) blocks[k] = inside(width, codes[k], first, spread);
  if (width == 4) {
    blocks[0] = wasm_i16x8_narrow_i32x4(blocks[0], blocks[1]);
    blocks[1] = wasm_i16x8_narrow_i32x4(blocks[2], blocks[3]);
  }
  if (width > 1) blocks[0] = wasm_i8x16_narrow_i16x8(blocks[0], blocks[1]);
  return wasm_i8x16_bitmask(blocks[0]);
}

/* Sets bits of word k of the documents, those in `present` only (0: all). */
INLINE void set(i32_at *into, const i32_at *present, i32 k, i32 bits) {
  into[k] |= present ? bits & present[k] : bits;
}

/* A code in all lanes. */
INLINE v128 splat(const i32 width, i32 value) {
  if (width == 1) return wasm_i8x16_splat(value);
  return width == 2 ? wasm_i16x8_splat(value) : wasm_i32x4_splat(value);
}

INLINE void between(const i32 width, const v128_at *codes, const i32_at *present, i32_at *into,
                    i32 words, i32 low, i32 span) {
  v128 first = splat(width, low), spread = splat(width, span);
  for (i32 k = 0; k < words; k++, codes += 2 * width) {
    i32 high = sixteen(width, codes + width, first, spread) << 16;
    set(into, present, k, sixteen(width, codes, first, spread) | high);
  }
}

/*
 * between{width}: into |= documents whose unsigned code lies in [low, low + span] and whose bit is
 * in `present` (0: all), for `words` words of 32 documents.
 */
#define BETWEEN(width)                                                                   \
  EXPORT(between##width)                                                                 \
  void between##width(v128_at *codes, i32_at *present, i32_at *into, i32 words, i32 low, \
                      i32 span) {                                                        \
    between(width, codes, present, into, words, low, span);                              \
  }
BETWEEN(1)
BETWEEN(2)
BETWEEN(4)

/* between8: the same for signed values of 64 bits in [low, high]. */
EXPORT(between8)
void between8(v128_at *values, i32_at *present, i32_at *into, i32 words, i64 low, i64 high) {
  v128 first = wasm_i64x2_splat(low), last = wasm_i64x2_splat(high);
  for (i32 k = 0; k < words; k++, values += 16) {
    i32 bits = 0;
    EACH (v, 16) {
      v128 both = wasm_v128_and(wasm_i64x2_ge(values[v], first), wasm_i64x2_le(values[v], last));
      bits |= wasm_i64x2_bitmask(both) << 2 * v;
    }
    set(into, present, k, bits);
  }
}
