/** Conjunctions whose rarest term is a list or short. */
import { QUERY, SEGMENT, SLOT } from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LIST, UP } from './constants.ts';

/**
 * So many blocks of the rarest list: the other terms are bounded block by block, which reads lines
 * of memory that nothing else needs.
 */
const BOUNDED = 24;

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
    i32 block = 0, count = 0, least = 1, done = 0, late = 0, bounded = 0;
    i32 bounding = scoring && !whole && active > 1 && blocks >= ${BOUNDED};
    f64 bar = 0.0, others = 0.0;
    if (i32[${QUERY.fewBlocked}] && i32[${QUERY.blocked}]) {
      if (scoring) {
        late = !whole && active == 1 && i32[${QUERY.bitmaps}] == 1;
      } else {
        late = active > 1 && i32[${QUERY.sieves}] == i32[${QUERY.blocked}];
      }
    }
    others = rest;
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
      if (isList) {
        if (scoring) { best = blockBest(weight, i32[heads + (block << 2)]); }
        others = rest;
        bounded = bounding && bar > 0.0;
        if (bounded) {
          others = boundInBlock(lead, block);
          if (others < 0.0 || best + others < bar) {
            block += 1;
            continue;
          }
        }
        if (best + others < bar) {
          block += 1;
          continue;
        }
        decode(lead, block);
      }
      i32 n = i32[lead + ${SLOT.postings}], first = 1, source = docs, limit = 256;
      if (!scoring && lists == 1 && i32[${QUERY.bitmaps}] == 1) {
        count += countKept(docs, n, i32[${QUERY.sieves}], i32[${QUERY.sieves + 4}]);
        block += 1;
        continue;
      }
      k = 0;
      // deleted documents are few: of one term only those that would be offered are looked up, of
      // several those that hold all
      if (late) { k = 1; }
      while (k < i32[${QUERY.bitmaps}]) {
        n = keep(source, n, i32[(k << 3) + ${QUERY.sieves}], i32[(k << 3) + ${QUERY.sieves + 4}], first);
        first = 0;
        source = ${QUERY.survivors};
        k += 1;
      }
      if (lists > 1 && first) {
        allSurvive(docs, n);
        first = 0;
        source = ${QUERY.survivors};
      }
      k = 1;
      while (k < lists && n > 0) {
        n = meet(k, n, scoring, !scoring && !late && k + 1 == lists);
        if (n < 0) {
          n = -1 - n;
          done = 1;
        }
        k += 1;
      }
      if (late && !scoring) { n = countKept(source, n, i32[${QUERY.blocked}], 1); }
      count += n;
      if (scoring && n > 0) {
        if (isList && n > 12) {
          limit = codeLimit(weight, best, i32[lead + ${SLOT.frequencyBits}], others, bounded);
        }
        scoreSurvivors(n, limit, others, source, !first, late);
      }
      block += 1;
    }
    return count;
  }`;
