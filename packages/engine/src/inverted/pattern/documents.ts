/** The documents of all terms that a pattern found, as bits. */
import type { Deadline } from '../../base/time/deadline.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import { NO_MORE_DOCS } from '../../postings/cursors.ts';
import { blameIndex } from '../../postings/damage.ts';
import { DENSE, LIST_BLOCK } from '../../postings/format.ts';
import { bigTermAt } from '../../postings/lowest-docs.ts';
import { addBitmap, markList, markShort } from '../../postings/mark-docs.ts';
import type { PostingsSource } from '../../postings/term-info.ts';
import { collectDemands } from '../../storage/cold-file.ts';
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
  if (source.cold) collectDemands(() => demandBig(source, found));
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

/** Of a cold file: demands the long postings of terms. */
export function demandBig(source: PostingsSource, { size, refs, dfs }: FoundTerms): void {
  for (let i = 0; i < size; i++) if (refs[i] < 0) bigTermAt(source, dfs[i], refs[i]);
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

/** The lowest `limit` of the documents that were offered, each once, without the blocked ones. */
export class LowestDocs {
  readonly #limit: number;
  readonly #blocked: Int32Array | null;
  readonly #docs: Int32Array;
  /** Room for the documents of a short term. */
  readonly block = new Int32Array(LIST_BLOCK);
  #size = 0;
  /** Documents from here on are not accepted any more. */
  end: number;

  constructor(limit: number, blocked: Int32Array | null) {
    this.#limit = limit;
    this.#blocked = blocked;
    this.#docs = new Int32Array(limit);
    this.end = limit === 0 ? 0 : NO_MORE_DOCS;
  }

  /** The lowest documents, rising. */
  get docs(): Int32Array {
    return this.#docs.subarray(0, this.#size);
  }

  /** Takes a document below `end`. */
  offer(doc: number): void {
    const docs = this.#docs;
    let at = this.#size;
    while (at > 0 && docs[at - 1] > doc) at--;
    if (at > 0 && docs[at - 1] === doc) return;
    if (this.#blocked !== null && hasBit(this.#blocked, doc)) return;
    if (this.#size < this.#limit) this.#size++;
    for (let i = this.#size - 1; i > at; i--) docs[i] = docs[i - 1];
    docs[at] = doc;
    if (this.#size === this.#limit) this.end = docs[this.#limit - 1];
  }
}
