/** The best documents that a term stores (packages/engine/src/postings/best-docs.ts). */
import { BEST, BEST_DOC_BYTES } from '../../../packages/engine/src/postings/format.ts';
import { QUERY, SEGMENT, SLOT } from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { UP } from './constants.ts';

export const bestDocs = `
  // where the best documents of a term end; 0: it has none, or fewer than the page
  fn bestDocsOf(i32 ref) -> i32 {
    if (ref >= 0 || !i32[${SEGMENT.bestDocs}] || i32[${QUERY.after}]) { return 0; }
    if (i32[${QUERY.limit}] > ${BEST}) { return 0; }
    i32 record = i32[${SEGMENT.records}] + (-1 - ref) * 40;
    return i32[${SEGMENT.big}] + (i32[record + 4] << 2) + i32[record + 36];
  }

  fn firstBest(i32 best) -> i32 {
    return best - 8 - (i32[best - 4] & 0xffff) * ${BEST_DOC_BYTES};
  }

  // the score of the document at an address
  fn bestScore(i32 at, f64 weight) -> f64 {
    i32 word = i32[at + 4];
    return share(weight, word >> 8, word & 255, i32[at]);
  }

  fn isBlocked(i32 d) -> i32 {
    i32 blocked = i32[${QUERY.blocked}];
    if (!blocked) { return 0; }
    return (i32[blocked + ((d >> 5) << 2)] >> d) & 1;
  }

  // takes the scores of a segment's best documents of term k
  fn noteBest(i32 k, i32 best, f64 weight) {
    i32 at = firstBest(best), size = i32[${QUERY.bestSizes} + (k << 2)], limit = i32[${QUERY.limit}];
    i32 scores = ${QUERY.bestScores} + (k << 7), place = 0;
    while (at < best - 8) {
      f64 score = bestScore(at, weight);
      i32 open = !isBlocked(i32[at]);
      if (open && size == limit) { open = f64[scores + (limit << 3) - 8] < score; }
      if (open) {
        place = select(size < limit, size, limit - 1);
        size = place + 1;
        while (place > 0) {
          f64 above = f64[scores + (place << 3) - 8];
          if (above >= score) { break; }
          f64[scores + (place << 3)] = above;
          place -= 1;
        }
        f64[scores + (place << 3)] = score;
      }
      at += ${BEST_DOC_BYTES};
    }
    i32[${QUERY.bestSizes} + (k << 2)] = size;
  }

  // what the last document of the page scores at least; 0: they do not fill it
  fn bestTheta(i32 asked) -> f64 {
    i32 limit = i32[${QUERY.limit}], k = 0;
    f64 theta = 0.0;
    while (k < asked) {
      if (limit && i32[${QUERY.bestSizes} + (k << 2)] == limit) {
        theta = f64.max(theta, f64[${QUERY.bestScores - 8} + (k << 7) + (limit << 3)]);
      }
      k += 1;
    }
    return theta;
  }

  // 1: of the documents of a term alone, no others of the segment are of the page
  fn suffice(i32 t) -> i32 {
    i32 best = i32[t + ${SLOT.best}], at = firstBest(best), n = 0;
    f64 next = f64.promote_f32(f32.reinterpret_i32(i32[best - 8]));
    if (f64[t + ${SLOT.weight}] * raise(next) * ${UP} < f64[${QUERY.theta}]) { return 1; }
    if (!(i32[best - 4] >> 16) || i32[${QUERY.ranks}] || f64[${QUERY.scale}] != 1.0) { return 0; }
    if (i32[${QUERY.terms}] > 1) { return 0; }
    // others with the score of the last one come after it
    while (at < best - 8) {
      n += !isBlocked(i32[at]);
      at += ${BEST_DOC_BYTES};
    }
    return n >= i32[${QUERY.limit}];
  }

  // 1: no bitmap leaves the document out
  fn passes(i32 d) -> i32 {
    i32 at = ${QUERY.sieves}, end = at + (i32[${QUERY.bitmaps}] << 3);
    while (at < end) {
      if (!(((i32[i32[at] + ((d >> 5) << 2)] >> d) ^ i32[at + 4]) & 1)) { return 0; }
      at += 8;
    }
    return 1;
  }

  // offers the best documents of the active term
  fn offerBest(i32 t) {
    i32 best = i32[t + ${SLOT.best}], at = firstBest(best);
    f64 weight = f64[t + ${SLOT.weight}];
    while (at < best - 8) {
      f64 score = bestScore(at, weight);
      if (score >= f64[${QUERY.theta}]) {
        if (passes(i32[at])) { offer(i32[at], score); }
      }
      at += ${BEST_DOC_BYTES};
    }
  }`;
