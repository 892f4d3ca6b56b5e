/* Survivors of a phrase with a list term: their positions, and what of them may be of the best. */

/* Bounds are widened by this against rounding. */
#define ROUND_UP (1 + 1e-9)

/* Takes a score into the best `limit` ones; returns what a score has to reach from now on. */
static f64 keepBest(f64 score, i32 limit, f64 low) {
  i32_at *size = I32(BEST_COUNT_AT);
  f64_at *best = F64(BEST_AT);
  i32 at = *size;
  if (below(at, limit)) {
    *size = at + 1;
  } else {
    at--;
    if (score <= best[at]) return low;
  }
  for (; at > 0 && !(best[at - 1] >= score); at--) best[at] = best[at - 1];
  best[at] = score;
  return below(*size, limit) ? low : max_f64(low, best[limit - 1]);
}

/* A survivor, and the term that is least frequent in it so far. */
typedef struct {
  i32 doc, code, least;
  const Term *lead;
} Survivor;

/* Takes the term as the lead if its frequency is the least; 0: it keeps the score below low. */
INLINE i32 narrow(Survivor *survivor, const Term *term, i32 frequency, f64 weight, f64 low) {
  if (!below(frequency, survivor->least)) return 1;
  survivor->least = frequency;
  survivor->lead = term;
  return !(scoreOf(weight, frequency, survivor->code) < low);
}

/* Locates the terms in survivor number i; 0: its frequencies keep it below low. */
INLINE i32 locateAll(Survivor *survivor, i32 i, i32 lists, i32 n, i32 widthCodes, f64 weight,
                     f64 low) {
  i32 doc = survivor->doc;
  for (Term *term = TERMS; term < &TERMS[lists]; term++) {
    term->tf = frequencyOf(term, I32(term->hits)[i]);
    if (!narrow(survivor, term, term->tf, weight, low)) return 0;
  }
  if (below(1, survivor->least) && low > 0) {
    for (Term *term = &TERMS[lists]; term < &TERMS[n]; term++)
      if (!narrow(survivor, term, frequency(term, doc), weight, low)) return 0;
  }
  for (Term *term = TERMS; term < &TERMS[lists]; term++) {
    i32 j = I32(term->hits)[i];
    term->byte = term->positions + I32(term->places)[shr(j, BLOCK_SHIFT)];
    term->bit = bitOf(term, j, widthCodes);
  }
  for (i32 k = lists; k < n; k++) {
    locate(&TERMS[k], &CURSORS[k], doc, widthCodes);
    if (!narrow(survivor, &TERMS[k], TERMS[k].tf, weight, low)) return 0;
  }
  return 1;
}

/*
 * survivors: of survivors[ordered[from .. to)] (ordered 0: of survivors[from .. to)), those with
 * the phrase of n described terms, not in `blocked` (0: none), whose frequencies let `weight` reach
 * `low`: emits them with their phrase frequencies. With `limit`, `low` rises with the best scores
 * found. With `counting` they are counted instead. Returns where to go on.
 */
EXPORT(survivors)
i32 survivors(i32 from, i32 to, i32 ordered, i32 keys, i32 survivors, i32 codes, i32 widthCodes,
              i32 blocked, i32 lists, i32 n, i32 counting, i32 limit, f64 weight, f64 low) {
  i32 m = 0, counted = 0, most = limit ? MOST_EMITTED : FEW_EMITTED;
  while (below(from, to) && below(m, most)) {
    i32 i = from;
    if (ordered) {
      i = I32(ordered)[from];
      /* Ends where the step of impacts of the survivor, and all behind it, cannot reach low. */
      f64 bound = ROUND_UP / 255.999 * (256 - U8(keys)[i]);
      if (weight * bound < low) {
        from = to;
        break;
      }
    }
    from++;
    i32 doc = I32(survivors)[i];
    if (blocked && hasBit(blocked, doc)) continue;
    Survivor survivor = {doc, U8(codes)[doc], 0x7fffffff, TERMS};
    if (!locateAll(&survivor, i, lists, n, widthCodes, weight, low)) continue;
    i32 found = countIn(n, survivor.lead, doc, widthCodes, counting);
    if (!found) continue;
    if (counting) {
      counted++;
      continue;
    }
    f64 score = scoreOf(weight, found, survivor.code);
    if (score < low) continue;
    I32(DOCS_AT)[m] = doc;
    I32(SCORES_AT)[m] = found;
    m++;
    if (limit && below(found, 32) && survivor.code < LONG) low = keepBest(score, limit, low);
  }
  *I32(EMITTED_AT) = m;
  *I32(COUNTED_AT) = counted;
  return from;
}
