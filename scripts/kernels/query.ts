/**
 * A whole query of up to four terms over one segment in one call: look the terms up, open them,
 * intersect, score, keep the best. In the language of language.ts; memory: kernel-memory.ts.
 */
import {
  BUFFER,
  BUFFER_BYTES,
  DOCS_AT,
  EMITTED_AT,
  EXCLUDED_AT,
  FIELD,
  QUERY,
  SCORES_AT,
  SEGMENT,
  SLOT,
  SLOT_BYTES,
  TABLE_AT,
  TERM_BYTES,
  UNPACK_BYTES,
  UNPACK_WIDTHS,
} from '../../packages/engine/src/scoring/kernel-memory.ts';
import { compile, type Signatures } from './language.ts';

/** Bounds are widened by this against rounding, lower bounds narrowed. */
const UP = '1.000000001';
const ROUNDING = '1.000000000001';
const DOWN = '0.999999999999';
/** The next number above 1. */
const NEXT = '1.0000000000000002220446049250313';
const [DENSE, LIST, SHORT] = [0, 1, 2];
const LONG = 240;

const lookup = `
  // 1: the first term of a block is above the text
  fn firstAbove(i32 index, i32 text, i32 length) -> i32 {
    i32 at = i32[${SEGMENT.entries}] + i32[index + 8];
    i32 size = u8[at + 1];
    if (size == 255 && u8[at] == 255) { i32[${QUERY.unsupported}] = 1; return 1; }
    i32 i = 0;
    while (i < size && i < length) {
      if (u8[at + i + 2] != u8[text + i]) { return u8[at + i + 2] > u8[text + i]; }
      i += 1;
    }
    return size > length;
  }

  // writes the first 8 bytes of every "step"th dictionary block, and one above all behind them
  export fn sample(i32 into, i32 step) {
    i32 at = i32[${SEGMENT.index}], left = i32[${SEGMENT.dictionaryBlocks}];
    while (left > 0) {
      i64[into] = i64.rotl(i64[at], 32L);
      into += 8;
      at += step * 20;
      left -= step;
    }
    i64[into] = -1L;
  }

  // the last dictionary block whose first term is not above the text, which zeros follow
  fn dictionaryBlock(i32 text, i32 length, i32 samples, i32 step) -> i32 {
    i64 key = i64x2.extract_lane<0>(
      i8x16.shuffle<7 6 5 4 3 2 1 0 0 0 0 0 0 0 0 0>(v128[text], v128[text]));
    i32 left = i32[${SEGMENT.index}], size = i32[${SEGMENT.dictionaryBlocks}];
    if (samples) {
      i32 count = (size + step - 1) / step, low = 0, high = count;
      while (low < high) {
        i32 middle = (low + high) >> 1;
        if (i64.lt_u(i64[samples + (middle << 3)], key)) { low = middle + 1; } else { high = middle; }
      }
      while (high < count && i64[samples + (high << 3)] == key) { high += 1; }
      high *= step;
      size = select(high < size, high, size);
      low = select(low, (low - 1) * step, 0);
      left += low * 20;
      size -= low;
    }
    while (size > 1) {
      i32 half = size >> 1;
      i32 at = left + half * 20;
      i64 own = i64.rotl(i64[at], 32L);
      i32 above = i64.gt_u(own, key);
      if (own == key) { above = firstAbove(at, text, length); }
      left = select(above, left, at);
      size = select(above, half, size - half);
    }
    return left;
  }

  fn find(i32 text, i32 length, i32 into, i32 samples, i32 step) {
    i32[into] = 0;
    i32[into + 4] = 0;
    if (!i32[${SEGMENT.dictionaryBlocks}]) { return; }
    i32 index = dictionaryBlock(text, length, samples, step);
    i32 at = i32[${SEGMENT.entries}] + i32[index + 8];
    i32 small = i32[${SEGMENT.small}] + i32[index + 12];
    i32 big = i32[index + 16], match = 0;
    i32 left = i32[${SEGMENT.terms}] - ((index - i32[${SEGMENT.index}]) / 20) * 16;
    left = select(left < 16, left, 16);
    while (left > 0) {
      left -= 1;
      i32 shared = u8[at], suffix = u8[at + 1];
      at += 2;
      if (shared == 255 && suffix == 255) { i32[${QUERY.unsupported}] = 1; return; }
      if (shared < match) { return; }
      i32 hit = 0;
      if (shared == match) {
        i32 i = 0;
        while (i < suffix && match < length && u8[at + i] == u8[text + match]) {
          i += 1;
          match += 1;
        }
        hit = (i == suffix) & (match == length);
        if (!hit && i < suffix) {
          if (match == length || u8[at + i] > u8[text + match]) { return; }
        }
      }
      at += suffix;
      i32 df = u8[at], byte = df, shift = 7;
      at += 1;
      if (df > 127) {
        df &= 127;
        while (byte > 127) {
          byte = u8[at];
          at += 1;
          df |= (byte & 127) << shift;
          shift += 7;
        }
      }
      if (df > 127) {
        if (hit) { i32[into] = df; i32[into + 4] = -1 - big; return; }
        big += 1;
        continue;
      }
      if (hit) { i32[into] = df; i32[into + 4] = small; return; }
      i32 bytes = u8[at];
      byte = bytes;
      at += 1;
      if (bytes > 127) {
        bytes &= 127;
        shift = 7;
        while (byte > 127) {
          byte = u8[at];
          at += 1;
          bytes |= (byte & 127) << shift;
          shift += 7;
        }
      }
      small += bytes;
    }
  }

  // n terms of the text in the segment: documents and reference of each to "into". samples: of
  // every "step"th block (0: none)
  export fn lookup(i32 n, i32 into, i32 samples, i32 step) {
    i32 k = 0;
    while (k < n) {
      find(${QUERY.text} + (k << 8), i32[${QUERY.lengths} + (k << 2)], into + (k << 3),
        samples, step);
      k += 1;
    }
  }`;

