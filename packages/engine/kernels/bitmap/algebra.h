/* Algebra of bitmaps, and counting their bits. Lengths are whole multiples of 32 bytes. */

/* into := into op a. */
#define COMBINE(name, op)                                                     \
  EXPORT(name) void combine_##name(v128_at *into, v128_at *a, i32 bytes) {    \
    for (v128_at *end = into + (bytes >> 4); into < end; into += 2, a += 2) { \
      into[0] = op(into[0], a[0]);                                            \
      into[1] = op(into[1], a[1]);                                            \
    }                                                                         \
  }
COMBINE(or, wasm_v128_or)
COMBINE(and, wasm_v128_and)
COMBINE(andnot, wasm_v128_andnot)

/* Steps of 32 bytes in which counts of 8 bits in 16 lanes do not overflow. */
#define STEPS 15

/* Adds lanes of 8 bits to sums of 32. */
INLINE v128 widened(v128 sum, v128 lanes) {
  v128 pairs = wasm_u16x8_extadd_pairwise_u8x16(lanes);
  return wasm_i32x4_add(sum, wasm_u32x4_extadd_pairwise_u16x8(pairs));
}

INLINE i32 total(v128 sum) {
  return wasm_i32x4_extract_lane(sum, 0) + wasm_i32x4_extract_lane(sum, 1) +
         wasm_i32x4_extract_lane(sum, 2) + wasm_i32x4_extract_lane(sum, 3);
}

/* What a count counts: the bits of all three bitmaps, or of any; maybe without another's. */
typedef struct {
  i32 any, but;
} Count;

INLINE v128 countedBits(const Count count, v128 a, v128 b, v128 c, v128 blocked) {
  v128 bits =
      count.any ? wasm_v128_or(wasm_v128_or(a, b), c) : wasm_v128_and(wasm_v128_and(a, b), c);
  return wasm_i8x16_popcnt(count.but ? wasm_v128_andnot(bits, blocked) : bits);
}

INLINE i32 countBits(const Count count, const v128_at *a, const v128_at *b, const v128_at *c,
                     const v128_at *blocked, i32 bytes) {
  v128 sum = ZERO;
  const v128_at *end = a + (bytes >> 4);
  while (a < end) {
    const v128_at *stop = a + 2 * STEPS < end ? a + 2 * STEPS : end;
    v128 lanes = ZERO;
    for (; a < stop; a += 2, b += 2, c += 2, blocked += 2) {
      lanes = wasm_i8x16_add(lanes,
                             countedBits(count, a[0], b[0], c[0], count.but ? blocked[0] : ZERO));
      lanes = wasm_i8x16_add(lanes,
                             countedBits(count, a[1], b[1], c[1], count.but ? blocked[1] : ZERO));
    }
    sum = widened(sum, lanes);
  }
  return total(sum);
}

typedef const v128_at *Bits;

EXPORT(countAnd) i32 countAnd(Bits a, Bits b, Bits c, i32 bytes) {
  return countBits((Count){0, 0}, a, b, c, a, bytes);
}
EXPORT(countOr) i32 countOr(Bits a, Bits b, Bits c, i32 bytes) {
  return countBits((Count){1, 0}, a, b, c, a, bytes);
}
EXPORT(countAndBut) i32 countAndBut(Bits a, Bits b, Bits c, Bits blocked, i32 bytes) {
  return countBits((Count){0, 1}, a, b, c, blocked, bytes);
}
EXPORT(countOrBut) i32 countOrBut(Bits a, Bits b, Bits c, Bits blocked, i32 bytes) {
  return countBits((Count){1, 1}, a, b, c, blocked, bytes);
}

/*
 * countEach: numbers of bits of a0, a1 and a2 that `bits` has too, to three words at `into`: `bits`
 * is read once for three.
 */
EXPORT(countEach) void countEach(Bits a0, Bits a1, Bits a2, Bits bits, i32 bytes, i32 *into) {
  Bits a[] = {a0, a1, a2}, end = bits + (bytes >> 4);
  v128 sums[] = {ZERO, ZERO, ZERO};
  while (bits < end) {
    Bits stop = bits + 2 * STEPS < end ? bits + 2 * STEPS : end;
    v128 lanes[] = {ZERO, ZERO, ZERO};
    for (; bits < stop; bits += 2) {
      v128 b = bits[0], c = bits[1];
      EACH (k, 3) {
        v128 both = wasm_i8x16_add(wasm_i8x16_popcnt(wasm_v128_and(b, a[k][0])),
                                   wasm_i8x16_popcnt(wasm_v128_and(c, a[k][1])));
        lanes[k] = wasm_i8x16_add(lanes[k], both);
        a[k] += 2;
      }
    }
    EACH (k, 3) sums[k] = widened(sums[k], lanes[k]);
  }
  EACH (k, 3) into[k] = total(sums[k]);
}
