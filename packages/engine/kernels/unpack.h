/* Bit-packed blocks of lists, four values at a time. */

/* Four values of a block, by the tables of their width (scoring/kernel/unpack-tables.ts). */
INLINE v128 unpackFour(i32 at, v128 shuffle, v128 factors, v128 mask) {
  v128 bits = wasm_i32x4_mul(wasm_i8x16_swizzle(*V128(at), shuffle), factors);
  return wasm_v128_and(wasm_u32x4_shr(bits, 7), mask);
}

/* Documents of four deltas behind the last one of `before`. */
INLINE v128 addUp(v128 before, v128 deltas) {
  v128 x = wasm_i32x4_add(deltas, wasm_i32x4_splat(1));
  x = wasm_i32x4_add(x, wasm_i32x4_shuffle(x, ZERO, 4, 0, 1, 2));
  x = wasm_i32x4_add(x, wasm_i32x4_shuffle(x, ZERO, 4, 5, 0, 1));
  return wasm_i32x4_add(x, wasm_i32x4_shuffle(before, before, 3, 3, 3, 3));
}