const open = `
  fn raise(f64 impact) -> f64 {
    f64 scale = f64[${QUERY.scale}];
    if (scale <= 1.0) { return impact; }
    return ((impact * scale) / (1.0 + impact * (scale - 1.0))) * ${ROUNDING};
  }

  fn decodeShort(i32 t) {
    i32 at = i32[t + ${SLOT.ref}], into = i32[t + ${SLOT.buffer}];
    i32 end = into + (i32[t + ${SLOT.df}] << 2), doc = -1;
    while (into < end) {
      i32 value = u8[at], byte = value, shift = 7;
      at += 1;
      value &= 127;
      while (byte > 127) {
        byte = u8[at];
        at += 1;
        value |= (byte & 127) << shift;
        shift += 7;
      }
      i32 tf = 1;
      if (value & 1) {
        tf = u8[at];
        byte = tf;
        at += 1;
        tf &= 127;
        shift = 7;
        while (byte > 127) {
          byte = u8[at];
          at += 1;
          tf |= (byte & 127) << shift;
          shift += 7;
        }
      }
      doc += (value >> 1) + 1;
      i32[into] = doc;
      i32[into + ${BUFFER.frequencies}] = tf;
      into += 4;
    }
    v128[into] = i32x4.splat(0x7fffffff);
  }

  fn openTerm(i32 t, i32 slot, i32 df, i32 ref) {
    f64 weight = f64[t + ${SLOT.weight}];
    i32[t + ${SLOT.df}] = df;
    i32[t + ${SLOT.ref}] = ref;
    i32[t + ${SLOT.slot}] = slot;
    i32[t + ${SLOT.buffer}] = ${QUERY.buffers} + slot * ${BUFFER_BYTES};
    i32[t + ${SLOT.decoded}] = -1;
    if (ref >= 0) {
      i32[t + ${SLOT.kind}] = ${SHORT};
      i32[t + ${SLOT.blocks}] = 1;
      i32[t + ${SLOT.postings}] = df;
      f64[t + ${SLOT.max}] = weight;
      f64[t + ${SLOT.tenth}] = 0.0;
      decodeShort(t);
      return;
    }
    i32 record = i32[${SEGMENT.records}] + (-1 - ref) * 40;
    i32 big = i32[${SEGMENT.big}], ranges = i32[${SEGMENT.ranges}];
    i32 start = big + (i32[record + 4] << 2);
    i32 kind = i32[record + 8];
    f64 tenth = f64.promote_f32(f32.reinterpret_i32(i32[record + 24]));
    f64 best = f64.promote_f32(f32.reinterpret_i32(i32[record + 28]));
    f64 scale = f64[${QUERY.scale}];
    if (scale < 1.0) { tenth = (tenth * scale) / (1.0 + tenth * (scale - 1.0)); }
    f64[t + ${SLOT.max}] = weight * raise(best);
    f64[t + ${SLOT.tenth}] = weight * tenth * ${DOWN};
    i32[t + ${SLOT.kind}] = kind;
    if (kind == ${DENSE}) {
      i32 wide = i32[record + 32] == 1;
      i32 base = start + (ranges << 5);
      i32 offset = base + (((ranges >> 3) + 1) << 2);
      i32 impact = offset + (ranges << (wide + 1));
      i32[t + ${SLOT.bitmap}] = start;
      i32[t + ${SLOT.base}] = base;
      i32[t + ${SLOT.offset}] = offset;
      i32[t + ${SLOT.payload}] = big + i32[record + 12];
      i32[t + ${SLOT.impact}] = impact;
      i32[t + ${SLOT.width}] = impact + ranges;
      i32[t + ${SLOT.group}] = impact + (ranges << 1);
      i32[t + ${SLOT.wide}] = wide;
      return;
    }
    i32 blocks = i32[record + 20];
    if (blocks != (df + 127) >> 7) { trap(); }
    i32[t + ${SLOT.blocks}] = blocks;
    i32[t + ${SLOT.lastDocs}] = start;
    i32[t + ${SLOT.heads}] = start + (blocks << 2);
    i32[t + ${SLOT.offsets}] = start + (blocks << 3);
    i32[t + ${SLOT.data}] = big + i32[record + 12];
  }`;

/** Sets v to documents of four deltas, which \`x\` has at bits 7 and up; the last one goes to acc. */
const addUp = (at: string, into: string, half: 0 | 1): string => `
      x = v128.and(i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128[${at}], m${half}), f${half}), 7), mask);
      x = i32x4.add(x, one);
      x = i32x4.add(x, i8x16.shuffle<16 17 18 19 0 1 2 3 4 5 6 7 8 9 10 11>(x, zero));
      x = i32x4.add(x, i8x16.shuffle<16 17 18 19 20 21 22 23 0 1 2 3 4 5 6 7>(x, zero));
      acc = i32x4.add(x, i8x16.shuffle<12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15>(acc, acc));
      v128[${into}] = acc;`;

const blocks = `
  fn packed(i32 at, i32 index, i32 width) -> i32 {
    i32 bit = index * width;
    i64 word = i64[at + (bit >> 3)] >> i64.extend_i32_u(bit & 7);
    return i32.wrap_i64(word) & ((1 << width) - 1);
  }

  // documents of a block of a list to its buffer, and a document above all behind them
  fn decode(i32 t, i32 block) {
    if (i32[t + ${SLOT.decoded}] == block) { return; }
    i32[t + ${SLOT.decoded}] = block;
    i32[t + ${SLOT.place}] = 0;
    i32 four = block << 2;
    i32 head = i32[i32[t + ${SLOT.heads}] + four];
    i32 width = (head >> 8) & 255, into = i32[t + ${SLOT.buffer}];
    i32 at = i32[t + ${SLOT.data}] + i32[i32[t + ${SLOT.offsets}] + four];
    i32 size = i32[t + ${SLOT.df}] - (block << 7);
    size = select(size < 128, size, 128);
    i32[t + ${SLOT.postings}] = size;
    i32[t + ${SLOT.frequenciesAt}] = at + (((size * width + 31) >> 5) << 2);
    i32[t + ${SLOT.frequencyBits}] = (head >> 16) & 255;
    i32 last = -1;
    if (block) { last = i32[i32[t + ${SLOT.lastDocs}] + four - 4]; }
    i32 end = into + (size << 2), stop = into + (((size + 7) >> 3) << 5);
    if (width > ${UNPACK_WIDTHS}) {
      i32 i = 0;
      while (i < size) {
        last += packed(at, i, width) + 1;
        i32[into + (i << 2)] = last;
        i += 1;
      }
    } else {
      i32 table = ${QUERY.unpack} + width * ${UNPACK_BYTES}, half = width >> 1;
      v128 m0 = v128[table], f0 = v128[table + 16], m1 = v128[table + 32], f1 = v128[table + 48];
      v128 mask = i32x4.splat((1 << width) - 1), one = i32x4.splat(1), zero = i32x4.splat(0);
      v128 acc = i32x4.splat(last), x = zero;
      while (into < stop) {
        ${addUp('at', 'into', 0)}
        ${addUp('at + half', 'into + 16', 1)}
        at += width;
        into += 32;
      }
    }
    v128[end] = i32x4.splat(0x7fffffff);
    v128[end + 16] = i32x4.splat(0x7fffffff);
  }

  // first of "size" places in a buffer, from one on, whose document is not below d: there is one,
  // or documents above all follow
  fn seek(i32 docs, i32 place, i32 size, i32 d) -> i32 {
    i32 at = docs + (place << 2), end = docs + (size << 2);
    while (at + 128 <= end && i32[at + 124] < d) { at += 128; }
    v128 wanted = i32x4.splat(d);
    i32 less = i32x4.bitmask(i32x4.lt_s(v128[at], wanted));
    while (less == 15) {
      at += 16;
      less = i32x4.bitmask(i32x4.lt_s(v128[at], wanted));
    }
    return ((at - docs) >> 2) + i32.ctz(~less);
  }

  // first block of a list, from one on, whose last document is not below d
  fn seekBlock(i32 t, i32 block, i32 d) -> i32 {
    i32 last = i32[t + ${SLOT.lastDocs}], blocks = i32[t + ${SLOT.blocks}];
    i32 step = 1, low = block;
    while (low + step < blocks && i32[last + ((low + step - 1) << 2)] < d) {
      low += step;
      step <<= 1;
    }
    i32 high = low + step;
    high = select(high < blocks, high, blocks);
    while (low < high) {
      i32 middle = (low + high) >> 1;
      if (i32[last + (middle << 2)] < d) { low = middle + 1; } else { high = middle; }
    }
    return low;
  }

  fn holds(i32 t, i32 d) -> i32 {
    i32 docs = i32[t + ${SLOT.buffer}];
    if (i32[t + ${SLOT.kind}] == ${LIST}) {
      i32 block = seekBlock(t, 0, d);
      if (block >= i32[t + ${SLOT.blocks}]) { return 0; }
      decode(t, block);
    }
    return i32[docs + (seek(docs, 0, i32[t + ${SLOT.postings}], d) << 2)] == d;
  }`;

