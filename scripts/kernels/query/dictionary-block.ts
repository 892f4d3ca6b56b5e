/**
 * The blocks of dictionaries that may hold the terms. Each step is done for all terms and segments
 * before the next one, and reads a line of what the next one needs: lines come from memory at once.
 */
import {
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  SEGMENT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';

export const dictionaryBlock = `
  // the segment of an entry becomes the one at hand
  fn enter(i32 entry) {
    v128[${SEGMENT.index}] = v128[entry];
    v128[${SEGMENT.index + 16}] = v128[entry + 16];
    v128[${SEGMENT.index + 32}] = v128[entry + 32];
    i64[${SEGMENT.impacts}] = i64[entry + ${SEGMENT.impacts - SEGMENT.index}];
    f64[${QUERY.scale}] = f64[entry + ${ENTRY.scale}];
  }

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

  // the first bytes of a text, which zeros follow, as a number
  fn keyOf(i32 text) -> i64 {
    return i64x2.extract_lane<0>(
      i8x16.shuffle<7 6 5 4 3 2 1 0 0 0 0 0 0 0 0 0>(v128[text], v128[text]));
  }

  // writes the first and the number of the dictionary blocks that may hold the text, by the samples
  fn narrow(i32 text, i32 samples, i32 step, i32 into) {
    i64 key = keyOf(text);
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
    i32[into] = left;
    i32[into + 4] = size;
  }

  // the last of "size" dictionary blocks whose first term is not above the text
  fn dictionaryBlock(i32 text, i32 length, i32 left, i32 size) -> i32 {
    i64 key = keyOf(text);
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

  // by the samples, in the found words of all entries; returns a sum of what it reads ahead
  fn narrowAll(i32 end, i32 asked) -> i32 {
    i32 entry = ${QUERY.segments}, ahead = 0;
    while (entry < end) {
      enter(entry);
      i32 k = 0, into = entry + ${ENTRY.found};
      i32 samples = i32[entry + ${ENTRY.samples}], step = i32[entry + ${ENTRY.step}];
      while (k < asked) {
        narrow(${QUERY.text} + (k << 8), samples, step, into);
        ahead += i32[i32[into] + (i32[into + 4] >> 1) * 20];
        into += 8;
        k += 1;
      }
      entry += ${ENTRY_BYTES};
    }
    return ahead;
  }

  // of those found by narrowAll, the block of each term, or 0
  fn chooseAll(i32 end, i32 asked) -> i32 {
    i32 entry = ${QUERY.segments}, ahead = 0;
    while (entry < end) {
      enter(entry);
      i32 k = 0, into = entry + ${ENTRY.found};
      while (k < asked) {
        i32 index = 0, size = i32[into + 4];
        if (size) {
          index = dictionaryBlock(${QUERY.text} + (k << 8), i32[${QUERY.lengths} + (k << 2)],
            i32[into], size);
          ahead += i32[i32[${SEGMENT.entries}] + i32[index + 8]];
        }
        i32[into] = index;
        into += 8;
        k += 1;
      }
      entry += ${ENTRY_BYTES};
    }
    return ahead;
  }`;
