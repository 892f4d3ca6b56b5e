/** Conjunctions of dense terms, by the kernels of ranges.ts. */
import {
  DOCS_AT,
  EMITTED_AT,
  EXCLUDED_AT,
  FIELD,
  QUERY,
  SCORES_AT,
  SEGMENT,
  SLOT,
  TABLE_AT,
  TERM_BYTES,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LONG, ROUNDING, UP } from './constants.ts';

/** A call of the kernels of ranges visits at most so many. */
const CALL_RANGES = 1024;
/** Documents of a later page are gathered up to this number and those of a range before scores. */
const GATHERED = 64;

/** Adds to `out`, from bit i on, the documents at + i … whose length code is not in the set. */
const leaveOut = (i: number): string => `
        code = v128[at + ${i}];
        row = v128.and(code, i8x16.splat(0x8f));
        row = v128.or(i8x16.swizzle(lower, row),
          i8x16.swizzle(upper, v128.xor(row, i8x16.splat(128))));
        code = i8x16.swizzle(bit, v128.and(i16x8.shr_u(code, 4), i8x16.splat(15)));
        out |= i64.extend_i32_u(i8x16.bitmask(i8x16.eq(v128.and(row, code), zero))) << ${i}L;`;

export const dense = `
  fn describe(i32 k, i32 t) {
    i32 at = k * ${TERM_BYTES}, wide = i32[t + ${SLOT.wide}];
    i32 bounds = ${QUERY.termBounds} + (k << 11), code = 0, impacts = i32[${SEGMENT.impacts}];
    f64 weight = f64[t + ${SLOT.weight}];
    i32[at + ${FIELD.bitmap}] = i32[t + ${SLOT.bitmap}];
    i32[at + ${FIELD.base}] = i32[t + ${SLOT.base}];
    i32[at + ${FIELD.offset}] = i32[t + ${SLOT.offset}];
    i32[at + ${FIELD.payload}] = i32[t + ${SLOT.payload}];
    i32[at + ${FIELD.impact}] = i32[t + ${SLOT.impact}];
    i32[at + ${FIELD.width}] = i32[t + ${SLOT.width}];
    i32[at + ${FIELD.group}] = i32[t + ${SLOT.group}];
    i32[at + ${FIELD.bounds}] = bounds;
    i32[at + ${FIELD.offsetShift}] = wide + 1;
    i32[at + ${FIELD.offsetMask}] = select(wide, -1, 0xffff);
    i32[at + ${FIELD.baseMask}] = wide - 1;
    f64[at + ${FIELD.weight}] = weight;
    // a term alone has those that it needs from boundOne
    if (i32[${QUERY.active}] == 1) { return; }
    if (f64[${QUERY.scale}] <= 1.0) {
      v128 factor = f64x2.splat(weight);
      while (code < 2048) {
        v128[bounds + code] = f64x2.mul(factor, v128[impacts + code]);
        v128[bounds + code + 16] = f64x2.mul(factor, v128[impacts + code + 16]);
        code += 32;
      }
      return;
    }
    // as raise
    v128 raised = f64x2.splat(weight * f64[${QUERY.scale}] * ${ROUNDING}), x = raised;
    v128 grown = f64x2.splat(f64[${QUERY.scale}] - 1.0), one = f64x2.splat(1.0);
    while (code < 2048) {
      x = v128[impacts + code];
      v128[bounds + code] = f64x2.div(f64x2.mul(raised, x), f64x2.add(one, f64x2.mul(grown, x)));
      code += 16;
    }
  }

  // the ranges where a term alone can reach a score, with their bounds, which it puts in the table
  fn boundOne(f64 weight, f64 least) -> i32 {
    i32 ranges = i32[${SEGMENT.ranges}], bounds = i32[${QUERY.bounds}], into = i32[${QUERY.ranges}];
    i32 impact = i32[${FIELD.impact}], table = i32[${FIELD.bounds}], r = 0, m = 0;
    i32 low = firstCode(weight, 0.0, least), impacts = i32[${SEGMENT.impacts}];
    if (low == 256) { return 0; }
    v128 wanted = i8x16.splat(low);
    while (r < ranges) {
      i32 set = i8x16.bitmask(i8x16.ge_u(v128[impact + r], wanted));
      if (ranges - r < 16) { set &= (1 << (ranges - r)) - 1; }
      while (set) {
        i32 range = r + i32.ctz(set);
        i32 code = u8[impact + range] << 3;
        f64 best = f64[impacts + code], bound = weight * raise(best);
        f64[table + code] = bound;
        if (f64[${QUERY.scale}] > 1.0) {
          i32 largest = 1 << u8[i32[${FIELD.width}] + range];
          bound = weight * raiseFrequency(best, f64.convert_i32_s(largest));
        }
        i32[into + (m << 2)] = range;
        f64[bounds + (range << 3)] = bound;
        m += bound >= least;
        set &= set - 1;
      }
      r += 16;
    }
    return m;
  }

  // those of n ranges that have a document which is not blocked
  fn dropBlocked(i32 from, i32 n) -> i32 {
    i32 blocked = i32[${QUERY.blocked}], i = 0, m = 0;
    if (!blocked) { return n; }
    v128 all = i8x16.splat(-1), x = all;
    while (i < n) {
      i32 range = i32[from + (i << 2)], at = blocked + (range << 5);
      i32[from + (m << 2)] = range;
      x = v128.and(v128[at], v128[at + 16]);
      m += i8x16.bitmask(i8x16.eq(x, all)) != 0xffff;
      i += 1;
    }
    return m;
  }

  // counting sort of n ranges by bound, high ones first
  fn sortRanges(i32 n, f64 low, f64 high) {
    i32 from = i32[${QUERY.ranges}], into = i32[${QUERY.sorted}], bounds = i32[${QUERY.bounds}];
    i32 i = 0, range = 0, key = 0, at = ${QUERY.buckets};
    f64 scale = 0.0;
    if (high > low) { scale = 255.0 / (high - low); }
    memory.fill(at, 0, 1032);
    while (i < n) {
      range = i32[from + (i << 2)];
      key = 255 - i32.trunc_sat_f64_u(f64.min(255.0, (f64[bounds + (range << 3)] - low) * scale));
      i32[(key << 2) + ${QUERY.buckets + 4}] += 1;
      i += 1;
    }
    i = 1;
    while (i < 257) {
      i32[(i << 2) + ${QUERY.buckets}] += i32[(i << 2) + ${QUERY.buckets - 4}];
      i += 1;
    }
    i = 0;
    while (i < n) {
      range = i32[from + (i << 2)];
      key = 255 - i32.trunc_sat_f64_u(f64.min(255.0, (f64[bounds + (range << 3)] - low) * scale));
      at = i32[(key << 2) + ${QUERY.buckets}];
      i32[into + (at << 2)] = range;
      i32[(key << 2) + ${QUERY.buckets}] = at + 1;
      i += 1;
    }
  }

  fn takeEmitted() {
    i32 i = 0, emitted = i32[${EMITTED_AT}], k = 0;
    while (i < emitted) {
      i32 d = i32[(i << 2) + ${DOCS_AT}];
      f64 score = f64[(i << 3) + ${SCORES_AT}];
      if (d < 0 || i32[${QUERY.reordered}]) {
        if (d < 0) { d = ~d; }
        i32 code = u8[i32[${SEGMENT.codes}] + d];
        k = 0;
        while (k < i32[${QUERY.active}]) {
          i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
          f64[(i32[t + ${SLOT.order}] << 3) + ${QUERY.shares}] =
            share(f64[t + ${SLOT.weight}], denseFrequency(t, d), code, d);
          k += 1;
        }
        score = addShares();
      }
      if (score >= f64[${QUERY.theta}]) { offer(d, score); }
      i += 1;
    }
  }

  // Sets of length codes with which a term scores theta or more, but no more than the page before
  // it, in ranges with frequencies of up to 0, 1, … 5 bits. A set: for each low half of a code 16
  // bits, by its high half.
  fn allowCodes(f64 weight, f64 theta) {
    f64 most = f64[${QUERY.most}];
    i32 code = 0, tf = 1, width = 0, at = 0;
    memory.fill(${QUERY.allowed}, 0, 192);
    while (code < 256) {
      if (code == ${LONG}) {
        tf = 1;
        most = weight;
      }
      while (tf < 32 && weight * f64[(tf << 11) + (code << 3) + ${TABLE_AT}] < theta) { tf += 1; }
      if (tf == 32 || weight * f64[(tf << 11) + (code << 3) + ${TABLE_AT}] <= most) {
        width = 32 - i32.clz(tf - 1);
        at = (width << 5) + ((code >> 7) << 4) + (code & 15) + ${QUERY.allowed};
        while (width < 6) {
          u8[at] = u8[at] | (1 << ((code >> 4) & 7));
          at += 32;
          width += 1;
        }
      }
      code += 1;
    }
  }

  // documents of range r whose length allowCodes allows, at m and up; returns the end of them
  fn gatherRange(i32 t, i32 r, i32 excluded, i32 m) -> i32 {
    i32 width = u8[i32[t + ${SLOT.width}] + r], word = r << 5, j = 0;
    i32 end = word + 32, bitmap = i32[t + ${SLOT.bitmap}], at = i32[${SEGMENT.codes}] + (r << 8);
    i32 allowed = (select(width < 5, width, 5) << 5) + ${QUERY.allowed};
    v128 lower = v128[allowed], upper = v128[allowed + 16], code = lower, row = lower;
    v128 zero = i8x16.splat(0), bit = i64x2.splat(9241421688590303745L);
    while (word < end) {
      i64 bits = i64[bitmap + word];
      j = 0;
      while (j < excluded) {
        bits &= i64[i32[(j << 2) + ${EXCLUDED_AT}] + word] ^ -1L;
        j += 1;
      }
      if (bits != 0L) {
        i64 out = 0L;
        ${[0, 16, 32, 48].map(leaveOut).join('')}
        bits &= out ^ -1L;
      }
      while (bits != 0L) {
        i32[(m << 2) + ${DOCS_AT}] = (word << 3) + i32.wrap_i64(i64.ctz(bits));
        m += 1;
        bits &= bits - 1L;
      }
      at += 64;
      word += 8;
    }
    return m;
  }

  // Of m gathered documents those that a page of equal scores can have: their ranks are behind the
  // page before and below that of the last kept document. Most are left out by one read each.
  fn keepRanks(i32 m) -> i32 {
    i32 ranks = i32[${QUERY.ranks}], j = 0, n = 0, last = i32[${QUERY.size}] - 1;
    i32 from = i32[${QUERY.notBehind}], to = 0x7fffffff;
    if (last + 1 == i32[${QUERY.limit}]) {
      if (i32[(last << 2) + ${QUERY.topDocs}] >= 0) { to = i32[(last << 2) + ${QUERY.topRanks}]; }
    }
    while (j < m) {
      i32 d = i32[(j << 2) + ${DOCS_AT}], rank = d;
      if (ranks) { rank = i32[ranks + (d << 2)]; }
      i32[(n << 2) + ${DOCS_AT}] = d;
      n += (rank > from) & (rank < to);
      j += 1;
    }
    return n;
  }

  // scores m gathered documents of a term; those of a page are offered
  fn scoreGathered(i32 t, i32 m, f64 theta) {
    i32 codes = i32[${SEGMENT.codes}], j = 0;
    f64 weight = f64[t + ${SLOT.weight}];
    if (theta == f64[${QUERY.most}]) { m = keepRanks(m); }
    while (j < m) {
      i32 d = i32[(j << 2) + ${DOCS_AT}];
      f64 score = share(weight, denseFrequency(t, d), u8[codes + d], d);
      if (score >= f64[${QUERY.theta}]) { offer(d, score); }
      j += 1;
    }
  }

  // Documents of order[0 .. n) of one term, on a page that begins behind a document: few documents
  // have a length and a frequency with which they score between theta and that document's score.
  fn rangesBehind(i32 n, i32 order, i32 bounds, i32 excluded) {
    i32 t = i32[${QUERY.activeTerms}], i = 0, m = 0, spent = 0;
    f64 weight = f64[t + ${SLOT.weight}], theta = -1.0, now = 0.0;
    while (i < n) {
      now = threshold();
      if (now != theta) {
        theta = now;
        allowCodes(weight, theta);
      }
      m = 0;
      spent = i;
      while (i < n && m < ${GATHERED}) {
        i32 r = i32[order + (i << 2)];
        if (f64[bounds + (r << 3)] >= theta) { m = gatherRange(t, r, excluded, m); }
        i += 1;
      }
      spend(i - spent);
      scoreGathered(t, m, theta);
    }
  }

  // top documents of the active terms, which are all dense
  fn searchDense() {
    i32 active = i32[${QUERY.active}], k = 0, n = 0, i = 0, excluded = 0;
    i32 ranges = i32[${SEGMENT.ranges}], bounds = i32[${QUERY.bounds}], order = i32[${QUERY.ranges}];
    f64 highest = 0.0, theta = f64[${QUERY.theta}], most = f64[${QUERY.ceiling}];
    i32 first = i32[${QUERY.firstCode}];
    while (k < active) {
      i32 t = i32[(k << 2) + ${QUERY.activeTerms}];
      describe(k, t);
      highest += f64[t + ${SLOT.max}];
      k += 1;
    }
    k = 0;
    while (k < i32[${QUERY.bitmaps}]) {
      if (i32[(k << 3) + ${QUERY.sieves + 4}]) {
        i32[(excluded << 2) + ${EXCLUDED_AT}] = i32[(k << 3) + ${QUERY.sieves}];
        excluded += 1;
      }
      k += 1;
    }
    if (active == 1) {
      n = dropBlocked(order, boundOne(f64[i32[${QUERY.activeTerms}] + ${SLOT.weight}], threshold()));
    } else {
      if (active == 2) {
        n = bounds2(ranges, bounds, order, ${UP}, theta);
      } else if (active == 3) {
        n = bounds3(ranges, bounds, order, ${UP}, theta);
      } else {
        n = bounds4(ranges, bounds, order, ${UP}, theta);
      }
      n = dropBlocked(order, n);
      sortRanges(n, theta, highest * ${UP});
      order = i32[${QUERY.sorted}];
    }
    if (active == 1 && i32[${QUERY.after}]) {
      rangesBehind(n, order, bounds, excluded);
      return;
    }
    while (i < n) {
      i32 from = i, to = i + ${CALL_RANGES};
      to = select(to < n, to, n);
      theta = threshold();
      if (i32[${QUERY.reordered}]) { theta = theta / ${UP}; }
      f64 low = f64[${QUERY.theta}] / ${UP};
      i32 codes = i32[${SEGMENT.codes}];
      if (active == 1) {
        i = ranges1(i, to, order, bounds, codes, excluded, first, theta, low, most);
      } else if (active == 2) {
        i = ranges2(i, to, order, bounds, codes, excluded, first, theta, low, most);
      } else if (active == 3) {
        i = ranges3(i, to, order, bounds, codes, excluded, first, theta, low, most);
      } else {
        i = ranges4(i, to, order, bounds, codes, excluded, first, theta, low, most);
      }
      spend(i - from);
      takeEmitted();
    }
  }`;
