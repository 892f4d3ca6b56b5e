import type { PostingsBuffer } from './postings-buffer.ts';
import { TermBlocks } from './term-blocks.ts';
import type { PostingsSource, TermInfo } from './term-info.ts';

/**
 * Appends all postings of terms of one component to a buffer, documents renumbered: old number ->
 * new by `docMap`, -1 dropped. This is what merging reads.
 */
export class PostingsJoin {
  readonly #source: PostingsSource;
  readonly #docMap: Int32Array;
  readonly #buffer: PostingsBuffer;
  readonly #blocks: TermBlocks;

  constructor(source: PostingsSource, docMap: Int32Array, buffer: PostingsBuffer) {
    this.#source = source;
    this.#docMap = docMap;
    this.#buffer = buffer;
    this.#blocks = new TermBlocks(source);
  }

  /**
   * Appends a term's postings. `used`: positions in the buffer before; returns those in it then.
   */
  append(info: TermInfo, used: number): number {
    this.#buffer.reserve(this.#buffer.df + info.df);
    this.#blocks.open(info);
    let end = used;
    while (this.#blocks.next()) end = this.#appendRun(end);
    return end;
  }

  #appendRun(used: number): number {
    const { text, widths, widthCodes, arena } = this.#source;
    const { docs, frequencies, from, to, positionsAt } = this.#blocks;
    const docMap = this.#docMap;
    const buffer = this.#buffer;
    const { view } = arena;
    const apart = buffer.kernel === null;
    let bit = 0;
    let end = used;
    if (text) buffer.reservePositions(used + total(frequencies, from, to));
    const { positions } = buffer;
    for (let i = from; i < to; i++) {
      const doc = docs[i];
      const frequency = frequencies[i];
      const width = text ? widths[widthCodes[doc]] : 0;
      const target = docMap[doc];
      if (target >= 0) {
        const posting = buffer.df++;
        buffer.docs[posting] = target;
        buffer.frequencies[posting] = frequency;
        if (apart) {
          buffer.positionsAt[posting] = end;
          buffer.widths[posting] = width;
        }
        if (text) {
          const mask = (1 << width) - 1;
          for (let p = 0, b = bit; p < frequency; p++, b += width) {
            positions[end++] = (view.getInt32(positionsAt + (b >>> 3), true) >>> (b & 7)) & mask;
          }
        }
      }
      bit += frequency * width;
    }
    this.#blocks.bits = bit;
    return end;
  }
}

function total(frequencies: Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += frequencies[i];
  return sum;
}