const score = `
  fn share(f64 weight, i32 tf, i32 code, i32 d) -> f64 {
    if (tf < 32 && code < ${LONG}) {
      return weight * f64[(tf << 11) + (code << 3) + ${TABLE_AT}];
    }
    i32 length = code;
    if (code >= ${LONG}) {
      i32 docs = i32[${SEGMENT.longDoc}], low = 0, high = i32[${SEGMENT.longCount}];
      while (low < high) {
        i32 middle = (low + high) >> 1;
        if (i32[docs + (middle << 2)] < d) { low = middle + 1; } else { high = middle; }
      }
      length = i32[i32[${SEGMENT.longLength}] + (low << 2)];
    }
    f64 norm = 1.2 * (0.25 + (0.75 * f64.convert_i32_s(length)) / f64[${QUERY.averageLength}]);
    f64 frequency = f64.convert_i32_s(tf);
    return weight * (frequency / (frequency + norm));
  }

  // frequency of a dense term in a document that holds it
  fn denseFrequency(i32 t, i32 d) -> i32 {
    i32 r = d >> 8;
    i32 width = u8[i32[t + ${SLOT.width}] + r];
    if (!width) { return 1; }
    i32 boundary = i32[t + ${SLOT.payload}], offset = i32[t + ${SLOT.offset}];
    if (i32[t + ${SLOT.wide}]) {
      boundary += i32[offset + (r << 2)];
    } else {
      boundary += i32[i32[t + ${SLOT.base}] + ((r >> 3) << 2)] + u16[offset + (r << 1)];
    }
    i32 at = i32[t + ${SLOT.bitmap}] + (r << 5), own = i32[t + ${SLOT.bitmap}] + ((d >> 6) << 3);
    i64 below = (1L << i64.extend_i32_u(d)) - 1L;
    i64 rank = i64.popcnt(i64[own] & below);
    while (at < own) {
      rank += i64.popcnt(i64[at]);
      at += 8;
    }
    i32 bit = (i32.wrap_i64(rank) + 1) * width;
    i32 word = i32[boundary - ((bit + 7) >> 3)] >> (-bit & 7);
    return (word & ((1 << width) - 1)) + 1;
  }

  // the most that a dense term scores in a document of this code
  fn denseBound(i32 t, i32 d, i32 code) -> f64 {
    i32 r = d >> 8;
    i32 width = u8[i32[t + ${SLOT.width}] + r];
    i32 row = select(width < 5, 1 << width, 32);
    f64 impact = raise(f64[i32[${SEGMENT.impacts}] + (u8[i32[t + ${SLOT.impact}] + r] << 3)]);
    f64 other = f64[(row << 11) + (code << 3) + ${TABLE_AT}];
    return f64[t + ${SLOT.weight}] * f64.min(impact, other);
  }

  fn insert(i32 d, f64 score) {
    i32 size = i32[${QUERY.size}], limit = i32[${QUERY.limit}];
    i32 rank = d, ranks = i32[${QUERY.ranks}], at = size;
    if (ranks) { rank = i32[ranks + (d << 2)]; }
    if (size == limit) {
      at = limit - 1;
      f64 worst = f64[(at << 3) + ${QUERY.topScores}];
      if (score < worst) { return; }
      if (score == worst) {
        if (i32[(at << 2) + ${QUERY.topDocs}] >= 0) {
          if (i32[(at << 2) + ${QUERY.topRanks}] < rank) { return; }
        }
      }
    } else {
      i32[${QUERY.size}] = size + 1;
    }
    while (at > 0) {
      f64 above = f64[(at << 3) + ${QUERY.topScores - 8}];
      i32 doc = i32[(at << 2) + ${QUERY.topDocs - 4}];
      i32 other = i32[(at << 2) + ${QUERY.topRanks - 4}];
      if (above > score) { break; }
      if (above == score) { if (doc >= 0 && other < rank) { break; } }
      f64[(at << 3) + ${QUERY.topScores}] = above;
      i32[(at << 2) + ${QUERY.topDocs}] = doc;
      i32[(at << 2) + ${QUERY.topRanks}] = other;
      at -= 1;
    }
    f64[(at << 3) + ${QUERY.topScores}] = score;
    i32[(at << 2) + ${QUERY.topDocs}] = d;
    i32[(at << 2) + ${QUERY.topRanks}] = rank;
    if (i32[${QUERY.size}] == limit) {
      f64[${QUERY.theta}] =
        f64.max(f64[${QUERY.theta}], f64[(limit << 3) + ${QUERY.topScores - 8}]);
    }
  }

  // a document that no bitmap leaves out
  fn offer(i32 d, f64 score) {
    i32 k = 0;
    while (k < i32[${QUERY.excluded}]) {
      if (holds(i32[(k << 2) + ${QUERY.excludedTerms}], d)) { return; }
      k += 1;
    }
    insert(d, score);
  }

  // what a score has to reach: more than theta where equal ones lose every tie
  fn threshold() -> f64 {
    f64 theta = f64[${QUERY.theta}];
    i32 limit = i32[${QUERY.limit}];
    if (!i32[${QUERY.rising}] || i32[${QUERY.ranks}] || i32[${QUERY.size}] < limit) { return theta; }
    if (i32[(limit << 2) + ${QUERY.topDocs - 4}] < 0) { return theta; }
    if (f64[(limit << 3) + ${QUERY.topScores - 8}] < theta) { return theta; }
    return theta * ${NEXT};
  }`;

