/*
 * Numbers the tokens of the `simple` analyzer and of the standard tokenizer with a term table
 * (inverted/write/term-table.ts). Memory: inverted/write/term-layout.ts.
 *
 * Tokens are numbered in batches, in three passes: find and hash the tokens; find the slot of each
 * hash; compare each with the term of its slot. A large table lies outside of the caches, and the
 * processor waits for several tokens of a pass at once.
 */
#include "kernel.h"
#include "layout.h"
#include "lower.h"
#include "gather.h"
#include "find.h"

/*
 * Numbers the tokens of the text [at, end), which `lower` (standard 0) or `lowerWords` (1) has
 * prepared, with a table of `size` terms. Writes numbers to IDS; returns how many there are. STATE
 * has the number of terms afterwards, and where the kernel stopped: before `end` if IDS is full, if
 * a new term does not fit (`most` terms, pool up to poolEnd), or at the start of a token that is
 * too long or not ASCII.
 */
EXPORT(number)
i32 number(i32 at, i32 end, i32 standard, i32 size, i32 most, i32 mask, i32 pool, i32 poolEnd,
           i32 starts, Slot *slots) {
  i32 into = IDS, *state = (i32 *)STATE;
  while (into < IDS + 4 * IDS_MOST) {
    i32 count = gather(at, end, standard);
    at = state[1];
    probe(count, mask, slots);
    for (Token *token = TOKENS; token < TOKENS + count; token++) {
      i32 id = token->found - 1;
      if (id < 0 || !isTerm(token, id, pool, starts)) {
        Slot *slot = find(token, mask, pool, starts, slots);
        if (slot->found) {
          id = slot->found - 1;
        } else {
          i32 start = I32(starts)[size];
          if (size >= most || start + token->length > poolEnd - pool) {
            state[0] = size;
            state[1] = token->at;
            return shr(into - IDS, 2);
          }
          copy(pool + start, token->at, token->length);
          id = size++;
          I32(starts)[size] = start + token->length;
          slot->hash = token->hash;
          slot->found = size;
        }
      }
      *I32(into) = id;
      into += 4;
    }
    if (count < BATCH) break;
  }
  state[0] = size;
  return shr(into - IDS, 2);
}
