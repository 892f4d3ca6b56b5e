/* Blocks of lists: decoded, searched. */

/* Counts blocks or ranges of work. */
static void spend(i32 blocks) {
  i32 left = QUERY->steps - blocks;
  QUERY->steps = left;
  if (left < 0) {
    QUERY->steps = BLOCKS_PER_LOOK;
    readClock();
  }
}

static i32 packed(i32 at, i32 index, i32 width) {
  i32 bit = index * width;
  i64 word = shr64(*I64(at + shr(bit, 3)), bit & 7);
  return (i32)word & ones(width);
}

/* Documents of a block of a list to its buffer, and a document above all behind them. */
static void decode(Slot *t, i32 block) {
  if (t->decoded == block) return;
  t->decoded = block;
  t->place = 0;
  i32 four = block << 2;
  i32 head = *I32(t->heads + four);
  i32 width = shr(head, 8) & 255, into = t->buffer;
  i32 at = t->data + *I32(t->offsets + four);
  i32 size = t->df - (block << 7);
  size = SELECT(size < 128, size, 128);
  t->postings = size;
  t->frequenciesAt = at + (shr(size * width + 31, 5) << 2);
  t->frequencyBits = shr(head, 16) & 255;
  i32 last = -1;
  if (block) last = I32(t->lastDocs + four)[-1];
  i32 end = into + (size << 2), stop = into + (shr(size + 7, 3) << 5);
  if (width > UNPACK_WIDTHS) {
    i32 i = 0;
    for (; i < size; i++) {
      last += packed(at, i, width) + 1;
      I32(into)[i] = last;
    }
  } else {
    i32 table = (i32)QUERY->unpack + width * UNPACK_BYTES, half = shr(width, 1);
    v128 m0 = *V128(table), f0 = V128(table)[1], m1 = V128(table)[2], f1 = V128(table)[3];
    v128 mask = wasm_i32x4_splat(ones(width));
    v128 acc = wasm_i32x4_splat(last);
    for (; into < stop; into += 32) {
      acc = addUp(acc, unpackFour(at, m0, f0, mask));
      *V128(into) = acc;
      acc = addUp(acc, unpackFour(at + half, m1, f1, mask));
      V128(into)[1] = acc;
      at += width;
    }
  }
  *V128(end) = wasm_i32x4_splat(0x7fffffff);
  V128(end)[1] = wasm_i32x4_splat(0x7fffffff);
}

/* 0: the documents up to the last one of a block, from behind the block before, are all blocked. */
static i32 isOpen(Slot *t, i32 block) {
  i32 blocked = QUERY->blocked;
  if (!blocked) return 1;
  i32 last = t->lastDocs + (block << 2), from = 0, to = *I32(last);
  if (block) from = I32(last)[-1] + 1;
  if (!below(to, SEGMENT->ranges << 8) || below(to, from)) trap();
  i32 at = blocked + (shr(from, 6) << 3), end = blocked + (shr(to, 6) << 3);
  for (; at <= end; at += 8) {
    if (*I64(at) != -1) return 1;
  }
  return 0;
}

/*
 * First of `size` places in a buffer, from one on, whose document is not below d: there is one,
 * or documents above all follow.
 */
static i32 seek(i32 docs, i32 place, i32 size, i32 d) {
  i32 at = docs + (place << 2), end = docs + (size << 2);
  while (at + 128 <= end && I32(at)[31] < d) at += 128;
  v128 wanted = wasm_i32x4_splat(d);
  i32 less = wasm_i32x4_bitmask(wasm_i32x4_lt(*V128(at), wanted));
  while (less == 15) {
    at += 16;
    less = wasm_i32x4_bitmask(wasm_i32x4_lt(*V128(at), wanted));
  }
  return shr(at - docs, 2) + ctz(~less);
}

/* First block of a list, from one on, whose last document is not below d. */
static i32 seekBlock(Slot *t, i32 block, i32 d) {
  i32 last = t->lastDocs, blocks = t->blocks;
  i32 step = 1, low = block;
  while (low + step < blocks && I32(last)[low + step - 1] < d) {
    low += step;
    step <<= 1;
  }
  i32 high = low + step;
  high = SELECT(high < blocks, high, blocks);
  while (low < high) {
    i32 middle = shr(low + high, 1);
    if (I32(last)[middle] < d)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static i32 holds(Slot *t, i32 d) {
  i32 docs = t->buffer;
  if (t->kind == LIST) {
    i32 block = seekBlock(t, 0, d);
    if (block >= t->blocks) return 0;
    decode(t, block);
  }
  return I32(docs)[seek(docs, 0, t->postings, d)] == d;
}
