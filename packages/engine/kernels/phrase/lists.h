/* Intersection of decoded lists. */

/* Lanes of a that are anywhere in b, as bits. */
INLINE i32 equalLanes(v128 a, v128 b) {
  v128 turned = wasm_i32x4_shuffle(b, b, 1, 2, 3, 0), half = wasm_i32x4_shuffle(b, b, 2, 3, 0, 1);
  v128 back = wasm_i32x4_shuffle(b, b, 3, 0, 1, 2);
  return wasm_i32x4_bitmask(
      wasm_v128_or(wasm_v128_or(wasm_i32x4_eq(a, b), wasm_i32x4_eq(a, turned)),
                   wasm_v128_or(wasm_i32x4_eq(a, half), wasm_i32x4_eq(a, back))));
}

/*
 * Documents of a[0 .. na) and b[0 .. nb), both rising, to docs; their places to ai and
 * bi. Four by four, all pairs at once; the side with the smaller last document moves on.
 */
static i32 intersect(i32 a, i32 na, i32 b, i32 nb, i32 docs, i32 ai, i32 bi) {
  i32 i = 0, j = 0, m = 0;
  while (!below(na, i + 4) && !below(nb, j + 4)) {
    i32 at = a + (i << 2);
    v128 left = *V128(at), right = *V128(b + (j << 2));
    for (i32 equal = equalLanes(left, right); equal; equal &= equal - 1) {
      i32 lane = ctz(equal), doc = I32(at)[lane];
      I32(ai)[m] = i + lane;
      I32(bi)[m] = j + ctz(wasm_i32x4_bitmask(wasm_i32x4_eq(right, wasm_i32x4_splat(doc))));
      I32(docs)[m++] = doc;
    }
    i32 x = wasm_i32x4_extract_lane(left, 3), y = wasm_i32x4_extract_lane(right, 3);
    i += (x <= y) << 2;
    j += (y <= x) << 2;
  }
  while (below(i, na) && below(j, nb)) {
    i32 x = I32(a)[i], y = I32(b)[j];
    if (x == y) {
      I32(ai)[m] = i, I32(bi)[m] = j;
      I32(docs)[m++] = x;
    }
    i += x <= y;
    j += y <= x;
  }
  return m;
}

/*
 * Documents of source[0 .. n) whose bit is set (with `flip` = 1: is not), to `into`, without
 * branches; returns how many. `hits` moves along: places in the source when `first` is 1, else its
 * own values.
 */
static i32 sieve(i32 source, i32 n, i32 bitmap, i32 into, i32 hits, i32 first, i32 flip) {
  i32 m = 0;
  for (i32 i = 0; below(i, n); i++) {
    i32 doc = I32(source)[i];
    I32(into)[m] = doc;
    I32(hits)[m] = first ? i : I32(hits)[i];
    m += hasBit(bitmap, doc) ^ flip;
  }
  return m;
}
