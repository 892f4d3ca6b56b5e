import { IntSink } from '../base/arrays/growing.ts';
import { orderedFromDouble } from '../base/arrays/ordered-double.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { NumericColumn } from './numeric-column.ts';
import { encodeNumeric } from './numeric-encode.ts';
import { appendMappedCounts, appendStarts } from './starts.ts';

/** Collects the values of one field for a segment, then encodes them. */
export class NumericWriter {
  readonly #double: boolean;
  readonly #starts = new IntSink();
  #values = new BigInt64Array(256);
  #count = 0;

  constructor(double: boolean) {
    this.#double = double;
    this.#starts.push(0);
  }

  get docs(): number {
    return this.#starts.length - 1;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#values.byteLength + 4 * this.#starts.length;
  }

  /** Adds `docs` documents; null: none of them has a value. */
  add(docs: number, block: FieldBlock | null): void {
    if (block === null) {
      this.#starts.fill(this.#count, docs);
      return;
    }
    if (block.kind !== 'long' && block.kind !== 'double')
      throw new TypeError('a numeric column takes numbers');
    const from = block.starts[0];
    const to = block.starts[docs];
    this.#room(to - from);
    if (block.kind === 'long') {
      this.#values.set(block.values.subarray(from, to), this.#count);
    } else {
      for (let i = from; i < to; i++) {
        this.#values[this.#count + i - from] = orderedFromDouble(block.values[i]);
      }
    }
    appendStarts(this.#starts, block.starts, docs);
    this.#count += to - from;
  }

  /** Adds the documents of another segment's column that the map keeps, in order. */
  merge(column: NumericColumn | null, docMap: Int32Array): void {
    appendMappedCounts(this.#starts, docMap, (doc) => column?.count(doc) ?? 0);
    if (column === null) return;
    for (let doc = 0; doc < docMap.length; doc++) {
      if (docMap[doc] < 0) continue;
      const count = column.count(doc);
      this.#room(count);
      for (let i = 0; i < count; i++) this.#values[this.#count++] = column.orderedAt(doc, i);
    }
  }

  /** The payload's parts. */
  finish(): Uint8Array[] {
    return encodeNumeric(this.#values.subarray(0, this.#count), this.#starts.view(), this.#double);
  }

  #room(more: number): void {
    if (this.#count + more <= this.#values.length) return;
    const next = new BigInt64Array(Math.max(this.#count + more, this.#values.length * 2));
    next.set(this.#values.subarray(0, this.#count));
    this.#values = next;
  }
}
