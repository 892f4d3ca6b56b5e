/**
 * Recursive graph bisection (Dhulipala et al. 2016): an order of documents that puts those with
 * common terms beside each other. Halves of a range exchange documents while the estimated bits of
 * their postings' gaps get fewer.
 */
import type { InvertedReader } from '../packages/engine/src/inverted/inverted-reader.ts';
import { TermBlocks } from '../packages/engine/src/postings/term-blocks.ts';

/** Ranges of so few documents are left as they are. */
const LEAF = 32;

/** Terms by document: those of document d are terms[starts[d] .. starts[d + 1]). */
interface ForwardIndex {
  readonly starts: Int32Array;
  readonly terms: Int32Array;
  readonly termCount: number;
}

/** Terms of at least `leastDocs` documents by document. */
export function forwardIndex(reader: InvertedReader, leastDocs: number): ForwardIndex {
  const starts = new Int32Array(reader.docs + 1);
  eachPosting(reader, leastDocs, (doc) => starts[doc + 1]++);
  for (let doc = 0; doc < reader.docs; doc++) starts[doc + 1] += starts[doc];
  const next = starts.slice();
  const terms = new Int32Array(starts[reader.docs]);
  const termCount = eachPosting(reader, leastDocs, (doc, term) => {
    terms[next[doc]++] = term;
  });
  return { starts, terms, termCount };
}

function eachPosting(
  reader: InvertedReader,
  leastDocs: number,
  visit: (doc: number, term: number) => void,
): number {
  const blocks = new TermBlocks(reader);
  let term = 0;
  for (const terms = reader.terms(); terms.next(); ) {
    const info = terms.info();
    if (info.df < leastDocs) continue;
    blocks.open(info);
    while (blocks.next()) {
      for (let i = blocks.from; i < blocks.to; i++) visit(blocks.docs[i], term);
    }
    term++;
  }
  return term;
}

/** Reorders `order` (documents) in place, with at most `rounds` exchanges a range. */
export function bisect(index: ForwardIndex, order: Int32Array, rounds: number): void {
  new Bisection(index, order, rounds).run(0, order.length);
}

class Bisection {
  readonly #index: ForwardIndex;
  readonly #order: Int32Array;
  readonly #rounds: number;
  readonly #logs: Float32Array;
  /** Documents of the halves that hold each term. */
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  /** Bits saved by moving one document with the term to the other half, for this round. */
  readonly #toRight: Float32Array;
  readonly #toLeft: Float32Array;
  readonly #known: Int32Array;
  readonly #gains: Float32Array;
  #round = 0;

  constructor(index: ForwardIndex, order: Int32Array, rounds: number) {
    this.#index = index;
    this.#order = order;
    this.#rounds = rounds;
    this.#logs = Float32Array.from({ length: order.length + 3 }, (_, i) => Math.log2(i || 1));
    this.#left = new Int32Array(index.termCount);
    this.#right = new Int32Array(index.termCount);
    this.#toRight = new Float32Array(index.termCount);
    this.#toLeft = new Float32Array(index.termCount);
    this.#known = new Int32Array(index.termCount);
    this.#gains = new Float32Array(order.length);
  }

  run(from: number, to: number): void {
    if (to - from <= LEAF) return;
    const middle = (from + to) >> 1;
    this.#count(this.#left, from, middle, 1);
    this.#count(this.#right, middle, to, 1);
    for (let round = 0; round < this.#rounds; round++) {
      if (!this.#exchange(from, middle, to)) break;
    }
    this.#clear(from, to);
    this.run(from, middle);
    this.run(middle, to);
  }

  #count(degrees: Int32Array, from: number, to: number, by: number): void {
    const { starts, terms } = this.#index;
    for (let i = from; i < to; i++) {
      const doc = this.#order[i];
      for (let j = starts[doc], end = starts[doc + 1]; j < end; j++) degrees[terms[j]] += by;
    }
  }

  #clear(from: number, to: number): void {
    const { starts, terms } = this.#index;
    for (let i = from; i < to; i++) {
      const doc = this.#order[i];
      for (let j = starts[doc], end = starts[doc + 1]; j < end; j++) {
        this.#left[terms[j]] = 0;
        this.#right[terms[j]] = 0;
      }
    }
  }

  #exchange(from: number, middle: number, to: number): boolean {
    this.#round++;
    const lefts = this.#sorted(from, middle, this.#toRight, middle - from, to - middle);
    const rights = this.#sorted(middle, to, this.#toLeft, middle - from, to - middle);
    const order = this.#order;
    const moved: number[] = [];
    const most = Math.min(lefts.length, rights.length);
    const docs = order.slice(from, to);
    const gains = this.#gains;
    for (let i = 0; i < most; i++) {
      const [a, b] = [lefts[i], rights[i]];
      if (gains[a] + gains[b] <= 0) break;
      order[a] = docs[b - from];
      order[b] = docs[a - from];
      moved.push(a, b);
    }
    for (let i = 0; i < moved.length; i += 2) {
      this.#move(order[moved[i]], 1, -1);
      this.#move(order[moved[i + 1]], -1, 1);
    }
    return moved.length > 0;
  }

  #move(doc: number, left: number, right: number): void {
    const { starts, terms } = this.#index;
    for (let j = starts[doc], end = starts[doc + 1]; j < end; j++) {
      this.#left[terms[j]] += left;
      this.#right[terms[j]] += right;
    }
  }

  /** Places [from, to) by falling gain. */
  #sorted(from: number, to: number, own: Float32Array, nl: number, nr: number): Int32Array {
    const { starts, terms } = this.#index;
    const known = this.#known;
    const round = this.#round;
    const keys = new Float64Array(to - from);
    for (let i = from; i < to; i++) {
      const doc = this.#order[i];
      let gain = 0;
      for (let j = starts[doc], end = starts[doc + 1]; j < end; j++) {
        const term = terms[j];
        if (known[term] !== round) this.#weigh(term, nl, nr);
        gain += own[term];
      }
      this.#gains[i] = gain;
      // Rising keys: the highest gain first, then the place.
      keys[i - from] = -Math.round(gain * 64) * 2 ** 23 + (i - from);
    }
    keys.sort();
    const places = new Int32Array(keys.length);
    for (let i = 0; i < keys.length; i++) {
      const place = keys[i] % 2 ** 23;
      places[i] = from + (place < 0 ? place + 2 ** 23 : place);
    }
    return places;
  }

  #weigh(term: number, nl: number, nr: number): void {
    this.#known[term] = this.#round;
    const left = this.#left[term];
    const right = this.#right[term];
    const logs = this.#logs;
    const [ll, lr] = [logs[nl], logs[nr]];
    const now = left * (ll - logs[left + 1]) + right * (lr - logs[right + 1]);
    if (left > 0) {
      const then = (left - 1) * (ll - logs[left]) + (right + 1) * (lr - logs[right + 2]);
      this.#toRight[term] = now - then;
    }
    if (right > 0) {
      const then = (left + 1) * (ll - logs[left + 2]) + (right - 1) * (lr - logs[right]);
      this.#toLeft[term] = now - then;
    }
  }
}
