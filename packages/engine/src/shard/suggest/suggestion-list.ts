import { compareBytes } from '../../base/bytes/byte-order.ts';

/** A term that may be suggested: its bytes, edits from what was typed, live documents. */
export interface RankedTerm {
  readonly term: Uint8Array;
  readonly distance: number;
  readonly count: number;
}

/** Order of suggestions: by rising distance, falling count, then bytes (code points). */
function compareTerms(a: RankedTerm, b: RankedTerm): number {
  return a.distance - b.distance || b.count - a.count || compareTermBytes(a.term, b.term);
}

/** Order of two terms as unsigned bytes. */
export function compareTermBytes(a: Uint8Array, b: Uint8Array): number {
  return compareBytes(a, 0, a.length, b, 0, b.length);
}

/** The first `limit` terms of those that were offered, in order. */
export class SuggestionList {
  readonly limit: number;
  readonly #terms: RankedTerm[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  get terms(): readonly RankedTerm[] {
    return this.#terms;
  }

  /** The last one, where the list is full: what comes behind it needs no look. */
  get worst(): RankedTerm | null {
    return this.#terms.length < this.limit ? null : this.#terms[this.limit - 1]!;
  }

  /** Takes a term in, where it belongs there and has documents. */
  offer(term: RankedTerm): void {
    const { worst } = this;
    if (term.count === 0 || (worst !== null && compareTerms(term, worst) >= 0)) return;
    let low = 0;
    let high = this.#terms.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareTerms(this.#terms[middle]!, term) < 0) low = middle + 1;
      else high = middle;
    }
    this.#terms.splice(low, 0, term);
    if (this.#terms.length > this.limit) this.#terms.pop();
  }
}
