/** Exact numbers of documents. */
import {
  QUERY,
  SEGMENT,
  SLOT,
  SLOT_BYTES,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { DENSE, LIST, SHORT } from './constants.ts';

/** Postings of lists, up to which they are counted one by one. */
const FEW = 2000;

export const count = `
  // bits in all (any) of four bitmaps, equal ones allowed, and not in "blocked" (0: none)
  fn countBits(i32 a, i32 b, i32 c, i32 d, i32 any, i32 blocked) -> i32 {
    i32 end = a + (i32[${SEGMENT.ranges}] << 5);
    v128 total = i32x4.splat(0), x = total, pairs = total;
    b -= a;
    c -= a;
    d -= a;
    i32 but = blocked - a;
    if (!blocked && c == 0 && d == 0) {
      while (a < end) {
        x = v128[a];
        if (any) { x = v128.or(x, v128[a + b]); } else { x = v128.and(x, v128[a + b]); }
        pairs = i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x));
        x = v128[a + 16];
        if (any) { x = v128.or(x, v128[a + b + 16]); } else { x = v128.and(x, v128[a + b + 16]); }
        pairs = i16x8.add(pairs, i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x)));
        total = i32x4.add(total, i32x4.extadd_pairwise_i16x8_u(pairs));
        a += 32;
      }
    }
    while (a < end) {
      if (any) {
        x = v128.or(v128.or(v128[a], v128[a + b]), v128.or(v128[a + c], v128[a + d]));
      } else {
        x = v128.and(v128.and(v128[a], v128[a + b]), v128.and(v128[a + c], v128[a + d]));
      }
      if (blocked) { x = v128.andnot(x, v128[a + but]); }
      total = i32x4.add(total,
        i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(x))));
      a += 16;
    }
    return i32x4.extract_lane<0>(total) + i32x4.extract_lane<1>(total) +
      i32x4.extract_lane<2>(total) + i32x4.extract_lane<3>(total);
  }

  fn countActive() -> i32 {
    i32 active = i32[${QUERY.active}], t = i32[${QUERY.activeTerms}], blocked = i32[${QUERY.blocked}];
    if (active == 1 && !blocked) { return i32[t + ${SLOT.df}]; }
    if (i32[t + ${SLOT.kind}] != ${DENSE}) { return join(0, 1); }
    i32 a = i32[t + ${SLOT.bitmap}], b = a, c = a, d = a;
    if (active > 1) { b = i32[i32[${QUERY.activeTerms + 4}] + ${SLOT.bitmap}]; }
    if (active > 2) { c = i32[i32[${QUERY.activeTerms + 8}] + ${SLOT.bitmap}]; }
    if (active > 3) { d = i32[i32[${QUERY.activeTerms + 12}] + ${SLOT.bitmap}]; }
    return countBits(a, b, c, d, 0, blocked);
  }

  // documents of a term that are not blocked
  fn countTerm(i32 k) -> i32 {
    i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
    i32 known = i32[t + ${SLOT.living}];
    if (known >= 0) { return known; }
    i32 terms = i32[${QUERY.terms}];
    activate(1 << k);
    // what the other terms exclude does not matter here
    i32[${QUERY.bitmaps}] = 0;
    if (i32[${QUERY.blocked}]) {
      i32[${QUERY.bitmaps}] = 1;
      i32[${QUERY.sieves}] = i32[${QUERY.blocked}];
      i32[${QUERY.sieves + 4}] = 1;
    }
    i32 count = countActive();
    i32[t + ${SLOT.living}] = count;
    return count;
  }

  // sets the bits of the documents in a term's buffer
  fn markBuffer(i32 t, i32 marks) {
    i32 at = i32[t + ${SLOT.buffer}], docs = i32[${SEGMENT.ranges}] << 8;
    i32 end = at + (i32[t + ${SLOT.postings}] << 2);
    while (at < end) {
      i32 d = i32[at];
      if (i32.ge_u(d, docs)) { trap(); }
      i32[marks + ((d >> 5) << 2)] |= 1 << d;
      at += 4;
    }
  }

  fn mark(i32 t, i32 marks) {
    i32 block = 0;
    if (i32[t + ${SLOT.kind}] == ${SHORT}) { markBuffer(t, marks); return; }
    while (block < i32[t + ${SLOT.blocks}]) {
      spend(1);
      if (isOpen(t, block)) {
        decode(t, block);
        markBuffer(t, marks);
      }
      block += 1;
    }
  }

  // documents of any term: lists are marked, bitmaps counted with the marks
  fn countMarked() -> i32 {
    i32 marks = i32[${QUERY.marks}], k = 0, n = 0, lists = 0, a = 0, b = 0, c = 0, d = 0;
    while (k < i32[${QUERY.terms}]) {
      i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
      i32 bitmap = marks;
      if (i32[t + ${SLOT.kind}] == ${DENSE}) { bitmap = i32[t + ${SLOT.bitmap}]; } else { mark(t, marks); lists = 1; }
      if (k == 0) { a = bitmap; b = a; c = a; d = a; }
      if (k == 1) { b = bitmap; }
      if (k == 2) { c = bitmap; }
      if (k == 3) { d = bitmap; }
      k += 1;
    }
    n = countBits(a, b, c, d, 1, i32[${QUERY.blocked}]);
    if (lists) { memory.fill(marks, 0, i32[${SEGMENT.ranges}] << 5); }
    return n;
  }

  // documents in a term's buffer that are in no bitmap of "sieves" and not marked yet; marks them
  fn countNew(i32 t, i32 marks, i32 bitmaps) -> i32 {
    i32 at = i32[t + ${SLOT.buffer}], docs = i32[${SEGMENT.ranges}] << 8, count = 0;
    i32 end = at + (i32[t + ${SLOT.postings}] << 2);
    while (at < end) {
      i32 d = i32[at], k = 0;
      if (i32.ge_u(d, docs)) { trap(); }
      i32 word = (d >> 5) << 2;
      i32 seen = i32[marks + word];
      i32[marks + word] = seen | (1 << d);
      while (k < bitmaps) {
        seen |= i32[i32[(k << 2) + ${QUERY.sieves}] + word];
        k += 1;
      }
      count += (~seen >> d) & 1;
      at += 4;
    }
    return count;
  }

  fn clearMarks(i32 t, i32 marks) {
    i32 at = i32[t + ${SLOT.buffer}];
    i32 end = at + (i32[t + ${SLOT.postings}] << 2);
    while (at < end) {
      i32[marks + ((i32[at] >> 5) << 2)] = 0;
      at += 4;
    }
  }

  // documents of lists and short terms that no dense term has and nothing blocks, one by one
  fn countOutside() -> i32 {
    i32 marks = i32[${QUERY.marks}], terms = i32[${QUERY.terms}], k = 0, bitmaps = 0, count = 0;
    while (k < terms) {
      i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES}, block = 0;
      if (i32[t + ${SLOT.kind}] == ${DENSE}) {
        i32[(bitmaps << 2) + ${QUERY.sieves}] = i32[t + ${SLOT.bitmap}];
        bitmaps += 1;
      }
      k += 1;
    }
    if (i32[${QUERY.blocked}]) {
      i32[(bitmaps << 2) + ${QUERY.sieves}] = i32[${QUERY.blocked}];
      bitmaps += 1;
    }
    i32 clear = 0;
    while (clear < 2) {
      k = 0;
      while (k < terms) {
        t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
        block = 0;
        while (i32[t + ${SLOT.kind}] && block < i32[t + ${SLOT.blocks}]) {
          if (i32[t + ${SLOT.kind}] == ${LIST}) {
            if (!isOpen(t, block)) {
              block += 1;
              continue;
            }
            decode(t, block);
          }
          if (clear) { clearMarks(t, marks); } else { count += countNew(t, marks, bitmaps); }
          block += 1;
        }
        k += 1;
      }
      clear += 1;
    }
    return count;
  }

  // documents of any dense term that nothing blocks
  fn countDense() -> i32 {
    i32 k = 0, n = 0, a = 0, b = 0, c = 0, d = 0, df = 0;
    while (k < i32[${QUERY.terms}]) {
      i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
      if (i32[t + ${SLOT.kind}] == ${DENSE}) {
        i32 bitmap = i32[t + ${SLOT.bitmap}];
        df = i32[t + ${SLOT.df}];
        if (n == 0) { a = bitmap; b = a; c = a; d = a; }
        if (n == 1) { b = bitmap; }
        if (n == 2) { c = bitmap; }
        if (n == 3) { d = bitmap; }
        n += 1;
      }
      k += 1;
    }
    if (n == 0) { return 0; }
    if (n == 1 && !i32[${QUERY.blocked}]) { return df; }
    return countBits(a, b, c, d, 1, i32[${QUERY.blocked}]);
  }

  // "exact": the blocked documents of a term are few, or none
  fn countUnion(i32 exact) -> i32 {
    i32 terms = i32[${QUERY.terms}], joined = i32[${QUERY.joined}];
    if (terms == 1) { return countTerm(0); }
    if (terms > 2 || !exact) {
      i32 k = 0, postings = 0;
      while (k < terms) {
        i32 t = ${QUERY.termSlots} + k * ${SLOT_BYTES};
        if (i32[t + ${SLOT.kind}]) { postings += i32[t + ${SLOT.df}]; }
        k += 1;
      }
      if (postings > ${FEW}) { return countMarked(); }
      return countDense() + countOutside();
    }
    i32 each = countTerm(0) + countTerm(1);
    if (joined >= 0) { return each - joined; }
    activate(3);
    return each - countActive();
  }`;
