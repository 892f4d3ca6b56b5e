/*
 * Sums of ASCII texts: words, their pieces as in embed/static/word-pieces.ts, the sum of their
 * rows. State: embed/static/text-state.ts.
 */

static void flush(State *state) {
  sum(state->found, state->count, state->rows, state->scales, state->row, state->dims);
  state->count = 0;
}

static void emit(State *state, i32 id) {
  if (state->count == MOST_IDS) flush(state);
  i32 n = state->count;
  I32(state->found)[n] = id;
  state->count = n + 1;
}

/* The id of a piece, or -1. A slot without an id has hash 0. */
static i32 find(State *state, i32 hash, i32 at, i32 length, i32 inside) {
  i32 mask = state->mask, ids = state->ids, hashes = state->hashes;
  i32 slot = falls(hash, mask), known, id, start, k;
  for (;;) {
    known = I32(hashes)[slot];
    if (known == hash) {
      id = I32(ids)[slot] - 1;
      if (id < 0) return -1;
      start = I32(state->starts)[id];
      if (I32(state->ends)[id] - start == length) {
        if (continues(state->text, start) == inside) {
          start += state->text;
          for (k = 0; k < length; k++) {
            if (U8(start)[k] != U8(at)[k]) break;
          }
          if (k == length) return id;
        }
      }
    } else if (known == 0) {
      if (I32(ids)[slot] == 0) return -1;
    }
    slot = (slot + 1) & mask;
  }
}

/* Bytes with which a piece may begin at a place of the word; notes the hash of each beginning. */
static i32 reach(State *state, i32 from, i32 length) {
  i32 hash = SELECT(from == 0, BEGINS, GOES_ON), n = 0;
  i32 at = state->word + from, inner = state->inner, beginnings = state->beginnings;
  for (; from + n < length; n++) {
    hash = hashStep(hash, U8(at)[n]);
    i32 bit = falls(hash, state->bits);
    if ((shr(I32(beginnings)[wordOf(bit)], bit) & 1) == 0) break;
    I32(inner)[n] = hash;
  }
  return n;
}

/* The pieces of a word that is none itself; one unknown where a part of it has no match. */
static void split(State *state, i32 length) {
  i32 from = 0, n = 0, id, piece, parts = state->parts;
  for (; from < length; from += piece) {
    piece = reach(state, from, length);
    id = -1;
    for (; piece > 0; piece--) {
      id = find(state, I32(state->inner)[piece - 1], state->word + from, piece, from > 0);
      if (id >= 0) break;
    }
    if (id < 0) {
      emit(state, state->unknown);
      return;
    }
    I32(parts)[n] = id;
    n++;
  }
  for (id = 0; id < n; id++) emit(state, I32(parts)[id]);
}

static void word(State *state, i32 length, i32 chars, i32 hash) {
  i32 id = state->unknown;
  if (chars <= state->most) id = find(state, hash, state->word, length, 0);
  if (id >= 0) {
    emit(state, id);
    return;
  }
  split(state, length);
}

static i32 isAscii(i32 at, i32 end) {
  for (; at + 16 <= end; at += 16) {
    if (wasm_i8x16_bitmask(*V128(at))) return 0;
  }
  return (wasm_i8x16_bitmask(*V128(at)) & ones(end - at)) == 0;
}

static void read(State *state, i32 at, i32 end) {
  i32 kinds = state->kinds, letters = state->word, most = state->most;
  i32 length = 0, chars = 0, hash = BEGINS, kind, id;
  for (; at < end; at++) {
    kind = U8(kinds)[*U8(at)];
    if (kind > KINDS_other) {
      if (chars < most) {
        hash = hashStep(hash, kind);
        U8(letters)[length] = kind;
        length++;
      }
      chars++;
    } else if (kind != KINDS_dropped) {
      if (length > 0) {
        word(state, length, chars, hash);
        length = 0;
        chars = 0;
        hash = BEGINS;
      }
      if (kind == KINDS_mark) {
        id = find(state, hashStep(BEGINS, *U8(at)), at, 1, 0);
        emit(state, id < 0 ? state->unknown : id);
      }
    }
  }
  if (length > 0) word(state, length, chars, hash);
}

static void zero(i32 at, i32 size) {
  i32 end = at + size;
  for (; at < end; at += 16) *V128(at) = wasm_i64x2_splat(0);
}

/*
 * texts: the sums of rows of texts i = from .. count - 1, text i = bytes[offsets[i] ..
 * offsets[i + 1]), into row i of `sums`. Returns the first text that is not ASCII, whose row is
 * zero, or count. Up to 15 bytes behind a text are read.
 */
EXPORT(texts) i32 texts(State *state, i32 from, i32 count, i32 offsets, i32 bytes, i32 sums) {
  i32 at, end, size = state->dims << 2, row = sums + from * (state->dims << 2);
  for (; from < count; from++) {
    at = bytes + I32(offsets)[from];
    end = bytes + I32(offsets)[from + 1];
    zero(row, size);
    if (isAscii(at, end) == 0) return from;
    state->row = row;
    read(state, at, end);
    if (state->count > 0) flush(state);
    row += size;
  }
  return count;
}