const lists = `
  // documents survivors[0 .. n) with their places whose bit is set (flip: is not)
  fn keep(i32 docs, i32 n, i32 bitmap, i32 flip, i32 first) -> i32 {
    i32 i = 0, m = 0, end = n << 2;
    while (i < end) {
      i32 d = i32[docs + i], place = i >> 2;
      if (!first) { place = i32[i + ${QUERY.places}]; }
      i32[m + ${QUERY.survivors}] = d;
      i32[m + ${QUERY.places}] = place;
      m += (((i32[bitmap + ((d >> 5) << 2)] >> d) ^ flip) & 1) << 2;
      i += 4;
    }
    return m >> 2;
  }

  // number of documents in a bitmap (flip: not in it)
  fn countKept(i32 docs, i32 n, i32 bitmap, i32 flip) -> i32 {
    i32 end = docs + (n << 2), m = 0;
    while (docs < end) {
      i32 d = i32[docs];
      m += (i32[bitmap + ((d >> 5) << 2)] >> d) & 1;
      docs += 4;
    }
    return select(flip, n - m, m);
  }

  // survivor i becomes survivor m, with what the lists before k know of it
  fn move(i32 k, i32 i, i32 m, i32 d) {
    i32[(m << 2) + ${QUERY.survivors}] = d;
    i32[(m << 2) + ${QUERY.places}] = i32[(i << 2) + ${QUERY.places}];
    i32 j = 1;
    while (j < k) {
      i32 into = i32[i32[(j << 2) + ${QUERY.activeTerms}] + ${SLOT.buffer}] + ${BUFFER.survivors};
      i32[into + (m << 2)] = i32[into + (i << 2)];
      j += 1;
    }
  }

  // the frequency of the posting at a place of the decoded block (all of a short term)
  fn frequencyAt(i32 t, i32 place) -> i32 {
    if (i32[t + ${SLOT.kind}] == ${SHORT}) {
      return i32[i32[t + ${SLOT.buffer}] + (place << 2) + ${BUFFER.frequencies}];
    }
    return packed(i32[t + ${SLOT.frequenciesAt}], place, i32[t + ${SLOT.frequencyBits}]) + 1;
  }

  // survivors[0 .. n) that list or short term k holds; -1 - their number where it has no more
  fn meet(i32 k, i32 n, i32 scoring) -> i32 {
    i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
    i32 docs = i32[t + ${SLOT.buffer}], isList = i32[t + ${SLOT.kind}] == ${LIST};
    i32 into = docs + ${BUFFER.survivors};
    i32 block = i32[t + ${SLOT.block}], blocks = i32[t + ${SLOT.blocks}];
    i32 i = 0, m = 0, last = 0x7ffffffe;
    while (i < n) {
      i32 d = i32[(i << 2) + ${QUERY.survivors}];
      if (isList) {
        if (i32[i32[t + ${SLOT.lastDocs}] + (block << 2)] < d) {
          block = seekBlock(t, block + 1, d);
          i32[t + ${SLOT.block}] = block;
          if (block >= blocks) {
            i32[t + ${SLOT.block}] = blocks - 1;
            return -1 - m;
          }
        }
        decode(t, block);
        last = i32[i32[t + ${SLOT.lastDocs}] + (block << 2)];
      }
      i32 place = i32[t + ${SLOT.place}], size = i32[t + ${SLOT.postings}];
      i32 end = i + 6;
      if (end < n && i32[(end << 2) + ${QUERY.survivors}] <= last) {
        // many survivors in this block: compared four by four
        end = n;
        if (i32[(n << 2) + ${QUERY.survivors - 4}] > last) {
          end = i + seek((i << 2) + ${QUERY.survivors}, 0, n - i, last + 1);
        }
        i32 from = i, found = intersect((i << 2) + ${QUERY.survivors}, end - i,
          docs + (place << 2), size - place, ${QUERY.common}, ${QUERY.left}, ${QUERY.right});
        i32 f = 0;
        while (f < found) {
          i32 source = from + i32[(f << 2) + ${QUERY.left}];
          move(k, source, m, i32[(source << 2) + ${QUERY.survivors}]);
          if (scoring) {
            i32[into + (m << 2)] = frequencyAt(t, place + i32[(f << 2) + ${QUERY.right}]);
          }
          m += 1;
          f += 1;
        }
        i = end;
        continue;
      }
      place = seek(docs, place, size, d);
      i32[t + ${SLOT.place}] = place;
      if (place >= size) { return -1 - m; }
      if (i32[docs + (place << 2)] == d) {
        move(k, i, m, d);
        if (scoring) { i32[into + (m << 2)] = frequencyAt(t, place); }
        m += 1;
      }
      i += 1;
    }
    return m;
  }

  // the first length code with which no document of the lead's block reaches theta
  fn codeLimit(f64 weight, f64 best, i32 bits, f64 rest) -> i32 {
    i32 row = select(bits < 5, 1 << bits, 32), low = 0, high = 256;
    f64 theta = f64[${QUERY.theta}];
    while (low < high) {
      i32 middle = (low + high) >> 1;
      f64 most = f64.min(best, weight * f64[(row << 11) + (middle << 3) + ${TABLE_AT}]);
      if ((most + rest) * ${UP} < theta) { high = middle; } else { low = middle + 1; }
    }
    return low;
  }

  // Scores survivors[0 .. n) whose length code is below "limit" by the lead; those that can reach
  // theta beside the other terms, which score up to "rest", go on. Without others they are offered.
  fn scoreSurvivors(i32 n, i32 limit, f64 rest, i32 docs, i32 placed) {
    i32 codes = i32[${SEGMENT.codes}], lead = i32[${QUERY.activeTerms}], i = 0;
    i32 isList = i32[lead + ${SLOT.kind}] == ${LIST}, single = i32[${QUERY.active}] == 1;
    i32 at = i32[lead + ${SLOT.frequenciesAt}], width = i32[lead + ${SLOT.frequencyBits}];
    i32 mask = (1 << width) - 1;
    f64 weight = f64[lead + ${SLOT.weight}], least = leastShare(single, rest);
    if (!isList) { at = i32[lead + ${SLOT.buffer}] + ${BUFFER.frequencies}; }
    // Passes without branches that depend on the data: a wrong guess costs more than a score.
    i32 m = 0, j = 0;
    while (i < n) {
      i32[m + ${QUERY.candidates}] = i;
      m += (u8[codes + i32[docs + (i << 2)]] < limit) << 2;
      i += 1;
    }
    n = m >> 2;
    m = 0;
    i = 0;
    while (i < n) {
      i32 own = i32[(i << 2) + ${QUERY.candidates}];
      i32 d = i32[docs + (own << 2)], place = own;
      i32 code = u8[codes + d], tf = 0;
      if (placed) { place = i32[(own << 2) + ${QUERY.places}]; }
      if (isList) {
        place *= width;
        tf = (i32.wrap_i64(i64[at + (place >> 3)] >> i64.extend_i32_u(place & 7)) & mask) + 1;
      } else {
        tf = i32[at + (place << 2)];
      }
      f64 score = 0.0;
      if (tf < 32 && code < ${LONG}) {
        score = weight * f64[(tf << 11) + (code << 3) + ${TABLE_AT}];
      } else {
        score = share(weight, tf, code, d);
      }
      i32[(m << 2) + ${QUERY.candidates}] = own;
      f64[(m << 3) + ${QUERY.candidateScores}] = score;
      m += score >= least;
      i += 1;
    }
    while (j < m) {
      score = f64[(j << 3) + ${QUERY.candidateScores}];
      if (score >= least) {
        own = i32[(j << 2) + ${QUERY.candidates}];
        d = i32[docs + (own << 2)];
        if (single) { offer(d, score); } else { scoreOthers(own, d, u8[codes + d], score); }
        least = leastShare(single, rest);
      }
      j += 1;
    }
  }

  // what the lead alone has to score
  fn leastShare(i32 single, f64 rest) -> f64 {
    if (single) { return threshold(); }
    return f64[${QUERY.theta}] / ${UP} - rest;
  }

  // scores survivor i by the terms after the lead, which scores "score" in it
  fn scoreOthers(i32 i, i32 d, i32 code, f64 score) {
    i32 active = i32[${QUERY.active}], k = 1, t = i32[${QUERY.activeTerms}];
    f64 theta = f64[${QUERY.theta}], own = 0.0, most = 0.0;
    f64[(i32[t + ${SLOT.order}] << 3) + ${QUERY.shares}] = score;
    while (k < active) {
      t = i32[(k << 2) + ${QUERY.activeTerms}];
      if (!i32[t + ${SLOT.kind}]) { break; }
      i32 tf = i32[i32[t + ${SLOT.buffer}] + (i << 2) + ${BUFFER.survivors}];
      own = share(f64[t + ${SLOT.weight}], tf, code, d);
      f64[(i32[t + ${SLOT.order}] << 3) + ${QUERY.shares}] = own;
      score += own;
      k += 1;
    }
    i32 lists = k;
    if (k < active) {
      most = score;
      while (k < active) {
        most += denseBound(i32[(k << 2) + ${QUERY.activeTerms}], d, code);
        k += 1;
      }
      if (most * ${UP} < theta) { return; }
      k = lists;
      while (k < active) {
        t = i32[(k << 2) + ${QUERY.activeTerms}];
        own = share(f64[t + ${SLOT.weight}], denseFrequency(t, d), code, d);
        f64[(i32[t + ${SLOT.order}] << 3) + ${QUERY.shares}] = own;
        score += own;
        k += 1;
      }
    }
    if (score * ${UP} < theta) { return; }
    if (i32[${QUERY.reordered}]) { score = addShares(); }
    if (score >= theta) { offer(d, score); }
  }

  // sum of the active terms' shares in the order of the query
  fn addShares() -> f64 {
    i32 order = 0, terms = i32[${QUERY.terms}], first = 1;
    f64 sum = 0.0;
    while (order < 8) {
      i32 k = 0;
      while (k < i32[${QUERY.active}]) {
        if (i32[i32[(k << 2) + ${QUERY.activeTerms}] + ${SLOT.order}] == order) {
          f64 own = f64[(order << 3) + ${QUERY.shares}];
          if (first) { sum = own; } else { sum += own; }
          first = 0;
        }
        k += 1;
      }
      order += 1;
    }
    return sum;
  }

  // the first impact code with which the lead can reach theta beside the others
  fn firstCode(f64 weight, f64 rest, f64 least) -> i32 {
    i32 low = 1, high = 256, impacts = i32[${SEGMENT.impacts}];
    while (low < high) {
      i32 middle = (low + high) >> 1;
      if (weight * raise(f64[impacts + (middle << 3)]) + rest < least) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // documents of the active terms, the rarest of which is a list or short; "whole": all are visited
  fn join(i32 scoring, i32 whole) -> i32 {
    i32 active = i32[${QUERY.active}], lead = i32[${QUERY.activeTerms}], k = 1;
    i32 isList = i32[lead + ${SLOT.kind}] == ${LIST}, docs = i32[lead + ${SLOT.buffer}];
    i32 blocks = i32[lead + ${SLOT.blocks}], heads = i32[lead + ${SLOT.heads}], lists = 1;
    f64 weight = f64[lead + ${SLOT.weight}], rest = 0.0, before = -1.0, best = weight;
    while (k < active) {
      i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
      rest += f64[t + ${SLOT.max}];
      i32[t + ${SLOT.block}] = 0;
      i32[t + ${SLOT.place}] = 0;
      if (i32[t + ${SLOT.kind}]) { lists += 1; }
      k += 1;
    }
    i32 block = 0, count = 0, least = 1, done = 0;
    while (block < blocks && !done) {
      if (scoring && !whole) {
        f64 now = threshold();
        if (now != before) {
          before = now;
          least = firstCode(weight, rest, select(active == 1, now, now / ${UP}));
        }
        if (isList) {
          while (block < blocks && (i32[heads + (block << 2)] & 255) < least) { block += 1; }
          if (block >= blocks) { break; }
        }
      }
      i32 bits = 8;
      if (isList) {
        decode(lead, block);
        bits = i32[lead + ${SLOT.frequencyBits}];
        if (scoring) {
          best = weight *
            raise(f64[i32[${SEGMENT.impacts}] + ((i32[heads + (block << 2)] & 255) << 3)]);
        }
      }
      i32 n = i32[lead + ${SLOT.postings}], first = 1, source = docs, limit = 256;
      if (scoring && n > 12) { limit = codeLimit(weight, best, bits, rest); }
      if (!scoring && lists == 1 && i32[${QUERY.bitmaps}] == 1) {
        count += countKept(docs, n, i32[${QUERY.sieves}], i32[${QUERY.sieves + 4}]);
        block += 1;
        continue;
      }
      k = 0;
      while (k < i32[${QUERY.bitmaps}]) {
        n = keep(source, n, i32[(k << 3) + ${QUERY.sieves}], i32[(k << 3) + ${QUERY.sieves + 4}], first);
        first = 0;
        source = ${QUERY.survivors};
        k += 1;
      }
      if (lists > 1 && first) {
        k = 0;
        while (k < n) {
          i32[(k << 2) + ${QUERY.survivors}] = i32[docs + (k << 2)];
          i32[(k << 2) + ${QUERY.places}] = k;
          k += 1;
        }
        first = 0;
        source = ${QUERY.survivors};
      }
      k = 1;
      while (k < lists && n > 0) {
        n = meet(k, n, scoring);
        if (n < 0) {
          n = -1 - n;
          done = 1;
        }
        k += 1;
      }
      count += n;
      if (scoring && n > 0) {
        scoreSurvivors(n, limit, rest, source, !first);
      }
      block += 1;
    }
    return count;
  }`;

