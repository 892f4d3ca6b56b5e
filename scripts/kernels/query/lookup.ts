/** Terms in the dictionary of a segment. */
import {
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  SEGMENT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';

export const lookup = `
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

  // the segment of an entry becomes the one at hand
  fn enter(i32 entry) {
    v128[${SEGMENT.index}] = v128[entry];
    v128[${SEGMENT.index + 16}] = v128[entry + 16];
    v128[${SEGMENT.index + 32}] = v128[entry + 32];
    i64[${SEGMENT.impacts}] = i64[entry + ${SEGMENT.impacts - SEGMENT.index}];
    f64[${QUERY.scale}] = f64[entry + ${ENTRY.scale}];
  }

  // writes the first 8 bytes of every "step"th dictionary block, and one above all behind them
  export fn sample(i32 entry, i32 into, i32 step) {
    enter(entry);
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

  // weights by the documents of all segments, and the order in which scores are added: rarest first
  fn weigh(i32 asked) {
    i32 k = 0;
    f64 docs = f64[${QUERY.docs}];
    while (k < asked) {
      i32 df = i32[${QUERY.frequencies} + (k << 2)], j = 0, order = 0;
      f64 n = f64.convert_i32_s(df);
      f64[${QUERY.weights} + (k << 3)] =
        f64[${QUERY.boosts} + (k << 3)] * log(1.0 + (docs - n + 0.5) / (n + 0.5));
      while (j < asked) {
        i32 other = i32[${QUERY.frequencies} + (j << 2)];
        order += (other < df) | ((other == df) & (j < k));
        j += 1;
      }
      i32[${QUERY.orders} + (k << 2)] = order;
      k += 1;
    }
  }

  // looks the terms up in all segments and weighs them; "given": their documents are known. 0:
  // terms are equal, or one is too long
  export fn lookup(i32 segments, i32 asked, i32 given) -> i32 {
    i32 entry = ${QUERY.segments}, end = entry + segments * ${ENTRY_BYTES};
    i32[${QUERY.unsupported}] = 0;
    if (!given) { v128[${QUERY.frequencies}] = i32x4.splat(0); }
    while (entry < end) {
      enter(entry);
      i32 k = 0, j = 0, into = entry + ${ENTRY.found};
      while (k < asked) {
        find(${QUERY.text} + (k << 8), i32[${QUERY.lengths} + (k << 2)], into,
          i32[entry + ${ENTRY.samples}], i32[entry + ${ENTRY.step}]);
        i32 df = i32[into];
        if (df) {
          if (!given) { i32[${QUERY.frequencies} + (k << 2)] += df; }
          j = entry + ${ENTRY.found};
          while (j < into) {
            if (i32[j] && i32[j + 4] == i32[into + 4]) { return 0; }
            j += 8;
          }
        }
        into += 8;
        k += 1;
      }
      entry += ${ENTRY_BYTES};
    }
    weigh(asked);
    return !i32[${QUERY.unsupported}];
  }`;
