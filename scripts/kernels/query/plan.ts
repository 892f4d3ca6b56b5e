/** Which terms a document has to hold: conjunctions and unions. */
import {
  BUFFER,
  QUERY,
  SEGMENT,
  SLOT,
  SLOT_BYTES,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { DENSE, SHORT, UP } from './constants.ts';

export const plan = `
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
    i32[${QUERY.firstCode}] = firstCodeBehind();
  }

  // top documents of the active terms; their number where "whole" and the rarest is a list, else -1
  fn searchActive(i32 whole) -> i32 {
    i32 lead = i32[${QUERY.activeTerms}];
    if (i32[${QUERY.active}] == 1 && i32[lead + ${SLOT.best}]) {
      if (suffice(lead)) {
        offerBest(lead);
        return -1;
      }
    }
    if (i32[lead + ${SLOT.kind}] == ${DENSE}) {
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
