/*
 * The blocks of dictionaries that may hold the terms. Each step is done for all terms and segments
 * before the next one, and reads a line of what the next one needs: lines come from memory at once.
 */

/* The segment of an entry becomes the one at hand. */
static void enter(Entry *entry) {
  EACH (k, 3) V128(SEGMENT)[k] = V128(entry)[k];
  *I64(&SEGMENT->impacts) = *I64(&entry->segment.impacts);
  QUERY->scale = entry->scale;
}

/* 1: the first term of a block is above the text. */
static i32 firstAbove(i32 index, i32 text, i32 length) {
  i32 at = SEGMENT->entries + I32(index)[2];
  i32 size = U8(at)[1];
  if (size == 255 && *U8(at) == 255) {
    QUERY->unsupported = 1;
    return 1;
  }
  i32 i = 0;
  for (; i < size && i < length; i++) {
    if (U8(at)[i + 2] != U8(text)[i]) return U8(at)[i + 2] > U8(text)[i];
  }
  return size > length;
}

/* Writes the first 8 bytes of every `step`th dictionary block, and one above all behind them. */
EXPORT(sample) void sample(Entry *entry, i32 into, i32 step) {
  enter(entry);
  i32 at = SEGMENT->index, left = SEGMENT->dictionaryBlocks;
  while (left > 0) {
    *I64(into) = __builtin_rotateleft64(*I64(at), 32);
    into += 8;
    at += step * 20;
    left -= step;
  }
  *I64(into) = -1;
}

/* The first bytes of a text, which zeros follow, as a number. */
static i64 keyOf(i32 text) {
  return wasm_i64x2_extract_lane(
      wasm_i8x16_shuffle(*V128(text), *V128(text), 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
      0);
}

/*
 * Writes the first and the number of the dictionary blocks that may hold the text, by the
 * samples.
 */
static void narrow(i32 text, i32 samples, i32 step, i32 into) {
  i64 key = keyOf(text);
  i32 left = SEGMENT->index, size = SEGMENT->dictionaryBlocks;
  if (samples) {
    i32 count = (i32)((u32)(size + step - 1) / step), low = 0, high = count;
    while (low < high) {
      i32 middle = shr(low + high, 1);
      if (below64(I64(samples)[middle], key))
        low = middle + 1;
      else
        high = middle;
    }
    while (high < count && I64(samples)[high] == key) high++;
    high *= step;
    size = SELECT(high < size, high, size);
    low = SELECT(low, (low - 1) * step, 0);
    left += low * 20;
    size -= low;
  }
  *I32(into) = left;
  I32(into)[1] = size;
}

/* The last of `size` dictionary blocks whose first term is not above the text. */
static i32 dictionaryBlock(i32 text, i32 length, i32 left, i32 size) {
  i64 key = keyOf(text);
  while (size > 1) {
    i32 half = shr(size, 1);
    i32 at = left + half * 20;
    i64 own = __builtin_rotateleft64(*I64(at), 32);
    i32 above = below64(key, own);
    if (own == key) above = firstAbove(at, text, length);
    left = SELECT(above, left, at);
    size = SELECT(above, half, size - half);
  }
  return left;
}

/* By the samples, in the found words of all entries; returns a sum of what it reads ahead. */
static i32 narrowAll(Entry *end, i32 asked) {
  Entry *entry = QUERY->segments;
  i32 ahead = 0;
  for (; entry < end; entry++) {
    if (entry->known) continue;
    enter(entry);
    i32 k = 0, into = (i32)entry->found;
    i32 samples = entry->samples, step = entry->step;
    for (; k < asked; k++) {
      narrow((i32)QUERY->text[k], samples, step, into);
      ahead += *I32(*I32(into) + shr(I32(into)[1], 1) * 20);
      into += 8;
    }
  }
  return ahead;
}

/* Of those found by narrowAll, the block of each term, or 0. */
static i32 chooseAll(Entry *end, i32 asked) {
  Entry *entry = QUERY->segments;
  i32 ahead = 0;
  for (; entry < end; entry++) {
    if (entry->known) continue;
    enter(entry);
    i32 k = 0, into = (i32)entry->found;
    for (; k < asked; k++) {
      i32 index = 0, size = I32(into)[1];
      if (size) {
        index = dictionaryBlock((i32)QUERY->text[k], QUERY->lengths[k], *I32(into), size);
        ahead += *I32(SEGMENT->entries + I32(index)[2]);
      }
      *I32(into) = index;
      into += 8;
    }
  }
  return ahead;
}
