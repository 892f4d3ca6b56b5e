/** The documents of all terms that a pattern found, as bits. */
import type { Deadline } from '../../base/deadline.ts';
import { blameIndex } from '../../postings/damage.ts';
import { DENSE } from '../../postings/format.ts';
import { bigTermAt } from '../../postings/lowest-docs.ts';
import { addBitmap, markList, markShort } from '../../postings/mark-docs.ts';
import type { PostingsSource } from '../../postings/term-info.ts';
import type { FoundTerms } from './found-terms.ts';

/** Documents that are marked in a step of a deadline. */
const STEP_DOCS = 16;

/**
 * Sets the bits of the documents of all found terms. Bitmaps of dense terms are not read: their
 * byte addresses are returned, for the caller to count or to add.
 */
export function markSparse(
  source: PostingsSource,
  found: FoundTerms,
  bits: Int32Array,
  deadline: Deadline,
): readonly number[] {
  const dense: number[] = [];
  for (let i = 0; i < found.size; i++) {
    const ref = found.refs[i];
    const df = found.dfs[i];
    deadline.spend(1 + df / STEP_DOCS);
    if (ref >= 0) markShort(source.arena, ref, df, bits);
    else {
      const term = bigTermAt(source, df, ref);
      if (term.kind === DENSE) dense.push(term.docBitsAt);
      else markList(source, term, bits);
    }
  }
  return dense;
}

/** Sets the bits of the documents of all found terms. Throws corrupt_index. */
export function markAll(
  source: PostingsSource,
  found: FoundTerms,
  bits: Int32Array,
  deadline: Deadline,
): void {
  blameIndex(() => {
    for (const at of markSparse(source, found, bits, deadline)) addBitmap(source, at, bits);
  });
}
