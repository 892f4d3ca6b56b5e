/* The tables of a vocabulary (embed/static/vocabulary.ts). */

INLINE i32 isLineEnd(i32 at, i32 end) { return !below(at, end) || *U8(at) == '\n'; }

typedef struct {
  i32 text, *starts, *ends, *ids, *hashes, mask;
} Lines;

/* The slot of a token [start, end) of the text: an empty one, or that of an equal token. */
INLINE i32 findSlot(const Lines *lines, i32 hash, i32 start, i32 end) {
  for (i32 slot = falls(hash, lines->mask);; slot = (slot + 1) & lines->mask) {
    i32 id = lines->ids[slot] - 1;
    if (id < 0) return slot;
    if (lines->hashes[slot] != hash) continue;
    i32 known = lines->starts[id], length = lines->ends[id] - known;
    if (length != end - start) continue;
    if (continues(lines->text, known) != continues(lines->text, start)) continue;
    i32 k = 0;
    while (k < length && U8(lines->text)[known + k] == U8(lines->text)[start + k]) k++;
    if (k == length) return slot;
  }
}

/*
 * index: the tables over the lines text .. end (addresses); `starts` and `ends` count from the
 * text. Notes the beginnings of tokens by hash. Returns the number of lines, at most size + 1.
 */
EXPORT(index)
i32 indexLines(i32 text, i32 end, i32 size, i32 *starts, i32 *ends, i32 *ids, i32 *hashes, i32 mask,
               i32 *beginnings, i32 bits) {
  const Lines lines = {text, starts, ends, ids, hashes, mask};
  i32 at = text, id = 0;
  for (; below(at, end) && id <= size; id++, at++) {
    i32 hash = BEGINS;
    /* Steps over "##" where text follows it. */
    if (below(at + 2, end) && *U16(at) == '#' * 257 && !isLineEnd(at + 2, end)) {
      at += 2;
      hash = GOES_ON;
    }
    i32 from = at;
    for (; !isLineEnd(at, end); at++) {
      hash = hashStep(hash, *U8(at));
      i32 beginning = falls(hash, bits);
      beginnings[wordOf(beginning)] |= bit(beginning);
    }
    if (id >= size) continue;
    starts[id] = from - text;
    ends[id] = at - text;
    i32 slot = findSlot(&lines, hash, from - text, at - text);
    ids[slot] = id + 1;
    hashes[slot] = hash;
  }
  return id;
}