const dense = `
  fn describe(i32 k, i32 t) {
    i32 at = k * ${TERM_BYTES}, wide = i32[t + ${SLOT.wide}];
    i32 bounds = ${QUERY.termBounds} + (k << 11), code = 0, impacts = i32[${SEGMENT.impacts}];
    f64 weight = f64[t + ${SLOT.weight}];
    i32[at + ${FIELD.bitmap}] = i32[t + ${SLOT.bitmap}];
    i32[at + ${FIELD.base}] = i32[t + ${SLOT.base}];
    i32[at + ${FIELD.offset}] = i32[t + ${SLOT.offset}];
    i32[at + ${FIELD.payload}] = i32[t + ${SLOT.payload}];
    i32[at + ${FIELD.impact}] = i32[t + ${SLOT.impact}];
    i32[at + ${FIELD.width}] = i32[t + ${SLOT.width}];
    i32[at + ${FIELD.group}] = i32[t + ${SLOT.group}];
    i32[at + ${FIELD.bounds}] = bounds;
    i32[at + ${FIELD.offsetShift}] = wide + 1;
    i32[at + ${FIELD.offsetMask}] = select(wide, -1, 0xffff);
    i32[at + ${FIELD.baseMask}] = wide - 1;
    f64[at + ${FIELD.weight}] = weight;
    if (f64[${QUERY.scale}] <= 1.0) {
      v128 factor = f64x2.splat(weight);
      while (code < 2048) {
        v128[bounds + code] = f64x2.mul(factor, v128[impacts + code]);
        v128[bounds + code + 16] = f64x2.mul(factor, v128[impacts + code + 16]);
        code += 32;
      }
      return;
    }
    while (code < 2048) {
      f64[bounds + code] = weight * raise(f64[impacts + code]);
      code += 8;
    }
  }

  // the ranges where a term alone can reach a score, with their bounds
  fn boundOne(f64 least) -> i32 {
    i32 ranges = i32[${SEGMENT.ranges}], bounds = i32[${QUERY.bounds}], into = i32[${QUERY.ranges}];
    i32 impact = i32[${FIELD.impact}], table = i32[${FIELD.bounds}], r = 0, m = 0, low = 1, high = 256;
    while (low < high) {
      i32 middle = (low + high) >> 1;
      if (f64[table + (middle << 3)] < least) { low = middle + 1; } else { high = middle; }
    }
    if (low == 256) { return 0; }
    v128 wanted = i8x16.splat(low);
    while (r < ranges) {
      i32 set = i8x16.bitmask(i8x16.ge_u(v128[impact + r], wanted));
      if (ranges - r < 16) { set &= (1 << (ranges - r)) - 1; }
      while (set) {
        i32 range = r + i32.ctz(set);
        i32[into + (m << 2)] = range;
        f64[bounds + (range << 3)] = f64[table + (u8[impact + range] << 3)];
        m += 1;
        set &= set - 1;
      }
      r += 16;
    }
    return m;
  }

  // counting sort of n ranges by bound, high ones first
  fn sortRanges(i32 n, f64 low, f64 high) {
    i32 from = i32[${QUERY.ranges}], into = i32[${QUERY.sorted}], bounds = i32[${QUERY.bounds}];
    i32 i = 0, range = 0, key = 0, at = ${QUERY.buckets};
    f64 scale = 0.0;
    if (high > low) { scale = 255.0 / (high - low); }
    memory.fill(at, 0, 1032);
    while (i < n) {
      range = i32[from + (i << 2)];
      key = 255 - i32.trunc_sat_f64_u(f64.min(255.0, (f64[bounds + (range << 3)] - low) * scale));
      i32[(key << 2) + ${QUERY.buckets + 4}] += 1;
      i += 1;
    }
    i = 1;
    while (i < 257) {
      i32[(i << 2) + ${QUERY.buckets}] += i32[(i << 2) + ${QUERY.buckets - 4}];
      i += 1;
    }
    i = 0;
    while (i < n) {
      range = i32[from + (i << 2)];
      key = 255 - i32.trunc_sat_f64_u(f64.min(255.0, (f64[bounds + (range << 3)] - low) * scale));
      at = i32[(key << 2) + ${QUERY.buckets}];
      i32[into + (at << 2)] = range;
      i32[(key << 2) + ${QUERY.buckets}] = at + 1;
      i += 1;
    }
  }

  fn takeEmitted() {
    i32 i = 0, emitted = i32[${EMITTED_AT}], k = 0;
    while (i < emitted) {
      i32 d = i32[(i << 2) + ${DOCS_AT}];
      f64 score = f64[(i << 3) + ${SCORES_AT}];
      if (d < 0 || i32[${QUERY.reordered}]) {
        if (d < 0) { d = ~d; }
        i32 code = u8[i32[${SEGMENT.codes}] + d];
        k = 0;
        while (k < i32[${QUERY.active}]) {
          i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
          f64[(i32[t + ${SLOT.order}] << 3) + ${QUERY.shares}] =
            share(f64[t + ${SLOT.weight}], denseFrequency(t, d), code, d);
          k += 1;
        }
        score = addShares();
      }
      if (score >= f64[${QUERY.theta}]) { offer(d, score); }
      i += 1;
    }
  }

  // top documents of the active terms, which are all dense
  fn searchDense() {
    i32 active = i32[${QUERY.active}], k = 0, n = 0, i = 0, excluded = 0;
    i32 ranges = i32[${SEGMENT.ranges}], bounds = i32[${QUERY.bounds}], order = i32[${QUERY.ranges}];
    f64 highest = 0.0, theta = f64[${QUERY.theta}];
    while (k < active) {
      i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
      describe(k, t);
      highest += f64[t + ${SLOT.max}];
      k += 1;
    }
    k = 0;
    while (k < i32[${QUERY.bitmaps}]) {
      if (i32[(k << 3) + ${QUERY.sieves + 4}]) {
        i32[(excluded << 2) + ${EXCLUDED_AT}] = i32[(k << 3) + ${QUERY.sieves}];
        excluded += 1;
      }
      k += 1;
    }
    if (active == 1) {
      n = boundOne(threshold());
    } else {
      if (active == 2) {
        n = bounds2(ranges, bounds, order, ${UP}, theta);
      } else if (active == 3) {
        n = bounds3(ranges, bounds, order, ${UP}, theta);
      } else {
        n = bounds4(ranges, bounds, order, ${UP}, theta);
      }
      sortRanges(n, theta, highest * ${UP});
      order = i32[${QUERY.sorted}];
    }
    while (i < n) {
      theta = threshold();
      if (i32[${QUERY.reordered}]) { theta = theta / ${UP}; }
      f64 low = f64[${QUERY.theta}] / ${UP};
      i32 codes = i32[${SEGMENT.codes}];
      if (active == 1) {
        i = ranges1(i, n, order, bounds, codes, excluded, theta, low);
      } else if (active == 2) {
        i = ranges2(i, n, order, bounds, codes, excluded, theta, low);
      } else if (active == 3) {
        i = ranges3(i, n, order, bounds, codes, excluded, theta, low);
      } else {
        i = ranges4(i, n, order, bounds, codes, excluded, theta, low);
      }
      takeEmitted();
    }
  }`;

