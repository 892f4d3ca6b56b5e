/* Sums of rows of a model. */

#define BLOCK 32

/* Four of 16 bytes, signed, as floats. */
INLINE v128 floats(v128 bytes, const i32 quarter) {
  v128 half =
      quarter < 2 ? wasm_i16x8_extend_low_i8x16(bytes) : wasm_i16x8_extend_high_i8x16(bytes);
  return wasm_f32x4_convert_i32x4(quarter & 1 ? wasm_i32x4_extend_high_i16x8(half)
                                              : wasm_i32x4_extend_low_i16x8(half));
}

/*
 * sum: sums[d] += scales[id] * rows[id][d] for ids[0 .. n), d in whole blocks of 32 below dims;
 * float32, each sum in the order of the ids.
 */
EXPORT(sum) void sum(i32 ids, i32 n, i32 rows, i32 scales, i32 sums, i32 dims) {
  for (i32 d = 0; d + BLOCK <= dims; d += BLOCK) {
    v128_at *out = V128(sums + (d << 2));
    v128 block[8];
    EACH (k, 8) block[k] = out[k];
    for (i32 *id = (i32 *)ids, *end = id + n; id < end; id++) {
      v128_at *row = V128(rows + d + *id * dims);
      v128 scale = wasm_f32x4_splat(F32(scales)[*id]);
      EACH (half, 2)
        EACH (k, 4) {
          v128 part = wasm_f32x4_mul(floats(row[half], k), scale);
          block[4 * half + k] = wasm_f32x4_add(block[4 * half + k], part);
        }
    }
    EACH (k, 8) out[k] = block[k];
  }
}
