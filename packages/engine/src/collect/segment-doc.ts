import type { SegmentKeys } from '../segment/keys.ts';
import type { RankedDoc, SortValue } from './order.ts';

/**
 * A document of an open segment. Its key is read from the segment when it is first needed: of the
 * many documents that are found for later pages few keys are compared.
 */
export class SegmentDoc implements RankedDoc {
  readonly segment: number;
  readonly doc: number;
  readonly score: number;
  readonly values: readonly SortValue[];
  readonly #keys: SegmentKeys;
  #key: Uint8Array | null = null;

  constructor(keys: SegmentKeys, { segment, doc, score, values }: Omit<RankedDoc, 'key'>) {
    this.segment = segment;
    this.doc = doc;
    this.score = score;
    this.values = values;
    this.#keys = keys;
  }

  get key(): Uint8Array {
    this.#key ??= this.#keys.key(this.doc);
    return this.#key;
  }

  /** The same document with another score. */
  withScore(score: number): SegmentDoc {
    const { segment, doc, values } = this;
    return new SegmentDoc(this.#keys, { segment, doc, score, values });
  }
}
