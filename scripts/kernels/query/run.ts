/** The whole query, segment by segment. */
import {
  EMITTED,
  EMITTED_BYTES,
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  SLOT,
  SLOT_BYTES,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { DOWN, UP } from './constants.ts';

export const run = `
  // Sorts the segments [first, last) that have the terms (all of them, or any) by the most that a
  // document scores there; returns how many. flags 4: a tenth best score of a term in any of them
  // is the first threshold.
  fn sortSegments(i32 first, i32 last, i32 asked, i32 all, i32 flags) -> i32 {
    i32 s = first, n = 0, best = 0;
    f64 theta = f64[${QUERY.theta}];
    v128[${QUERY.bestSizes}] = i32x4.splat(0);
    readAhead(first, last, asked, flags & 1);
    while (s < last) {
      i32 entry = ${QUERY.segments} + s * ${ENTRY_BYTES}, k = 0, present = 0, at = 0;
      f64 bound = 0.0;
      enter(entry);
      i32[${QUERY.blocked}] = i32[entry + ${ENTRY.blocked}];
      // of several terms in one segment the tenth best scores are as good, and cheaper
      i32 scored = (flags & 1) && (asked == 1 || (!all && (last - first > 1 || i32[${QUERY.blocked}])));
      while (k < asked) {
        if (i32[entry + (k << 3) + ${ENTRY.found}]) {
          i32 ref = i32[entry + (k << 3) + ${ENTRY.found + 4}];
          f64 weight = f64[(k << 3) + ${QUERY.weights}];
          bound += weight * bestOf(ref);
          best = 0;
          if (scored) { best = bestDocsOf(ref); }
          if (best) {
            noteBest(k, best, weight);
          } else if (flags & 4) {
            theta = f64.max(theta, weight * tenthOf(ref) * ${DOWN});
          }
          present += 1;
        }
        k += 1;
      }
      if (present && (!all || present == asked)) {
        f64[entry + ${ENTRY.bound}] = bound;
        at = n;
        n += 1;
        while (at > 0) {
          i32 before = i32[(at << 2) + ${QUERY.segmentOrder - 4}];
          if (f64[before * ${ENTRY_BYTES} + ${QUERY.segments + ENTRY.bound}] >= bound) { break; }
          i32[(at << 2) + ${QUERY.segmentOrder}] = before;
          at -= 1;
        }
        i32[(at << 2) + ${QUERY.segmentOrder}] = s;
      }
      s += 1;
    }
    f64[${QUERY.theta}] = f64.max(theta, bestTheta(asked));
    return n;
  }

  // the query over the segment of an entry; returns the count, or 0
  fn runSegment(i32 entry, i32 asked, i32 all, i32 flags) -> i32 {
    i32 k = 0, n = 0, count = -1;
    f64 theta = f64[${QUERY.theta}], most = 0.0;
    while (k < asked) {
      i32 df = i32[entry + (k << 3) + ${ENTRY.found}];
      if (df) {
        i32 t = ${QUERY.termSlots} + n * ${SLOT_BYTES};
        f64[t + ${SLOT.weight}] = f64[(k << 3) + ${QUERY.weights}];
        i32[t + ${SLOT.order}] = i32[(k << 2) + ${QUERY.orders}];
        i32[t + ${SLOT.living}] = i32[entry + (k << 2) + ${ENTRY.living}];
        openTerm(t, n, df, i32[entry + (k << 3) + ${ENTRY.found + 4}]);
        most += f64[t + ${SLOT.max}];
        n += 1;
      }
      k += 1;
    }
    i32[${QUERY.terms}] = n;
    i32[${QUERY.joined}] = -1;
    i32[${QUERY.rising}] = n == 1;
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
    if (!all) { return countUnion(i32[entry + ${ENTRY.exact}]); }
    if (count >= 0) { return count; }
    activate(-1);
    return countActive();
  }

  // emits the documents of segment s that are among the best now
  fn emitBest(i32 s) {
    i32 i = 0, at = ${QUERY.emitted} + i32[${QUERY.emittedCount}] * ${EMITTED_BYTES};
    while (i < i32[${QUERY.size}]) {
      i32 d = i32[(i << 2) + ${QUERY.topDocs}];
      if (d >= 0) {
        f64[at + ${EMITTED.score}] = f64[(i << 3) + ${QUERY.topScores}];
        i32[at + ${EMITTED.doc}] = d;
        i32[at + ${EMITTED.segment}] = s;
        at += ${EMITTED_BYTES};
        // it is one of an earlier segment for the next one
        i32[(i << 2) + ${QUERY.topDocs}] = -1;
      }
      i += 1;
    }
    i32[${QUERY.emittedCount}] = (at - ${QUERY.emitted}) / ${EMITTED_BYTES};
  }

  // keeps the numbers of documents that are not blocked, where they were counted
  fn keepLiving(i32 entry, i32 asked) {
    i32 k = 0, n = 0;
    while (k < asked) {
      if (i32[entry + (k << 3) + ${ENTRY.found}]) {
        i32[entry + (k << 2) + ${ENTRY.living}] =
          i32[n * ${SLOT_BYTES} + ${QUERY.termSlots + SLOT.living}];
        n += 1;
      }
      k += 1;
    }
  }

  // A whole query over the segments [first, last) of those looked up. all 1: all terms, 0: any.
  // flags: 1 top documents, 2 count, 4 stored tenth best scores hold. Returns the count, or 0.
  export fn query(i32 first, i32 last, i32 asked, i32 all, i32 flags) -> i32 {
    i32 n = sortSegments(first, last, asked, all, flags), i = 0, total = 0;
    i32[${QUERY.emittedCount}] = 0;
    while (i < n) {
      i32 s = i32[(i << 2) + ${QUERY.segmentOrder}];
      i32 entry = ${QUERY.segments} + s * ${ENTRY_BYTES};
      if (!(flags & 2) && f64[entry + ${ENTRY.bound}] * ${UP} < f64[${QUERY.theta}]) { break; }
      enter(entry);
      i32[${QUERY.ranks}] = i32[entry + ${ENTRY.ranks}];
      i32[${QUERY.blocked}] = i32[entry + ${ENTRY.blocked}];
      i32[${QUERY.fewBlocked}] = i32[entry + ${ENTRY.exact}];
      i32[${QUERY.segment}] = s;
      i32[${QUERY.behind}] = 0x7fffffff;
      i32[${QUERY.notBehind}] = -1;
      total += runSegment(entry, asked, all, flags);
      if (flags & 1) { emitBest(s); }
      if (flags & 2) { keepLiving(entry, asked); }
      i += 1;
    }
    return total;
  }`;
