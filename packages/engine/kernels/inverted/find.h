/* Terms of a table by the hash of a token. */

/* A slot of the table: number + 1 of the first term with the hash; 0: the slot is empty. */
typedef struct {
  i32 hash, found;
} Slot;

static i32 firstSlot(i32 hash) {
  hash = (hash ^ shr(hash, 15)) * HASH_mix;
  return hash ^ shr(hash, 13);
}

/* Notes the number + 1 of the first term with the hash of each token. */
static void probe(i32 count, i32 mask, const Slot *slots) {
  for (Token *token = TOKENS; token < TOKENS + count; token++) {
    for (i32 at = firstSlot(token->hash);; at++) {
      const Slot *slot = slots + (at & mask);
      token->found = slot->found;
      if (!slot->found || slot->hash == token->hash) break;
    }
  }
}

/* Whether the term at `term` has the `length` bytes of the token at `at`. */
static i32 same(i32 term, i32 at, i32 length) {
  for (; length > 8; length -= 8) {
    if (*I64(term) != *I64(at)) return 0;
    term += 8;
    at += 8;
  }
  return !shl64(*I64(term) ^ *I64(at), 64 - (length << 3));
}

static i32 isTerm(const Token *token, i32 id, i32 pool, i32 starts) {
  i32 start = I32(starts)[id];
  if (I32(starts)[id + 1] - start != token->length) return 0;
  return same(pool + start, token->at, token->length);
}

/* The slot of the token's term, or the empty one that it would have. */
static Slot *find(const Token *token, i32 mask, i32 pool, i32 starts, Slot *slots) {
  for (i32 at = firstSlot(token->hash);; at++) {
    Slot *slot = slots + (at & mask);
    if (!slot->found) return slot;
    if (slot->hash == token->hash && isTerm(token, slot->found - 1, pool, starts)) return slot;
  }
}