const plan = `
  // makes the terms active whose bits are set; the others are excluded
  fn activate(i32 set) {
    i32 terms = i32[${QUERY.terms}], k = 0, active = 0, excluded = 0, bitmaps = 0, at = 0;
    while (k < terms) {
      i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
      if ((set >> k) & 1) {
        at = active;
        active += 1;
        while (at > 0 && i32[i32[(at << 2) + ${QUERY.activeTerms - 4}] + ${SLOT.df}] > i32[t + ${SLOT.df}]) {
          i32[(at << 2) + ${QUERY.activeTerms}] = i32[(at << 2) + ${QUERY.activeTerms - 4}];
          at -= 1;
        }
        i32[(at << 2) + ${QUERY.activeTerms}] = t;
      } else if (i32[t + ${SLOT.kind}] == ${DENSE}) {
        i32[(bitmaps << 3) + ${QUERY.sieves}] = i32[t + ${SLOT.bitmap}];
        i32[(bitmaps << 3) + ${QUERY.sieves + 4}] = 1;
        bitmaps += 1;
      } else {
        i32[(excluded << 2) + ${QUERY.excludedTerms}] = t;
        excluded += 1;
      }
      k += 1;
    }
    if (i32[${QUERY.blocked}]) {
      i32[(bitmaps << 3) + ${QUERY.sieves}] = i32[${QUERY.blocked}];
      i32[(bitmaps << 3) + ${QUERY.sieves + 4}] = 1;
      bitmaps += 1;
    }
    i32[${QUERY.reordered}] = 0;
    k = 0;
    while (k < active) {
      i32 own = i32[(k << 2) + ${QUERY.activeTerms}];
      if (k > 0 && active > 2) {
        i32 left = i32[(k << 2) + ${QUERY.activeTerms - 4}];
        if (i32[left + ${SLOT.order}] > i32[own + ${SLOT.order}]) { i32[${QUERY.reordered}] = 1; }
      }
      if (k > 0 && i32[own + ${SLOT.kind}] == ${DENSE}) {
        i32[(bitmaps << 3) + ${QUERY.sieves}] = i32[own + ${SLOT.bitmap}];
        i32[(bitmaps << 3) + ${QUERY.sieves + 4}] = 0;
        bitmaps += 1;
      }
      k += 1;
    }
    i32[${QUERY.active}] = active;
    i32[${QUERY.excluded}] = excluded;
    i32[${QUERY.bitmaps}] = bitmaps;
  }

  // top documents of the active terms; their number where "whole" and the rarest is a list, else -1
  fn searchActive(i32 whole) -> i32 {
    if (i32[i32[${QUERY.activeTerms}] + ${SLOT.kind}] == ${DENSE}) {
      searchDense();
      return -1;
    }
    i32 count = join(1, whole);
    return select(whole, count, -1);
  }

  // short terms have no stored best impact: all their scores are computed
  fn boundShort(i32 t) {
    i32 docs = i32[t + ${SLOT.buffer}], i = 0;
    f64 most = 0.0;
    while (i < i32[t + ${SLOT.df}]) {
      i32 d = i32[docs + (i << 2)];
      i32 tf = i32[docs + (i << 2) + ${BUFFER.frequencies}];
      most = f64.max(most, share(f64[t + ${SLOT.weight}], tf, u8[i32[${SEGMENT.codes}] + d], d));
      i += 1;
    }
    f64[t + ${SLOT.max}] = most;
  }

  // by the exact set of terms that a document holds, sets of high scores first
  fn searchUnion(i32 whole) {
    i32 terms = i32[${QUERY.terms}], set = 1, k = 0, n = 0, at = 0;
    while (k < terms) {
      i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
      if (i32[t + ${SLOT.kind}] == ${SHORT}) { boundShort(t); }
      k += 1;
    }
    while (set < 1 << terms) {
      f64 sum = 0.0;
      k = 0;
      while (k < terms) {
        if ((set >> k) & 1) { sum += f64[k * ${SLOT_BYTES} + ${QUERY.termSlots + SLOT.max}]; }
        k += 1;
      }
      at = n;
      n += 1;
      while (at > 0 && f64[(at << 3) + ${QUERY.sums - 8}] <= sum) {
        f64[(at << 3) + ${QUERY.sums}] = f64[(at << 3) + ${QUERY.sums - 8}];
        i32[(at << 2) + ${QUERY.sets}] = i32[(at << 2) + ${QUERY.sets - 4}];
        at -= 1;
      }
      f64[(at << 3) + ${QUERY.sums}] = sum;
      i32[(at << 2) + ${QUERY.sets}] = set;
      set += 1;
    }
    k = 0;
    while (k < n && f64[(k << 3) + ${QUERY.sums}] * ${UP} >= f64[${QUERY.theta}]) {
      activate(i32[(k << 2) + ${QUERY.sets}]);
      i32 count = searchActive(whole & (k == 0));
      if (k == 0) { i32[${QUERY.joined}] = count; }
      k += 1;
    }
  }`;

