/**
 * Values of a packed key column that do not have its form, such as a few texts among hexadecimal
 * keys. They have sections of their own: i32[2 n + 1], the documents, ascending, then n + 1
 * offsets, and the bytes of the values. The packed bytes of their documents are zero.
 */

import { ByteSink } from '../../base/arrays/growing.ts';
import { lowerBoundBy } from '../../base/arrays/lower-bound.ts';
import { compareBytes } from '../../base/bytes/byte-order.ts';
import { corrupt } from '../../storage/frame.ts';
import type { Sections } from '../../storage/sections.ts';

/** Collects the exceptions of a column, in the order of documents. */
export class ExceptionsWriter {
  readonly #docs: number[] = [];
  readonly #offsets: number[] = [0];
  readonly #bytes = new ByteSink();

  /** Adds the value bytes[from .. to) of a document. */
  add(doc: number, bytes: Uint8Array, from: number, to: number): void {
    this.#docs.push(doc);
    this.#bytes.append(bytes, from, to);
    this.#offsets.push(this.#bytes.length);
  }

  finish(): readonly [Int32Array, Uint8Array] {
    return [Int32Array.from([...this.#docs, ...this.#offsets]), this.#bytes.view()];
  }
}

/** The exceptions of a column of a segment. */
export class KeyExceptions {
  readonly #docs: Int32Array;
  readonly #offsets: Int32Array;
  readonly #bytes: Uint8Array;
  /** Documents between these have no exception. */
  #after = -1;
  #before = -1;

  private constructor(docs: Int32Array, offsets: Int32Array, bytes: Uint8Array) {
    this.#docs = docs;
    this.#offsets = offsets;
    this.#bytes = bytes;
  }

  /** Opens the sections from `section` on of a column of `docs` documents. Throws corrupt_index. */
  static open(sections: Sections, section: number, docs: number, path: string): KeyExceptions {
    const numbers = sections.i32(section);
    const bytes = sections.bytes(section + 1);
    const count = numbers.length >> 1;
    const own = numbers.subarray(0, count);
    const offsets = numbers.subarray(count);
    const rising = own.every((doc, i) => doc >= 0 && doc < docs && (i === 0 || own[i - 1] < doc));
    const ordered = offsets.every((offset, i) => offset >= (i === 0 ? 0 : offsets[i - 1]));
    const fits = numbers.length === 2 * count + 1 && offsets[0] === 0;
    if (!rising || !ordered || !fits || offsets[count] !== bytes.length) {
      throw corrupt(path, 'the exceptions of a key column do not fit');
    }
    return new KeyExceptions(own, offsets, bytes);
  }

  /** The exception of a document, or -1. Cheap for documents in ascending order. */
  of(doc: number): number {
    if (doc > this.#after && doc < this.#before) return -1;
    const docs = this.#docs;
    const at = lowerBoundBy(0, docs.length, (i) => docs[i] >= doc);
    if (at < docs.length && docs[at] === doc) return at;
    this.#after = at === 0 ? -1 : docs[at - 1];
    this.#before = at === docs.length ? Number.POSITIVE_INFINITY : docs[at];
    return -1;
  }

  /** True if an exception is source[from .. to). */
  equals(exception: number, source: Uint8Array, from: number, to: number): boolean {
    const [begin, end] = [this.#offsets[exception], this.#offsets[exception + 1]];
    return compareBytes(this.#bytes, begin, end, source, from, to) === 0;
  }

  lengthOf(exception: number): number {
    return this.#offsets[exception + 1] - this.#offsets[exception];
  }

  /** Writes an exception to out[at ..]; returns its end. */
  copy(exception: number, out: Uint8Array, at: number): number {
    out.set(this.#bytes.subarray(this.#offsets[exception], this.#offsets[exception + 1]), at);
    return at + this.lengthOf(exception);
  }
}
