import { hasBit } from '../../bitmap/bitmap.ts';
import { NO_MORE_DOCS } from '../../postings/cursors.ts';
import { LIST_BLOCK } from '../../postings/format.ts';

/** The lowest `limit` of the documents that were offered, each once, without the blocked ones. */
export class LowestDocs {
  readonly #limit: number;
  readonly #blocked: Int32Array | null;
  readonly #docs: Int32Array;
  /** Room for the documents of a short term. */
  readonly block = new Int32Array(LIST_BLOCK);
  #size = 0;
  /** Documents from here on are not taken any more. */
  end: number;

  constructor(limit: number, blocked: Int32Array | null) {
    this.#limit = limit;
    this.#blocked = blocked;
    this.#docs = new Int32Array(limit);
    this.end = limit === 0 ? 0 : NO_MORE_DOCS;
  }

  /** What is kept, rising. */
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