const count = `
  // bits in all (any) of four bitmaps, equal ones allowed, and not in "blocked" (0: none)
  fn countBits(i32 a, i32 b, i32 c, i32 d, i32 any, i32 blocked) -> i32 {
    i32 end = a + (i32[${SEGMENT.ranges}] << 5);
    v128 total = i32x4.splat(0), x = total, pairs = total;
    b -= a;
    c -= a;
    d -= a;
    i32 but = blocked - a;
    if (!blocked && c == 0 && d == 0) {
      while (a < end) {
        x = v128[a];
        if (any) { x = v128.or(x, v128[a + b]); } else { x = v128.and(x, v128[a + b]); }
        pairs = i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x));
        x = v128[a + 16];
        if (any) { x = v128.or(x, v128[a + b + 16]); } else { x = v128.and(x, v128[a + b + 16]); }
        pairs = i16x8.add(pairs, i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x)));
        total = i32x4.add(total, i32x4.extadd_pairwise_i16x8_u(pairs));
        a += 32;
      }
    }
    while (a < end) {
      if (any) {
        x = v128.or(v128.or(v128[a], v128[a + b]), v128.or(v128[a + c], v128[a + d]));
      } else {
        x = v128.and(v128.and(v128[a], v128[a + b]), v128.and(v128[a + c], v128[a + d]));
      }
      if (blocked) { x = v128.andnot(x, v128[a + but]); }
      total = i32x4.add(total,
        i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x))));
      a += 16;
    }
    return i32x4.extract_lane<0>(total) + i32x4.extract_lane<1>(total) +
      i32x4.extract_lane<2>(total) + i32x4.extract_lane<3>(total);
  }

  fn countActive() -> i32 {
    i32 active = i32[${QUERY.active}], t = i32[${QUERY.activeTerms}], blocked = i32[${QUERY.blocked}];
    if (active == 1 && !blocked) { return i32[t + ${SLOT.df}]; }
    if (i32[t + ${SLOT.kind}] != ${DENSE}) { return join(0, 1); }
    i32 a = i32[t + ${SLOT.bitmap}], b = a, c = a, d = a;
    if (active > 1) { b = i32[i32[${QUERY.activeTerms + 4}] + ${SLOT.bitmap}]; }
    if (active > 2) { c = i32[i32[${QUERY.activeTerms + 8}] + ${SLOT.bitmap}]; }
    if (active > 3) { d = i32[i32[${QUERY.activeTerms + 12}] + ${SLOT.bitmap}]; }
    return countBits(a, b, c, d, 0, blocked);
  }

  // documents of a term that are not blocked
  fn countTerm(i32 k) -> i32 {
    i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
    i32 known = i32[t + ${SLOT.living}];
    if (known >= 0) { return known; }
    i32 terms = i32[${QUERY.terms}];
    activate(1 << k);
    // what the other terms exclude does not matter here
    i32[${QUERY.bitmaps}] = 0;
    if (i32[${QUERY.blocked}]) {
      i32[${QUERY.bitmaps}] = 1;
      i32[${QUERY.sieves}] = i32[${QUERY.blocked}];
      i32[${QUERY.sieves + 4}] = 1;
    }
    i32 count = countActive();
    i32[t + ${SLOT.living}] = count;
    return count;
  }

  // sets the bits of the documents in a term's buffer
  fn markBuffer(i32 t, i32 marks) {
    i32 at = i32[t + ${SLOT.buffer}], docs = i32[${SEGMENT.ranges}] << 8;
    i32 end = at + (i32[t + ${SLOT.postings}] << 2);
    while (at < end) {
      i32 d = i32[at];
      if (i32.ge_u(d, docs)) { trap(); }
      i32[marks + ((d >> 5) << 2)] |= 1 << d;
      at += 4;
    }
  }

  fn mark(i32 t, i32 marks) {
    i32 block = 0;
    if (i32[t + ${SLOT.kind}] == ${SHORT}) { markBuffer(t, marks); return; }
    while (block < i32[t + ${SLOT.blocks}]) {
      decode(t, block);
      markBuffer(t, marks);
      block += 1;
    }
  }

  // documents of any term: lists are marked, bitmaps counted with the marks
  fn countMarked() -> i32 {
    i32 marks = i32[${QUERY.marks}], k = 0, n = 0, lists = 0, a = 0, b = 0, c = 0, d = 0;
    while (k < i32[${QUERY.terms}]) {
      i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
      i32 bitmap = marks;
      if (i32[t + ${SLOT.kind}] == ${DENSE}) { bitmap = i32[t + ${SLOT.bitmap}]; } else { mark(t, marks); lists = 1; }
      if (k == 0) { a = bitmap; b = a; c = a; d = a; }
      if (k == 1) { b = bitmap; }
      if (k == 2) { c = bitmap; }
      if (k == 3) { d = bitmap; }
      k += 1;
    }
    n = countBits(a, b, c, d, 1, i32[${QUERY.blocked}]);
    if (lists) { memory.fill(marks, 0, i32[${SEGMENT.ranges}] << 5); }
    return n;
  }

  // "exact": the blocked documents of a term are few, or none
  fn countUnion(i32 exact) -> i32 {
    i32 terms = i32[${QUERY.terms}], joined = i32[${QUERY.joined}];
    if (terms == 1) { return countTerm(0); }
    if (terms > 2 || !exact) { return countMarked(); }
    i32 each = countTerm(0) + countTerm(1);
    if (joined >= 0) { return each - joined; }
    activate(3);
    return each - countActive();
  }`;

