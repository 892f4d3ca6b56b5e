/* What the loops over the codes of a column share: 1, 2, 4 or 8 bytes a document. */

/* Behind an empty word: the last of the empty ones that follow it four at a time. */
INLINE i32 behindEmpty(i32 bits, i32 i, i32 to) {
  for (; !below(to, i + 5); i += 4) {
    v128_at *next = V128(bits + (i << 3) + 8);
    if (wasm_v128_any_true(wasm_v128_or(next[0], next[1]))) break;
  }
  return i;
}

/* Visits words [from, to) of 64 documents: the bits w of `bits` and `present`, if there are any. */
#define EACH_WORD                                \
  i64 w = 0;                                     \
  for (i32 i = from; below(i, to); i++)          \
    if (!(w = I64(bits)[i] & I64(present)[i])) { \
      i = behindEmpty(bits, i, to);              \
    } else

/* The address of the code of the lowest document of w. */
INLINE i32 lowest(const i32 width, i32 at, i64 w) { return at + ctz64(w) * width; }

/* The code at an address, k codes further on. */
INLINE i32 codeAt(const i32 width, i32 at, const i32 k) {
  return width == 1 ? U8(at)[k] : width == 2 ? U16(at)[k] : I32(at)[k];
}
