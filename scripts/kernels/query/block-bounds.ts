/** What documents of a block of the rarest list score at most. */
import {
  QUERY,
  SEGMENT,
  SLOT,
  TABLE_AT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { DENSE, SHORT, UP } from './constants.ts';

export const blockBounds = `
  // the highest of n bytes
  fn highest(i32 at, i32 n) -> i32 {
    i32 end = at + n, most = 0;
    if (n < 16) {
      while (at < end) {
        i32 own = u8[at];
        most = select(own > most, own, most);
        at += 1;
      }
      return most;
    }
    v128 all = v128[end - 16];
    while (at + 16 < end) {
      all = i8x16.max_u(all, v128[at]);
      at += 16;
    }
    all = i8x16.max_u(all, i8x16.shuffle<8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7>(all, all));
    all = i8x16.max_u(all, i8x16.shuffle<4 5 6 7 0 1 2 3 0 1 2 3 4 5 6 7>(all, all));
    all = i8x16.max_u(all, i8x16.shuffle<2 3 0 1 0 1 2 3 0 1 2 3 4 5 6 7>(all, all));
    all = i8x16.max_u(all, i8x16.shuffle<1 0 0 1 0 1 2 3 0 1 2 3 4 5 6 7>(all, all));
    return i8x16.extract_lane_u<0>(all);
  }

  // the most that a term scores in documents [from, to], and the row of its highest frequency in the
  // table of impacts; 0: it has none of them
  fn boundIn(i32 t, i32 from, i32 to) -> i32 {
    i32 code = 0, bits = 0;
    if (i32[t + ${SLOT.kind}] == ${SHORT}) {
      f64[t + ${SLOT.most}] = f64[t + ${SLOT.max}];
      i32[t + ${SLOT.row}] = 32;
      return 1;
    }
    if (i32[t + ${SLOT.kind}] == ${DENSE}) {
      i32 first = from >> 8;
      i32 n = (to >> 8) - first + 1;
      code = highest(i32[t + ${SLOT.impact}] + first, n);
      bits = highest(i32[t + ${SLOT.width}] + first, n);
    } else {
      i32 block = seekBlock(t, i32[t + ${SLOT.block}], from);
      while (block < i32[t + ${SLOT.blocks}]) {
        i32 head = i32[i32[t + ${SLOT.heads}] + (block << 2)];
        i32 own = head & 255, wide = (head >> 16) & 255;
        code = select(own > code, own, code);
        bits = select(wide > bits, wide, bits);
        if (i32[i32[t + ${SLOT.lastDocs}] + (block << 2)] >= to) { break; }
        block += 1;
      }
    }
    f64 impact = raiseFrequency(f64[i32[${SEGMENT.impacts}] + (code << 3)], f64.convert_i32_s(1 << bits));
    f64[t + ${SLOT.most}] = f64.min(f64[t + ${SLOT.max}], f64[t + ${SLOT.weight}] * impact);
    i32[t + ${SLOT.row}] = select(bits < 5, 1 << bits, 32);
    return code;
  }

  // the most that the terms after the lead score in documents [from, to]; -1: one has none of them
  fn boundOthers(i32 from, i32 to) -> f64 {
    i32 k = 1;
    f64 sum = 0.0;
    while (k < i32[${QUERY.active}]) {
      i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
      if (!boundIn(t, from, to)) { return -1.0; }
      sum += f64[t + ${SLOT.most}];
      k += 1;
    }
    return sum;
  }

  // the same in the documents of a block of the lead
  fn boundInBlock(i32 lead, i32 block) -> f64 {
    i32 last = i32[lead + ${SLOT.lastDocs}] + (block << 2), from = 0;
    if (block) { from = i32[last - 4] + 1; }
    return boundOthers(from, i32[last]);
  }

  // the most that they score there in a document of a length code
  fn othersAt(i32 code) -> f64 {
    i32 k = 1;
    f64 sum = 0.0;
    while (k < i32[${QUERY.active}]) {
      i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
      sum += f64.min(f64[t + ${SLOT.most}],
        f64[t + ${SLOT.weight}] * f64[(i32[t + ${SLOT.row}] << 11) + (code << 3) + ${TABLE_AT}]);
      k += 1;
    }
    return sum;
  }

  // the first length code with which no document of the lead's block reaches theta; the others score
  // up to "rest", or less where they are bounded
  fn codeLimit(f64 weight, f64 best, i32 bits, f64 rest, i32 bounded) -> i32 {
    i32 row = select(bits < 5, 1 << bits, 32), low = 0, high = 256;
    f64 theta = f64[${QUERY.theta}];
    while (low < high) {
      i32 middle = (low + high) >> 1;
      f64 most = f64.min(best, weight * f64[(row << 11) + (middle << 3) + ${TABLE_AT}]);
      if (bounded) { rest = othersAt(middle); }
      if ((most + rest) * ${UP} < theta) { high = middle; } else { low = middle + 1; }
    }
    return low;
  }`;
