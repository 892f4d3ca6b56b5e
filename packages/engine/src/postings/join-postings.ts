import type { PostingsBuffer } from './postings-buffer.ts';
import { TermBlocks } from './term-blocks.ts';
import type { PostingsSource, TermInfo } from './term-info.ts';

/** Runs of fewer postings are not worth the call of a kernel. */
const LEAST_RUN = 12;

/**
 * Appends all postings of terms of one component to a buffer, documents renumbered: old number ->
 * new by `docMap`, -1 dropped. This is what merging reads.
 */
export class PostingsJoin {
  readonly #source: PostingsSource;
  readonly #docMap: Int32Array;
  readonly #buffer: PostingsBuffer;
  readonly #blocks: TermBlocks;
  /** What a kernel adds to each document; -1: documents are renumbered one by one. */
  readonly #shift: number;

  constructor(source: PostingsSource, docMap: Int32Array, buffer: PostingsBuffer) {
    this.#source = source;
    this.#docMap = docMap;
    this.#buffer = buffer;
    this.#blocks = new TermBlocks(source);
    this.#shift = shiftOf(docMap);
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
    const { docs, frequencies, from, to, positionsAt } = this.#blocks;
    const buffer = this.#buffer;
    const { kernel } = buffer;
    const { text, arena } = this.#source;
    const positions = text ? total(frequencies, from, to) : 0;
    if (text) buffer.reservePositions(used + positions);
    if (kernel === null || this.#shift < 0 || to - from < LEAST_RUN) return this.#appendEach(used);
    const run = { docs, frequencies, from, to, total: positions };
    const { df } = buffer;
    this.#blocks.bits = kernel.join(run, this.#shift, arena.u8, positionsAt, df, used);
    buffer.df = df + to - from;
    return used + positions;
  }

  /** One posting after the other; there is room. */
  #appendEach(used: number): number {
    const { text, widths, widthCodes, arena } = this.#source;
    const blocks = this.#blocks;
    const { docs, frequencies, from, to, positionsAt } = blocks;
    const docMap = this.#docMap;
    const buffer = this.#buffer;
    const { view } = arena;
    const { positions, docs: targets, frequencies: counts } = buffer;
    const apart = buffer.kernel === null;
    let bit = 0;
    let end = used;
    let posting = buffer.df;
    for (let i = from; i < to; i++) {
      const doc = docs[i];
      const frequency = frequencies[i];
      const width = text ? widths[widthCodes[doc]] : 0;
      const target = docMap[doc];
      if (target >= 0) {
        targets[posting] = target;
        counts[posting] = frequency;
        if (apart) {
          buffer.positionsAt[posting] = end;
          buffer.widths[posting] = width;
        }
        posting++;
        if (text) {
          const mask = (1 << width) - 1;
          for (let p = 0, b = bit; p < frequency; p++, b += width) {
            positions[end++] = (view.getInt32(positionsAt + (b >>> 3), true) >>> (b & 7)) & mask;
          }
        }
      }
      bit += frequency * width;
    }
    buffer.df = posting;
    blocks.bits = bit;
    return end;
  }
}

/** The number that a map adds to each document, if that is all it does; else -1. */
function shiftOf(docMap: Int32Array): number {
  const shift = docMap.length === 0 ? -1 : docMap[0];
  for (let doc = 0; doc < docMap.length; doc++) if (docMap[doc] !== doc + shift) return -1;
  return shift;
}

function total(frequencies: Int32Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += frequencies[i];
  return sum;
}
