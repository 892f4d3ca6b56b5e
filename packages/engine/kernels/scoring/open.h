/* Terms opened: addresses, bounds, postings of short terms. */

/*
 * The most that a document's impact by the query's average length is, which by the segment's is
 * at most `impact`; frequencies up to `tf`. With n = 0.3 + 0.9 length / average an impact is 1 /
 * (1 + n / tf), so only the second part of n depends on the average. Where that grows (scale
 * above 1) high frequencies gain most. Where it falls low ones lose least: `few` is the lowest
 * one that such an impact can have, because a document is as long as its frequency or longer.
 */
static f64 raiseFrequency(f64 impact, f64 tf) {
  f64 scale = QUERY->scale;
  if (scale == 1.0) return impact;
  f64 rest = (1.0 - impact) / (impact * scale), fixed = 0.3 - 0.3 / scale;
  if (scale > 1.0) return ROUNDING / (1.0 + fixed / tf + rest);
  f64 least = 0.9 / QUERY->averageLength;
  f64 left = rest * scale - least * scale;
  if (left <= 0.0) return impact;
  f64 few = max_f64(1.0, __builtin_ceil(0.3 / left * DOWN)), most = 1.0 + fixed / few + rest;
  if (few > 1.0) most = min_f64(most, 1.0 + 0.3 / (few - 1.0) + least);
  return min_f64(impact, ROUNDING / most);
}

/* The same for any frequency. */
static f64 raise(f64 impact) {
  f64 scale = QUERY->scale;
  if (scale <= 1.0) return raiseFrequency(impact, 1.0);
  return impact * scale / (1.0 + impact * (scale - 1.0)) * ROUNDING;
}

/* The best impact of a term that a reference leads to, by the query's average length. */
static f64 bestOf(i32 ref) {
  if (ref >= 0) return 1.0;
  i32 record = SEGMENT->records + (-1 - ref) * 40;
  return raise(float_of(I32(record)[7]));
}

/* A lower bound of the tenth best impact of such a term; 0: not known. */
static f64 tenthOf(i32 ref) {
  if (ref >= 0) return 0.0;
  i32 record = SEGMENT->records + (-1 - ref) * 40;
  f64 tenth = float_of(I32(record)[6]), scale = QUERY->scale;
  f64 fixed = 0.3 - 0.3 / scale;
  if (scale < 1.0) fixed = 0.0;
  if (scale != 1.0) tenth = 1.0 / (1.0 + fixed + (1.0 - tenth) / (tenth * scale));
  return tenth;
}

static void decodeShort(Slot *t) {
  i32 at = t->ref, into = t->buffer;
  i32 end = into + (t->df << 2), doc = -1;
  for (; into < end; into += 4) {
    i32 value = *U8(at), byte = value, shift = 7;
    at++;
    value &= 127;
    while (byte > 127) {
      byte = *U8(at);
      at++;
      value |= shl(byte & 127, shift);
      shift += 7;
    }
    i32 tf = 1;
    if (value & 1) {
      tf = *U8(at);
      byte = tf;
      at++;
      tf &= 127;
      shift = 7;
      while (byte > 127) {
        byte = *U8(at);
        at++;
        tf |= shl(byte & 127, shift);
        shift += 7;
      }
    }
    doc += shr(value, 1) + 1;
    *I32(into) = doc;
    *I32(into + BUFFER_frequencies) = tf;
  }
  *V128(into) = wasm_i32x4_splat(0x7fffffff);
}

static void openTerm(Slot *t, i32 slot, i32 df, i32 ref) {
  f64 weight = t->weight;
  t->df = df;
  t->ref = ref;
  t->slot = slot;
  t->buffer = (i32)QUERY->buffers + slot * BUFFER_BYTES;
  t->decoded = -1;
  t->best = bestDocsOf(ref);
  if (ref >= 0) {
    t->kind = SHORT;
    t->blocks = 1;
    t->postings = df;
    t->max = weight;
    decodeShort(t);
    return;
  }
  i32 record = SEGMENT->records + (-1 - ref) * 40;
  i32 big = SEGMENT->big, ranges = SEGMENT->ranges;
  i32 start = big + (I32(record)[1] << 2);
  i32 kind = I32(record)[2];
  t->max = weight * bestOf(ref);
  t->kind = kind;
  if (kind == DENSE) {
    i32 wide = I32(record)[8] == 1;
    i32 base = start + (ranges << 5);
    i32 offset = base + ((shr(ranges, 3) + 1) << 2);
    i32 impact = offset + shl(ranges, wide + 1);
    t->bitmap = start;
    t->base = base;
    t->offset = offset;
    t->payload = big + I32(record)[3];
    t->impact = impact;
    t->width = impact + ranges;
    t->group = impact + (ranges << 1);
    t->wide = wide;
    return;
  }
  i32 blocks = I32(record)[5];
  if (blocks != shr(df + 127, 7)) trap();
  t->blocks = blocks;
  t->lastDocs = start;
  t->heads = start + (blocks << 2);
  t->offsets = start + (blocks << 3);
  t->data = big + I32(record)[3];
}
