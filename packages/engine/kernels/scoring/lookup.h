/* Terms in the dictionaries of segments. */

/* The term in the dictionary block at `index` (0: there are no terms). */
static void find(i32 text, i32 length, i32 index, i32 into) {
  *I32(into) = 0;
  I32(into)[1] = 0;
  if (!index) return;
  i32 at = SEGMENT->entries + I32(index)[2];
  i32 small = SEGMENT->small + I32(index)[3];
  i32 big = I32(index)[4], match = 0;
  i32 left = SEGMENT->terms - (i32)((u32)(index - SEGMENT->index) / 20) * 16;
  left = SELECT(left < 16, left, 16);
  while (left > 0) {
    left--;
    i32 shared = *U8(at), suffix = U8(at)[1];
    at += 2;
    if (shared == 255 && suffix == 255) {
      QUERY->unsupported = 1;
      return;
    }
    if (shared < match) return;
    i32 hit = 0;
    if (shared == match) {
      i32 i = 0;
      for (; i < suffix && match < length && U8(at)[i] == U8(text)[match]; match++) i++;
      hit = (i == suffix) & (match == length);
      if (!hit && i < suffix) {
        if (match == length || U8(at)[i] > U8(text)[match]) return;
      }
    }
    at += suffix;
    i32 df = *U8(at), byte = df, shift = 7;
    at++;
    if (df > 127) {
      df &= 127;
      while (byte > 127) {
        byte = *U8(at);
        at++;
        df |= shl(byte & 127, shift);
        shift += 7;
      }
    }
    if (df > 127) {
      if (hit) {
        *I32(into) = df;
        I32(into)[1] = -1 - big;
        return;
      }
      big++;
      continue;
    }
    if (hit) {
      *I32(into) = df;
      I32(into)[1] = small;
      return;
    }
    i32 bytes = *U8(at);
    byte = bytes;
    at++;
    if (bytes > 127) {
      bytes &= 127;
      shift = 7;
      while (byte > 127) {
        byte = *U8(at);
        at++;
        bytes |= shl(byte & 127, shift);
        shift += 7;
      }
    }
    small += bytes;
  }
}

/*
 * Weights by the documents of all segments, and the order in which scores are added: rarest
 * first.
 */
static void weigh(i32 asked) {
  i32 k = 0;
  f64 docs = QUERY->docs;
  for (; k < asked; k++) {
    i32 df = QUERY->frequencies[k], j = 0, order = 0;
    f64 n = df;
    QUERY->weights[k] = QUERY->boosts[k] * log(1.0 + (docs - n + 0.5) / (n + 0.5));
    for (; j < asked; j++) {
      i32 other = QUERY->frequencies[j];
      order += (other < df) | ((other == df) & (j < k));
    }
    QUERY->orders[k] = order;
  }
  /* Equal terms become the first of them, with the sum of their weights. */
  QUERY->distinct = asked;
  for (k = 0; k < asked; k++) {
    if (QUERY->firsts[k] == k) continue;
    QUERY->weights[QUERY->firsts[k]] += QUERY->weights[k];
    QUERY->distinct--;
  }
}

/*
 * Looks the terms up in all segments and weighs them; `given`: their documents are known. 0: a
 * term of a dictionary is too long.
 */
EXPORT(lookup) i32 lookup(i32 segments, i32 asked, i32 given) {
  Entry *entry = QUERY->segments, *end = entry + segments;
  QUERY->unsupported = 0;
  if (!given) fill(QUERY->frequencies, 0, sizeof(QUERY->frequencies));
  EACH (k, 8) QUERY->firsts[k] = k;
  QUERY->ahead = narrowAll(end, asked) + chooseAll(end, asked);
  for (; entry < end; entry++) {
    enter(entry);
    i32 k = 0, into = (i32)entry->found;
    for (; k < asked; k++) {
      if (!entry->known) find((i32)QUERY->text[k], QUERY->lengths[k], *I32(into), into);
      i32 df = *I32(into), j = 0;
      if (df) {
        if (!given) QUERY->frequencies[k] += df;
        for (j = (i32)entry->found; j < into; j += 8) {
          if (!*I32(j) || I32(j)[1] != I32(into)[1]) continue;
          QUERY->firsts[k] = shr(j - (i32)entry->found, 3);
          *I32(into) = 0;
        }
      }
      into += 8;
    }
  }
  weigh(asked);
  return !QUERY->unsupported;
}
