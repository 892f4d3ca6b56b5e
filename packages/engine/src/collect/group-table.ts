/** The groups of one segment by number: first document, its score, number of documents. */
export class GroupTable {
  /** Of groups whose count is not 0. */
  readonly docs: Int32Array;
  readonly counts: Int32Array;
  /** Null where all documents have one score, or none is needed. */
  readonly scores: Float64Array | null;

  /** Room for groups 0 .. size - 1. */
  constructor(size: number, scored: boolean) {
    this.docs = new Int32Array(size);
    this.counts = new Int32Array(size);
    this.scores = scored ? new Float64Array(size) : null;
  }
}
