/** Scores, and the best documents. */
import {
  QUERY,
  SEGMENT,
  SLOT,
  TABLE_AT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LONG, NEXT } from './constants.ts';

export const score = `
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
    i32 at = i32[t + ${SLOT.bitmap}] + (r << 5), word = (d >> 6) & 3;
    i64 below = (1L << i64.extend_i32_u(d)) - 1L;
    i64 rank = i64.popcnt(i64[at] & select(word, -1L, below)) +
      i64.popcnt(i64[at + 8] & select(word > 1, -1L, select(word == 1, below, 0L))) +
      i64.popcnt(i64[at + 16] & select(word > 2, -1L, select(word == 2, below, 0L))) +
      i64.popcnt(i64[at + 24] & select(word == 3, below, 0L));
    i32 bit = (i32.wrap_i64(rank) + 1) * width;
    i32 bits = i32[boundary - ((bit + 7) >> 3)] >> (-bit & 7);
    return (bits & ((1 << width) - 1)) + 1;
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

  // 1: a document with the score that ended the last page comes after that page
  fn isBehind(i32 d, i32 rank) -> i32 {
    if (rank >= i32[${QUERY.behind}]) { return 1; }
    if (rank <= i32[${QUERY.notBehind}]) { return 0; }
    return follows(i32[${QUERY.segment}], d);
  }

  // The first length code with which the active terms may score no more than the last page's end:
  // a document has each of them once or more often.
  fn firstCodeBehind() -> i32 {
    i32 low = 0, high = ${LONG};
    if (!i32[${QUERY.after}]) { return 0; }
    while (low < high) {
      i32 middle = (low + high) >> 1, k = 0;
      f64 sum = 0.0;
      while (k < i32[${QUERY.active}]) {
        sum += f64[i32[(k << 2) + ${QUERY.activeTerms}] + ${SLOT.weight}] *
          f64[(middle << 3) + ${TABLE_AT + 2048}];
        k += 1;
      }
      if (sum > f64[${QUERY.ceiling}]) { low = middle + 1; } else { high = middle; }
    }
    return low;
  }

  fn insert(i32 d, f64 score) {
    i32 size = i32[${QUERY.size}], limit = i32[${QUERY.limit}];
    i32 rank = d, ranks = i32[${QUERY.ranks}], at = size;
    if (score > f64[${QUERY.most}]) { return; }
    if (ranks) { rank = i32[ranks + (d << 2)]; }
    if (score == f64[${QUERY.most}]) { if (!isBehind(d, rank)) { return; } }
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
