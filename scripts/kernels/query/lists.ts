/** Conjunctions whose rarest term is a list or short. */
import {
  BUFFER,
  QUERY,
  SEGMENT,
  SLOT,
  TABLE_AT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LIST, LONG, SHORT, UP } from './constants.ts';

export const lists = `
  // documents survivors[0 .. n) with their places whose bit is set (flip: is not)
  fn keep(i32 docs, i32 n, i32 bitmap, i32 flip, i32 first) -> i32 {
    i32 i = 0, m = 0, end = n << 2;
    while (i < end) {
      i32 d = i32[docs + i], place = i >> 2;
      if (!first) { place = i32[i + ${QUERY.places}]; }
      i32[m + ${QUERY.survivors}] = d;
      i32[m + ${QUERY.places}] = place;
      m += (((i32[bitmap + ((d >> 5) << 2)] >> d) ^ flip) & 1) << 2;
      i += 4;
    }
    return m >> 2;
  }

  // number of documents in a bitmap (flip: not in it)
  fn countKept(i32 docs, i32 n, i32 bitmap, i32 flip) -> i32 {
    i32 end = docs + (n << 2), m = 0;
    while (docs < end) {
      i32 d = i32[docs];
      m += (i32[bitmap + ((d >> 5) << 2)] >> d) & 1;
      docs += 4;
    }
    return select(flip, n - m, m);
  }

  // survivor i becomes survivor m, with what the lists before k know of it
  fn move(i32 k, i32 i, i32 m, i32 d) {
    i32[(m << 2) + ${QUERY.survivors}] = d;
    i32[(m << 2) + ${QUERY.places}] = i32[(i << 2) + ${QUERY.places}];
    i32 j = 1;
    while (j < k) {
      i32 into = i32[i32[(j << 2) + ${QUERY.activeTerms}] + ${SLOT.buffer}] + ${BUFFER.survivors};
      i32[into + (m << 2)] = i32[into + (i << 2)];
      j += 1;
    }
  }

  // the frequency of the posting at a place of the decoded block (all of a short term)
  fn frequencyAt(i32 t, i32 place) -> i32 {
    if (i32[t + ${SLOT.kind}] == ${SHORT}) {
      return i32[i32[t + ${SLOT.buffer}] + (place << 2) + ${BUFFER.frequencies}];
    }
    return packed(i32[t + ${SLOT.frequenciesAt}], place, i32[t + ${SLOT.frequencyBits}]) + 1;
  }

  // survivors[0 .. n) that list or short term k holds; -1 - their number where it has no more
  fn meet(i32 k, i32 n, i32 scoring) -> i32 {
    i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
    i32 docs = i32[t + ${SLOT.buffer}], isList = i32[t + ${SLOT.kind}] == ${LIST};
    i32 into = docs + ${BUFFER.survivors};
    i32 block = i32[t + ${SLOT.block}], blocks = i32[t + ${SLOT.blocks}];
    i32 i = 0, m = 0, last = 0x7ffffffe;
    while (i < n) {
      i32 d = i32[(i << 2) + ${QUERY.survivors}];
      if (isList) {
        if (i32[i32[t + ${SLOT.lastDocs}] + (block << 2)] < d) {
          block = seekBlock(t, block + 1, d);
          i32[t + ${SLOT.block}] = block;
          if (block >= blocks) {
            i32[t + ${SLOT.block}] = blocks - 1;
            return -1 - m;
          }
        }
        decode(t, block);
        last = i32[i32[t + ${SLOT.lastDocs}] + (block << 2)];
      }
      i32 place = i32[t + ${SLOT.place}], size = i32[t + ${SLOT.postings}];
      i32 end = i + 6;
      if (end < n && i32[(end << 2) + ${QUERY.survivors}] <= last) {
        // many survivors in this block: compared four by four
        end = n;
        if (i32[(n << 2) + ${QUERY.survivors - 4}] > last) {
          end = i + seek((i << 2) + ${QUERY.survivors}, 0, n - i, last + 1);
        }
        i32 from = i, found = intersect((i << 2) + ${QUERY.survivors}, end - i,
          docs + (place << 2), size - place, ${QUERY.common}, ${QUERY.left}, ${QUERY.right});
        i32 f = 0;
        while (f < found) {
          i32 source = from + i32[(f << 2) + ${QUERY.left}];
          move(k, source, m, i32[(source << 2) + ${QUERY.survivors}]);
          if (scoring) {
            i32[into + (m << 2)] = frequencyAt(t, place + i32[(f << 2) + ${QUERY.right}]);
          }
          m += 1;
          f += 1;
        }
        i = end;
        continue;
      }
      place = seek(docs, place, size, d);
      i32[t + ${SLOT.place}] = place;
      if (place >= size) { return -1 - m; }
      if (i32[docs + (place << 2)] == d) {
        move(k, i, m, d);
        if (scoring) { i32[into + (m << 2)] = frequencyAt(t, place); }
        m += 1;
      }
      i += 1;
    }
    return m;
  }

  // the first length code with which no document of the lead's block reaches theta
  fn codeLimit(f64 weight, f64 best, i32 bits, f64 rest) -> i32 {
    i32 row = select(bits < 5, 1 << bits, 32), low = 0, high = 256;
    f64 theta = f64[${QUERY.theta}];
    while (low < high) {
      i32 middle = (low + high) >> 1;
      f64 most = f64.min(best, weight * f64[(row << 11) + (middle << 3) + ${TABLE_AT}]);
      if ((most + rest) * ${UP} < theta) { high = middle; } else { low = middle + 1; }
    }
    return low;
  }

  // Scores survivors[0 .. n) whose length code is one of a page, below "limit", by the lead; those that can reach
  // theta beside the other terms, which score up to "rest", go on. Without others they are offered.
  // "late": blocked documents are among them.
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
        if (late) { late = 1 + ((i32[i32[${QUERY.blocked}] + ((d >> 5) << 2)] >> d) & 1); }
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
  }

  // the most that a term scores in a block of a list
  fn blockBest(f64 weight, i32 head) -> f64 {
    f64 impact = f64[i32[${SEGMENT.impacts}] + ((head & 255) << 3)];
    return weight * raiseFrequency(impact, f64.convert_i32_s(1 << ((head >> 16) & 255)));
  }

  // the first impact code with which the lead can reach theta beside the others
  fn firstCode(f64 weight, f64 rest, f64 least) -> i32 {
    i32 low = 1, high = 256, impacts = i32[${SEGMENT.impacts}];
    while (low < high) {
      i32 middle = (low + high) >> 1;
      if (weight * raise(f64[impacts + (middle << 3)]) + rest < least) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // documents of the active terms, the rarest of which is a list or short; "whole": all are visited
  fn join(i32 scoring, i32 whole) -> i32 {
    i32 active = i32[${QUERY.active}], lead = i32[${QUERY.activeTerms}], k = 1;
    i32 isList = i32[lead + ${SLOT.kind}] == ${LIST}, docs = i32[lead + ${SLOT.buffer}];
    i32 blocks = i32[lead + ${SLOT.blocks}], heads = i32[lead + ${SLOT.heads}], lists = 1;
    f64 weight = f64[lead + ${SLOT.weight}], rest = 0.0, before = -1.0, best = weight;
    while (k < active) {
      i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
      rest += f64[t + ${SLOT.max}];
      i32[t + ${SLOT.block}] = 0;
      i32[t + ${SLOT.place}] = 0;
      if (i32[t + ${SLOT.kind}]) { lists += 1; }
      k += 1;
    }
    i32 block = 0, count = 0, least = 1, done = 0, late = 0;
    f64 bar = 0.0;
    if (scoring && !whole && active == 1 && i32[${QUERY.bitmaps}] == 1) {
      late = i32[${QUERY.fewBlocked}] & (i32[${QUERY.blocked}] != 0);
    }
    while (block < blocks && !done) {
      spend(1);
      if (scoring && !whole && isList) {
        f64 now = threshold();
        if (now != before) {
          before = now;
          bar = select(active == 1, now, now / ${UP});
          least = firstCode(weight, rest, bar);
        }
        while (block < blocks && (i32[heads + (block << 2)] & 255) < least) { block += 1; }
        if (block >= blocks) { break; }
      }
      if (isList && !isOpen(lead, block)) {
        block += 1;
        continue;
      }
      i32 bits = 8;
      if (isList) {
        if (scoring) { best = blockBest(weight, i32[heads + (block << 2)]); }
        if (best + rest < bar) {
          block += 1;
          continue;
        }
        decode(lead, block);
        bits = i32[lead + ${SLOT.frequencyBits}];
      }
      i32 n = i32[lead + ${SLOT.postings}], first = 1, source = docs, limit = 256;
      if (scoring && isList && n > 12) { limit = codeLimit(weight, best, bits, rest); }
      if (!scoring && lists == 1 && i32[${QUERY.bitmaps}] == 1) {
        count += countKept(docs, n, i32[${QUERY.sieves}], i32[${QUERY.sieves + 4}]);
        block += 1;
        continue;
      }
      k = 0;
      // deleted documents of one term are few: only those that would be offered are looked up
      if (late) { k = 1; }
      while (k < i32[${QUERY.bitmaps}]) {
        n = keep(source, n, i32[(k << 3) + ${QUERY.sieves}], i32[(k << 3) + ${QUERY.sieves + 4}], first);
        first = 0;
        source = ${QUERY.survivors};
        k += 1;
      }
      if (lists > 1 && first) {
        k = 0;
        while (k < n) {
          i32[(k << 2) + ${QUERY.survivors}] = i32[docs + (k << 2)];
          i32[(k << 2) + ${QUERY.places}] = k;
          k += 1;
        }
        first = 0;
        source = ${QUERY.survivors};
      }
      k = 1;
      while (k < lists && n > 0) {
        n = meet(k, n, scoring);
        if (n < 0) {
          n = -1 - n;
          done = 1;
        }
        k += 1;
      }
      count += n;
      if (scoring && n > 0) {
        scoreSurvivors(n, limit, rest, source, !first, late);
      }
      block += 1;
    }
    return count;
  }`;
