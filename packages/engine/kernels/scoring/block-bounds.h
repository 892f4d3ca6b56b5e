/* What documents of a block of the rarest list score at most. */

/* The highest of n bytes. */
static i32 highest(i32 at, i32 n) {
  i32 end = at + n, most = 0;
  if (n < 16) {
    for (; at < end; at++) {
      i32 own = *U8(at);
      most = SELECT(own > most, own, most);
    }
    return most;
  }
  v128 all = V128(end)[-1];
  for (; at + 16 < end; at += 16) all = wasm_u8x16_max(all, *V128(at));
  all = wasm_u8x16_max(
      all, wasm_i8x16_shuffle(all, all, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  all = wasm_u8x16_max(
      all, wasm_i8x16_shuffle(all, all, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7));
  all = wasm_u8x16_max(
      all, wasm_i8x16_shuffle(all, all, 2, 3, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7));
  all = wasm_u8x16_max(
      all, wasm_i8x16_shuffle(all, all, 1, 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7));
  return wasm_u8x16_extract_lane(all, 0);
}

/*
 * The most that a term scores in documents [from, to], and the row of its highest frequency in
 * the table of impacts; 0: it has none of them.
 */
static i32 boundIn(Slot *t, i32 from, i32 to) {
  i32 code = 0, bits = 0;
  if (t->kind == SHORT) {
    t->most = t->max;
    t->row = 32;
    return 1;
  }
  if (t->kind == DENSE) {
    i32 first = shr(from, 8);
    i32 n = shr(to, 8) - first + 1;
    code = highest(t->impact + first, n);
    bits = highest(t->width + first, n);
  } else {
    i32 block = seekBlock(t, t->block, from);
    for (; block < t->blocks; block++) {
      i32 head = I32(t->heads)[block];
      i32 own = head & 255, wide = shr(head, 16) & 255;
      code = SELECT(own > code, own, code);
      bits = SELECT(wide > bits, wide, bits);
      if (I32(t->lastDocs)[block] >= to) break;
    }
  }
  f64 impact = raiseFrequency(F64(SEGMENT->impacts)[code], bit(bits));
  t->most = min_f64(t->max, t->weight * impact);
  t->row = SELECT(bits < 5, bit(bits), 32);
  return code;
}

/*
 * The most that the terms after the lead score in documents [from, to]; -1: one has none of them.
 */
static f64 boundOthers(i32 from, i32 to) {
  i32 k = 1;
  f64 sum = 0.0;
  for (; k < QUERY->active; k++) {
    Slot *t = QUERY->activeTerms[k];
    if (!boundIn(t, from, to)) return -1.0;
    sum += t->most;
  }
  return sum;
}

/* The same in the documents of a block of the lead. */
static f64 boundInBlock(Slot *lead, i32 block) {
  i32 last = lead->lastDocs + (block << 2), from = 0;
  if (block) from = I32(last)[-1] + 1;
  return boundOthers(from, *I32(last));
}

/* The most that they score there in a document of a length code. */
static f64 othersAt(i32 code) {
  i32 k = 1;
  f64 sum = 0.0;
  for (; k < QUERY->active; k++) {
    Slot *t = QUERY->activeTerms[k];
    sum += min_f64(t->most, t->weight * F64((t->row << 11) + TABLE_AT)[code]);
  }
  return sum;
}

/*
 * The first length code with which no document of the lead's block reaches theta; the others
 * score up to `rest`, or less where they are bounded.
 */
static i32 codeLimit(f64 weight, f64 best, i32 bits, f64 rest, i32 bounded) {
  i32 row = SELECT(bits < 5, bit(bits), 32), low = 0, high = 256;
  f64 theta = QUERY->theta;
  while (low < high) {
    i32 middle = shr(low + high, 1);
    f64 most = min_f64(best, weight * impactAt(row << ROW_SHIFT, middle));
    if (bounded) rest = othersAt(middle);
    if ((most + rest) * UP < theta)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
