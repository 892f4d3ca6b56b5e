/** Terms in the dictionaries of segments. */
import {
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  SEGMENT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';

export const lookup = `
  // the term in the dictionary block at "index" (0: there are no terms)
  fn find(i32 text, i32 length, i32 index, i32 into) {
    i32[into] = 0;
    i32[into + 4] = 0;
    if (!index) { return; }
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
    i32[${QUERY.ahead}] = narrowAll(end, asked) + chooseAll(end, asked);
    while (entry < end) {
      enter(entry);
      i32 k = 0, into = entry + ${ENTRY.found};
      while (k < asked) {
        find(${QUERY.text} + (k << 8), i32[${QUERY.lengths} + (k << 2)], i32[into], into);
        i32 df = i32[into], j = 0;
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
