/* Lower case of ASCII, and a bit for each byte of the text: set in tokens. */

/* Lanes of v that are `count` values from `first` on. */
INLINE v128 within(v128 v, i32 first, i32 count) {
  return wasm_u8x16_lt(wasm_i8x16_sub(v, wasm_i8x16_splat(first)), wasm_i8x16_splat(count));
}

INLINE v128 lettersOf(v128 v) {
  return within(wasm_v128_or(v, wasm_i8x16_splat('a' - 'A')), 'a', 26);
}

INLINE v128 digitsOf(v128 v) { return within(v, '0', 10); }

INLINE v128 equal(v128 v, i32 character) { return wasm_i8x16_eq(v, wasm_i8x16_splat(character)); }

/* Puts 16 bytes into lower case and notes which of them are in tokens: bytes beyond ASCII too. */
INLINE void note(i32 at, v128 v, v128 letters, v128 inTokens) {
  *V128(at) = wasm_v128_or(v, wasm_v128_and(letters, wasm_i8x16_splat('a' - 'A')));
  *U16(BITS + shr(at - TEXT, 3)) = wasm_i8x16_bitmask(wasm_v128_or(inTokens, v));
}

/* For `simple`: bits of letters and digits. */
EXPORT(lower) void lower(i32 at, i32 end) {
  for (; at < end; at += 16) {
    v128 v = *V128(at), letters = lettersOf(v);
    note(at, v, letters, wasm_v128_or(letters, digitsOf(v)));
  }
}

/*
 * For the standard tokenizer: also of `_`, of marks that join letters or digits, and of marks
 * beside bytes beyond ASCII.
 */
EXPORT(lowerWords) void lowerWords(i32 at, i32 end) {
  v128 last = ZERO;
  for (; at < end; at += 16) {
    v128 v = *V128(at), after = *V128(at + 1);
    v128 before =
        wasm_i8x16_shuffle(last, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    last = v;
    v128 letters = lettersOf(v), digits = digitsOf(v);
    v128 dots = wasm_v128_or(equal(v, '.'), equal(v, '\''));
    v128 commas = wasm_v128_or(equal(v, ','), equal(v, ';'));
    v128 colons = equal(v, ':');
    v128 joinedLetters = wasm_v128_and(wasm_v128_and(lettersOf(before), lettersOf(after)),
                                       wasm_v128_or(dots, colons));
    v128 joinedDigits =
        wasm_v128_and(wasm_v128_and(digitsOf(before), digitsOf(after)), wasm_v128_or(dots, commas));
    v128 marks = wasm_v128_and(wasm_v128_or(colons, wasm_v128_or(dots, commas)),
                               wasm_v128_or(before, after));
    v128 joined = wasm_v128_or(marks, wasm_v128_or(joinedLetters, joinedDigits));
    v128 words = wasm_v128_or(wasm_v128_or(letters, digits), equal(v, '_'));
    note(at, v, letters, wasm_v128_or(words, joined));
  }
}
