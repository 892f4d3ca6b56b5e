/* Conjunctions of dense terms, range by range: kernels for one to four terms, and for any number. */

/* A bit for each of 64 length codes from `codes` on that is in [first, first + count). */
INLINE i64 codesWithin(const v128_at *codes, i32 first, i32 count) {
  i64 bits = 0;
  EACH (v, 4) {
    v128 code = wasm_i8x16_sub(codes[v], wasm_i8x16_splat(first));
    u32 within = wasm_i8x16_bitmask(wasm_u8x16_lt(code, wasm_i8x16_splat(count)));
    bits |= (u64)within << (v * 16);
  }
  return bits;
}

/* The first length code from `first` on with which the bounds stay below `low`. */
INLINE i32 firstBelow(const Dense *dense, const i32 n, i32 first, f64 low) {
  i32 from = first, to = 256;
  do {
    i32 middle = shr(from + to, 1);
    if (boundsAt(dense, 0, n, middle) < low)
      to = middle;
    else
      from = middle + 1;
  } while (below(from, to));
  return from;
}

/*
 * Of the first `ranges` ranges those where all of n dense terms are and can score at least theta
 * together, to `into`; their bounds, times `up`, to `bound`. Returns how many.
 */
INLINE i32 boundRanges(const i32 n, i32 ranges, i32 bound, i32 into, f64 up, f64 theta) {
  i32 impacts[4], bounds[4], m = 0;
  EACH (k, n) impacts[k] = TERMS[k].impact, bounds[k] = TERMS[k].bounds;
  for (i32 r = 0; below(r, ranges); r++) {
    i32 codes[4];
    f64 sum;
    EACH (k, n) {
      codes[k] = U8(impacts[k])[r];
      if (!codes[k]) goto next;
    }
    sum = F64(bounds[0])[codes[0]];
    EACH (k, n)
      if (k > 0) sum += F64(bounds[k])[codes[k]];
    sum *= up;
    if (sum < theta) continue;
    F64(bound)[r] = sum;
    I32(into)[m++] = r;
  next:;
  }
  return m;
}

/* The same of any number of terms. */
EXPORT(boundsAny) i32 boundsAny(i32 n, i32 ranges, i32 bound, i32 into, f64 up, f64 theta) {
  i32 m = 0;
  for (i32 r = 0; below(r, ranges); r++) {
    f64 sum = 0;
    for (const Term *term = TERMS; term < &TERMS[n]; term++) {
      i32 code = U8(term->impact)[r];
      if (!code) goto next;
      sum += F64(term->bounds)[code];
    }
    sum *= up;
    if (sum < theta) continue;
    F64(bound)[r] = sum;
    I32(into)[m++] = r;
  next:;
  }
  return m;
}

/* What a call of `ranges` is about. */
typedef struct {
  i32 sorted, bound, codes, excluded, first;
  f64 theta, low, most;
} RangeScan;

/* Emits documents of range r that reach theta; returns how many are emitted then. */
INLINE i32 scoreRange(const i32 n, const RangeScan *scan, Dense *dense, i32 r, i32 m) {
  i64 found[4];
  i32 bounding = 1;
  candidatesOf(n, r, scan->excluded, found);
  if (!(found[0] | found[1] | found[2] | found[3])) return m;
  EACH (k, n) openRange(&dense[k], &TERMS[k], r);
  i32 count =
      popcount64(found[0]) + popcount64(found[1]) + popcount64(found[2]) + popcount64(found[3]);
  if (count > 8) {
    i32 end = firstBelow(dense, n, scan->first, scan->low);
    if (!below(scan->first, end)) return m;
    if (below(end - scan->first, 256)) {
      const v128_at *codes = V128(scan->codes + (r << RANGE_SHIFT));
      EACH (q, 4) found[q] &= codesWithin(codes + 4 * q, scan->first, end - scan->first);
    }
    bounding = 0;
  }
  EACH (k, n) {
    dense[k].boundary = boundaryOf(&TERMS[k], r);
    dense[k].bitmap = TERMS[k].bitmap + (r << 5);
    dense[k].rank = 0;
  }
  EACH (q, 4) {
    for (i64 left = found[q]; left; left &= left - 1) {
      i32 place = ctz64(left), doc = (r << RANGE_SHIFT) + q * 64 + place;
      i32 code = U8(scan->codes)[doc], bounded = 0;
      f64 score = 0;
      if (bounding && (below(code, scan->first) || boundsAt(dense, 0, n, code) < scan->low))
        continue;
      EACH (k, n) {
        i64 before = I64(dense[k].bitmap)[q] & (shl64(1, place) - 1);
        i32 row = rowAt(&dense[k], dense[k].rank + popcount64(before), &bounded);
        f64 share = dense[k].weight * impactAt(row, code);
        score = k ? score + share : share;
      }
      if (!bounded && score > scan->most && below(code, LONG)) continue;
      m = emit(m, doc, code, bounded, score, scan->theta);
    }
    if (q < 3)
      EACH (k, n) dense[k].rank += popcount64(I64(dense[k].bitmap)[q]);
  }
  return m;
}

/*
 * Documents of sorted[from .. to) in all of n dense terms and no excluded bitmap that reach theta;
 * `bound` by range, `low` is theta less rounding. Documents of a length code below `first`, and
 * those that score above `most`, are left out. Stops after a range that emitted; returns where to
 * go on.
 */
INLINE i32 scanRanges(const i32 n, Dense *dense, i32 from, i32 to, const RangeScan *scan) {
  i32 m = 0;
  EACH (k, n) dense[k].weight = TERMS[k].weight;
  while (below(from, to) && !m) {
    i32 r = I32(scan->sorted)[from++];
    if (!(F64(scan->bound)[r] < scan->theta)) m = scoreRange(n, scan, dense, r, m);
  }
  *I32(EMITTED_AT) = m;
  return from;
}

#define RANGES(n)                                                                            \
  EXPORT(bounds##n) i32 bounds##n(i32 ranges, i32 bound, i32 into, f64 up, f64 theta) {      \
    return boundRanges(n, ranges, bound, into, up, theta);                                   \
  }                                                                                          \
  EXPORT(ranges##n)                                                                          \
  i32 ranges##n(i32 from, i32 to, i32 sorted, i32 bound, i32 codes, i32 excluded, i32 first, \
                f64 theta, f64 low, f64 most) {                                              \
    const RangeScan scan = {sorted, bound, codes, excluded, first, theta, low, most};        \
    Dense dense[4];                                                                          \
    return scanRanges(n, dense, from, to, &scan);                                            \
  }
RANGES(1)
RANGES(2)
RANGES(3)
RANGES(4)

EXPORT(rangesAny)
i32 rangesAny(i32 n, i32 from, i32 to, i32 sorted, i32 bound, i32 codes, i32 excluded, i32 first,
              f64 theta, f64 low, f64 most) {
  const RangeScan scan = {sorted, bound, codes, excluded, first, theta, low, most};
  return scanRanges(n, ANY_DENSE, from, to, &scan);
}
