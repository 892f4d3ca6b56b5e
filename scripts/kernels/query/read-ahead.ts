/**
 * Lines of memory that a query will need of each term and segment, read before any of them is used:
 * they come from memory at once, not one after the other.
 */
import {
  ENTRY,
  ENTRY_BYTES,
  QUERY,
  SEGMENT,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { DENSE } from './constants.ts';

export const readAhead = `
  // lines of what a record leads to: the best documents of a "single" term, else tables of a list
  fn readTerm(i32 ref, i32 single) -> i32 {
    if (single) {
      i32 best = bestDocsOf(ref);
      if (best) { return i32[best - 8] + i32[best - 72] + i32[best - 136]; }
    }
    i32 record = i32[${SEGMENT.records}] + (-1 - ref) * 40, four = i32[record + 20] << 2;
    i32 big = i32[${SEGMENT.big}], start = big + (i32[record + 4] << 2);
    if (i32[record + 8] == ${DENSE}) { return 0; }
    return i32[start] + i32[start + four] + i32[start + (four << 1)] + i32[big + i32[record + 12]];
  }

  // reads ahead for the segments [first, last) of those looked up; "top": the best documents are
  // wanted
  export fn readAhead(i32 first, i32 last, i32 asked, i32 top) {
    i32 ahead = 0, s = first;
    if (asked * (last - first) == 1) { return; }
    while (s < last) {
      i32 entry = ${QUERY.segments} + s * ${ENTRY_BYTES}, k = 0;
      i32 records = i32[entry + ${SEGMENT.records - SEGMENT.index}];
      while (k < asked) {
        i32 ref = i32[entry + (k << 3) + ${ENTRY.found + 4}];
        if (i32[entry + (k << 3) + ${ENTRY.found}]) {
          ahead += i32[select(ref < 0, records + (-1 - ref) * 40, ref)];
        }
        k += 1;
      }
      s += 1;
    }
    s = first;
    while (s < last) {
      entry = ${QUERY.segments} + s * ${ENTRY_BYTES};
      k = 0;
      enter(entry);
      while (k < asked) {
        ref = i32[entry + (k << 3) + ${ENTRY.found + 4}];
        if (i32[entry + (k << 3) + ${ENTRY.found}] && ref < 0) {
          ahead += readTerm(ref, top && asked == 1);
        }
        k += 1;
      }
      s += 1;
    }
    i32[${QUERY.ahead}] = ahead;
  }`;