const run = `
  // A whole query. found: documents and references of "asked" terms, weights and orders are in the
  // slots. mode 1: all terms, 0: any. flags: 1 top documents, 2 count, 4 stored tenth best scores
  // hold, 8 counts of single terms are cheap. Returns the count, or 0.
  export fn query(i32 found, i32 asked, i32 all, i32 flags) -> i32 {
    i32 k = 0, n = 0, count = -1;
    f64 theta = f64[${QUERY.theta}], most = 0.0;
    while (k < asked) {
      i32 df = i32[found + (k << 3)];
      if (df) {
        i32 t = ${QUERY.termSlots} + n * ${SLOT_BYTES};
        if (k > n) {
          f64[t + ${SLOT.weight}] = f64[k * ${SLOT_BYTES} + ${QUERY.termSlots + SLOT.weight}];
          i32[t + ${SLOT.order}] = i32[k * ${SLOT_BYTES} + ${QUERY.termSlots + SLOT.order}];
          i32[t + ${SLOT.living}] = i32[k * ${SLOT_BYTES} + ${QUERY.termSlots + SLOT.living}];
        }
        openTerm(t, n, df, i32[found + (k << 3) + 4]);
        if (flags & 4) { theta = f64.max(theta, f64[t + ${SLOT.tenth}]); }
        most += f64[t + ${SLOT.max}];
        n += 1;
      }
      k += 1;
    }
    i32[${QUERY.terms}] = n;
    i32[${QUERY.joined}] = -1;
    i32[${QUERY.rising}] = n == 1;
    f64[${QUERY.theta}] = theta;
    if ((flags & 1) && most * ${UP} >= theta) {
      if (all || n == 1) {
        activate(-1);
        count = searchActive(((flags >> 1) & 1) && n > 1);
      } else {
        searchUnion((flags >> 1) & 1);
      }
    }
    if (!(flags & 2)) { return 0; }
    if (n == 1) { return countTerm(0); }
    if (!all) { return countUnion(flags & 8); }
    if (count >= 0) { return count; }
    activate(-1);
    return countActive();
  }`;

const i32 = (n: number) => Array.from({ length: n }, () => 'i32' as const);
const RANGES = { params: [...i32(6), 'f64', 'f64'], result: 'i32' } as const;
const BOUNDS = { params: [...i32(3), 'f64', 'f64'], result: 'i32' } as const;
const KNOWN: Signatures = {
  intersect: { params: i32(7), result: 'i32' },
  bounds2: BOUNDS,
  bounds3: BOUNDS,
  bounds4: BOUNDS,
  ranges1: RANGES,
  ranges2: RANGES,
  ranges3: RANGES,
  ranges4: RANGES,
};

/** Functions `lookup` and `query`, and what they call. */
export const query = compile(
  [lookup, open, blocks, score, lists, dense, plan, count, run].join('\n'),
  KNOWN,
);
