/**
 * bestDocs(df, docs, freqs, codes, notes, dense, out): writes the best documents of a term at
 * `out`, a multiple of 4 (packages/engine/src/postings/best-docs.ts); returns their end. BEST has
 * the best impacts, `notes` the impact of each block or range: only those with a document among
 * the best are weighed again.
 */
import {
  APART,
  BEST_DOC_BYTES,
  BEST as BEST_IMPACTS,
  FLOAT_UP,
  LIST_BLOCK,
  MOST_BEST_DOCS,
  MOST_FREQUENCY,
} from '../../packages/engine/src/postings/format.ts';
import { POSTINGS_MEMORY } from '../../packages/engine/src/postings/kernel-layout.ts';

const { BEST, BEST_DOCS, IMPACTS } = POSTINGS_MEMORY;
const SIXTEENTH = BEST + 8 * (BEST_IMPACTS - 1);
const LAST = BEST_DOCS + 8 * (MOST_BEST_DOCS - 1);

/** The function `bestDocs`; it calls `weighAll` of encode.ts. */
export const bestDocs = `
  // takes a document as one of n; returns how many there are then
  fn keepBest(i32 out, i32 n, i32 doc, i32 word, f64 value) -> i32 {
    i32 at = n;
    if (n == ${MOST_BEST_DOCS}) {
      if (value <= f64[${LAST}]) { return n; }
      at = n - 1;
    } else {
      n += 1;
    }
    while (at > 0) {
      if (f64[(at << 3) + ${BEST_DOCS - 8}] >= value) { break; }
      f64[(at << 3) + ${BEST_DOCS}] = f64[(at << 3) + ${BEST_DOCS - 8}];
      i64[out + (at << 3)] = i64[out + (at << 3) - 8];
      at -= 1;
    }
    f64[(at << 3) + ${BEST_DOCS}] = value;
    i32[out + (at << 3)] = doc;
    i32[out + (at << 3) + 4] = word;
    return n;
  }

  // behind n documents of "found"
  fn endBest(i32 out, i32 n, i32 found, f64 below, i32 fits) -> i32 {
    f64 last = f64[${SIXTEENTH}], next = below;
    i32 tied = 0;
    if (found > n) {
      next = last;
      tied = below * ${APART} < last;
    }
    if (!fits) {
      n = 0;
      tied = 0;
      next = 1.0;
    }
    out += n * ${BEST_DOC_BYTES};
    i32[out] = i32.reinterpret_f32(f32.demote_f64(next * ${FLOAT_UP}));
    i32[out + 4] = n | (tied << 16);
    return out + 8;
  }

  export fn bestDocs(
    i32 df, i32 docs, i32 freqs, i32 codes, i32 notes, i32 dense, i32 out
  ) -> i32 {
    i32 at = docs, end = docs + (df << 2), shift = freqs - docs, to, limit, note = notes;
    i32 n = 0, found = 0, fits = 1, doc, tf, value;
    f64 last = f64[${SIXTEENTH}], below = 0.0, impact;
    while (at < end) {
      to = at + ${4 * LIST_BLOCK};
      if (dense) {
        note = notes + ((i32[at] >> 8) << 3);
        limit = i32[at] | 255;
        to = at;
        while (to < end) {
          if (i32[to] > limit) { break; }
          to += 4;
        }
      }
      to = select(to < end, to, end);
      if (f64[note] < last) {
        below = f64.max(below, f64[note]);
        at = to;
      } else {
        weighAll(at, at + shift, to, codes);
        value = ${IMPACTS};
        while (at < to) {
          impact = f64[value];
          if (impact < last) {
            below = f64.max(below, impact);
          } else {
            doc = i32[at];
            tf = i32[at + shift];
            fits = fits & (tf <= ${MOST_FREQUENCY});
            n = keepBest(out, n, doc, u8[codes + doc] | (tf << 8), impact);
            found += 1;
          }
          value += 8;
          at += 4;
        }
      }
      note += 8;
    }
    return endBest(out, n, found, below, fits);
  }`;
