/* Tokens of the text, found by its bits, and their hashes. */

#define TOKENS ((Token *)RECORDS)

/* Bits of the text from `at` on, at least 57. */
INLINE i64 bitsFrom(i32 at) {
  i32 first = at - TEXT;
  return shr64(*I64(BITS + shr(first, 3)), first & 7);
}

/* Bytes of the run at `at`; more than TOKEN_MOST if it is longer. */
static i32 runLength(i32 at) {
  i32 end = at;
  for (; end - at <= TOKEN_MOST; end += 56) {
    i32 n = ctz64(~bitsFrom(end));
    if (n < 57) return end + n - at;
  }
  return end - at;
}

/* Bytes of runs that are no letters, digits, _ or beyond ASCII. */
INLINE i32 isMark(i32 byte) { return byte < '0' || (byte & 254) == ':'; }

INLINE i32 mixed(i32 hash, i32 word) {
  return ((i32)__builtin_rotateleft32(hash, HASH_rotate) ^ word) * HASH_multiply;
}

/*
 * Finds up to BATCH tokens and hashes them; returns how many. STATE has where it stopped: at `end`,
 * behind the last token, or at one that is too long or not ASCII.
 */
static i32 gather(i32 at, i32 end, i32 standard) {
  Token *token = TOKENS;
  while (token < TOKENS + BATCH) {
    i64 bits = bitsFrom(at);
    if (!bits) {
      at += 56;
      if (at >= end) break;
      continue;
    }
    at += ctz64(bits);
    if (at >= end) break;
    i32 length = ctz64(~bitsFrom(at));
    if (length > 56) length = runLength(at);
    length = SELECT(length < end - at, length, end - at);
    if (standard) {
      /* Marks at the edges of a text, and a lone _, are in no token. */
      i32 first = *U8(at);
      if (isMark(first) || (first == '_' && length == 1)) {
        at++;
        continue;
      }
      length -= isMark(U8(at)[length - 1]);
    }
    if (length > TOKEN_MOST) break;
    i32 hash = length;
    i64 any = 0;
    for (i32 k = 0; k < length; k += 8) {
      i32 left = length - k, unused = 64 - (SELECT(left < 8, left, 8) << 3);
      i64 word = shr64(shl64(*I64(at + k), unused), unused);
      any |= word;
      hash = mixed(mixed(hash, (i32)word), (i32)shr64(word, 32));
    }
    if (any & 0x8080808080808080) break;
    token->at = at;
    token->length = length;
    token->hash = hash;
    token++;
    at += length;
  }
  ((i32 *)STATE)[1] = SELECT(at < end, at, end);
  return token - TOKENS;
}
