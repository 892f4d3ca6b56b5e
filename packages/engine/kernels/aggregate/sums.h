/* Sums and bounds of the codes of a column. */

/* Of 64 documents: so few are looked up one by one. */
#define FEW 8

/* Least and greatest code and sum in lanes. */
typedef struct {
  v128 low, high, a, b;
} Lanes;

INLINE v128 lesser(const i32 width, v128 a, v128 b) {
  return width == 1   ? wasm_u8x16_min(a, b)
         : width == 2 ? wasm_u16x8_min(a, b)
                      : wasm_u32x4_min(a, b);
}
INLINE v128 greater(const i32 width, v128 a, v128 b) {
  return width == 1   ? wasm_u8x16_max(a, b)
         : width == 2 ? wasm_u16x8_max(a, b)
                      : wasm_u32x4_max(a, b);
}

/* Lanes of block k (16 / width documents) whose bits of w are not set: all ones. */
INLINE v128 missing(const i32 width, i64 w, const i32 k) {
  if (width == 4) {
    const u32 first = 1u << (4 * k);
    v128 bits = wasm_u32x4_make(first, first << 1, first << 2, first << 3);
    return wasm_i32x4_eq(ZERO, wasm_v128_and(wasm_i32x4_splat((i32)w), bits));
  }
  v128 part = wasm_i16x8_splat((i32)shr64(w, 16 / width * k));
  if (width == 2) {
    v128 bits = wasm_i16x8_const(1, 2, 4, 8, 16, 32, 64, 128);
    return wasm_i16x8_eq(ZERO, wasm_v128_and(part, bits));
  }
  v128 order = wasm_i8x16_const(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  v128 bits = wasm_u8x16_const(1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128);
  return wasm_i8x16_eq(ZERO, wasm_v128_and(wasm_i8x16_swizzle(part, order), bits));
}

INLINE Lanes addLanes(const i32 width, Lanes lanes, v128 v) {
  if (width == 4) {
    lanes.a = wasm_i64x2_add(lanes.a, wasm_u64x2_extend_low_u32x4(v));
    lanes.b = wasm_i64x2_add(lanes.b, wasm_u64x2_extend_high_u32x4(v));
    return lanes;
  }
  v128 pairs = width == 2 ? v : wasm_u16x8_extadd_pairwise_u8x16(v);
  lanes.a = wasm_i32x4_add(lanes.a, wasm_u32x4_extadd_pairwise_u16x8(pairs));
  return lanes;
}

/* Ends a step: steps that mix need more registers than there are. */
INLINE Lanes stepped(Lanes lanes) {
  __asm__("" : "+r"(lanes.low), "+r"(lanes.high), "+r"(lanes.a), "+r"(lanes.b));
  return lanes;
}

/* All 64 documents of a word. */
INLINE Lanes addWhole(const i32 width, Lanes lanes, i32 at) {
  EACH (k, 4 * width) {
    v128 v = V128(at)[k];
    lanes.low = lesser(width, lanes.low, v);
    lanes.high = greater(width, lanes.high, v);
    lanes = stepped(addLanes(width, lanes, v));
  }
  return lanes;
}

/* Many documents of a word, by eight blocks. */
INLINE Lanes addMasked(const i32 width, Lanes lanes, i32 at, i64 w) {
  const i32 blocks = width == 1 ? 4 : 8;
  for (i32 end = at + 64 * width; at != end; at += 16 * blocks, w = shr64(w, 32)) {
    EACH (k, blocks) {
      /* Clang would replace what follows by slower selections, did it know the mask. */
      v128 v = V128(at)[k], out = hoisted(missing(width, w, k));
      lanes.low = lesser(width, lanes.low, wasm_v128_or(v, out));
      v = wasm_v128_andnot(v, out);
      lanes.high = greater(width, lanes.high, v);
      lanes = stepped(addLanes(width, lanes, v));
    }
  }
  return lanes;
}

/* Sum, least and greatest code. */
typedef struct {
  i64 sum;
  u32 low, high;
} Sum;

INLINE Sum addCode(Sum found, u32 code) {
  found.sum += code;
  found.low = SELECT(code < found.low, code, found.low);
  found.high = SELECT(code > found.high, code, found.high);
  return found;
}

/* The lane k of a vector that is a constant once the loop is unrolled. */
INLINE u32 laneAt(const i32 width, v128 v, const i32 k) {
  if (width == 4) return ((u32 __attribute__((vector_size(16))))v)[k];
  if (width == 2) return ((unsigned short __attribute__((vector_size(16))))v)[k];
  return ((u8 __attribute__((vector_size(16))))v)[k];
}

/* Lanes added to what was found one by one. */
INLINE Sum reduced(const i32 width, Lanes lanes, Sum found) {
  if (width == 4) {
    v128 sum = wasm_i64x2_add(lanes.a, lanes.b);
    found.sum += wasm_i64x2_extract_lane(sum, 0) + wasm_i64x2_extract_lane(sum, 1);
  } else {
    EACH (k, 4) found.sum += laneAt(4, lanes.a, k);
  }
  EACH (k, 16 / width) {
    u32 low = laneAt(width, lanes.low, k), high = laneAt(width, lanes.high, k);
    found.low = low < found.low ? low : found.low;
    found.high = high > found.high ? high : found.high;
  }
  return found;
}

/*
 * sum{width}: of the documents of `bits` and `present` in the words [from, to), at most 65,536:
 * returns how many; to `out` their codes' sum (i64), least and greatest (u32). Words from `whole`
 * on have codes one by one: nothing is read behind the column.
 */
INLINE i32 sumCodes(const i32 width, i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 whole,
                    i32 out) {
  Lanes lanes = {wasm_i32x4_const_splat(-1), ZERO, ZERO, ZERO};
  Sum found = {0, 0xffffffff, 0};
  i32 n = 0;
  EACH_WORD {
    i32 at = codes + (i * 64 * width);
    i32 here = popcount64(w);
    n += here;
    if (w == -1)
      lanes = addWhole(width, lanes, at);
    else if (here > FEW && below(i, whole))
      lanes = addMasked(width, lanes, at, w);
    else
      for (; w; w &= w - 1) found = addCode(found, (u32)codeAt(width, lowest(width, at, w), 0));
  }
  found = reduced(width, lanes, found);
  *I64(out) = found.sum;
  U32(out)[2] = found.low;
  U32(out)[3] = found.high;
  return n;
}

#define SUM(width)                                                                         \
  EXPORT(sum##width)                                                                       \
  i32 sum##width(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 whole, i32 out) { \
    return sumCodes(width, codes, bits, present, from, to, whole, out);                    \
  }
SUM(1)
SUM(2)
SUM(4)

/* Sums of low and of signed high halves, least and greatest value. */
typedef struct {
  i64 low, high, least, most;
} WideSum;

INLINE WideSum addWide(WideSum found, i64 value) {
  found.low += value & 0xffffffff;
  found.high += value >> 32;
  found.least = SELECT(value < found.least, value, found.least);
  found.most = SELECT(value > found.most, value, found.most);
  __asm__("" : "+r"(found.low), "+r"(found.high), "+r"(found.least), "+r"(found.most));
  return found;
}

/* sum8: the same of 64-bit values: to `out` a WideSum. */
EXPORT(sum8)
i32 sum8(i32 codes, i32 bits, i32 present, i32 from, i32 to, i32 whole, i32 out) {
  (void)whole;
  WideSum found = {0, 0, 0x7fffffffffffffff, -0x7fffffffffffffff - 1};
  i32 n = 0;
  EACH_WORD {
    i32 p = codes + (i * 512), end = p + 512;
    n += popcount64(w);
    if (w == -1)
      for (; p != end; p += 128)
        EACH (k, 16) found = addWide(found, I64(p)[k]);
    else
      for (; w; w &= w - 1) found = addWide(found, *I64(lowest(8, p, w)));
  }
  I64(out)[0] = found.low;
  I64(out)[1] = found.high;
  I64(out)[2] = found.least;
  I64(out)[3] = found.most;
  return n;
}
