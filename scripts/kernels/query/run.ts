/** The whole query. */
import { QUERY, SLOT, SLOT_BYTES } from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { UP } from './constants.ts';

export const run = `
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
