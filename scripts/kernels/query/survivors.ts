/** Scores of the survivors of a block of the rarest list, or of a short term. */
import {
  BUFFER,
  QUERY,
  SEGMENT,
  SLOT,
  TABLE_AT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LIST, LONG, UP } from './constants.ts';

export const survivors = `
  // Scores survivors[0 .. n) whose length code is one of a page, below "limit", by the lead; those that
  // can reach theta beside the other terms, which score up to "rest", go on. Without others they are
  // offered. "late": blocked documents are among them.
  fn scoreSurvivors(i32 n, i32 limit, f64 rest, i32 docs, i32 placed, i32 late) {
    i32 codes = i32[${SEGMENT.codes}], lead = i32[${QUERY.activeTerms}], i = 0;
    i32 isList = i32[lead + ${SLOT.kind}] == ${LIST}, single = i32[${QUERY.active}] == 1;
    i32 at = i32[lead + ${SLOT.frequenciesAt}], width = i32[lead + ${SLOT.frequencyBits}];
    i32 mask = (1 << width) - 1, low = i32[${QUERY.firstCode}];
    f64 weight = f64[lead + ${SLOT.weight}], least = leastShare(single, rest);
    f64 ceiling = f64[${QUERY.ceiling}];
    limit = select(limit > low, limit - low, 0);
    if (!isList) { at = i32[lead + ${SLOT.buffer}] + ${BUFFER.frequencies}; }
    // Passes without branches that depend on the data: a wrong guess costs more than a score.
    i32 m = 0, j = 0;
    while (i < n) {
      i32[m + ${QUERY.candidates}] = i;
      m += i32.lt_u(u8[codes + i32[docs + (i << 2)]] - low, limit) << 2;
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
      m += (score >= least) & (score <= ceiling);
      i += 1;
    }
    while (j < m) {
      score = f64[(j << 3) + ${QUERY.candidateScores}];
      if (score >= least) {
        own = i32[(j << 2) + ${QUERY.candidates}];
        d = i32[docs + (own << 2)];
        if (late) { late = 1 + isBlocked(d); }
        if (single) {
          if (late < 2) { offer(d, score); }
        } else {
          scoreOthers(own, d, u8[codes + d], score);
        }
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
  }`;
