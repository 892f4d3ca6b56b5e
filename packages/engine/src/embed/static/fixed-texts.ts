/**
 * Texts to vectors in fixed point by kernels, some texts at a time, in the arena of the model: word
 * pieces, sums, length 1, rounding. Texts that are not ASCII go through the plain tokenizer. The
 * vectors are those of `TokenSums.take` and `fixVectors`, bit by bit.
 */
import type { FixedVectors } from '../../base/fixed-vector.ts';
import type { Arena, Region } from '../../storage/directory.ts';
import type { Texts } from '../embedder.ts';
import type { EmbedKernels } from './kernels.ts';
import { KIND_OF, MOST_IDS, STATE, STATE_BYTES } from './text-state.ts';
import { BLOCK, type TokenSums } from './token-sums.ts';
import type { Vocabulary } from './vocabulary.ts';
import type { WordPieces } from './word-pieces.ts';

/** Texts at a time; a multiple of 4, as the kernel takes them. */
const TEXTS = 32;
/** Bytes of texts at a time, and bytes behind them that are read along. */
const TEXT_BYTES = 1 << 16;
const BEHIND = 16;

/** The parts of an open model. */
export interface FixedTextsParts {
  readonly arena: Arena;
  readonly vocabulary: Vocabulary;
  readonly rules: { readonly unknownId: number; readonly maxWordChars: number };
  readonly dims: number;
  readonly sums: TokenSums;
  readonly pieces: WordPieces;
  readonly kernels: EmbedKernels;
}

/** Whether kernels take vectors of so many dimensions. */
export const fixable = (dims: number): boolean => dims % BLOCK === 0;

/** The work memory of one model. Release it. */
export class FixedTexts {
  readonly #parts: FixedTextsParts;
  readonly #region: Region;
  readonly #state: number;
  readonly #offsets: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #sums: Float32Array;
  readonly #scales: Float32Array;
  readonly #squares: Float64Array;
  readonly #codes: Int16Array;

  constructor(parts: FixedTextsParts) {
    const { arena, dims, rules } = parts;
    const letters = 4 * rules.maxWordChars;
    const sizes = [
      ...[4 * TEXTS * dims, 2 * TEXTS * dims, 8 * TEXTS, 4 * TEXTS, 4 * (TEXTS + 1)],
      ...[TEXT_BYTES + BEHIND, STATE_BYTES, KIND_OF.length],
      ...[letters, 4 * letters, 4 * letters, 4 * MOST_IDS],
    ].map((size) => (size + 15) & ~15);
    this.#parts = parts;
    this.#region = arena.allocate(sizes.reduce((sum, size) => sum + size, 0));
    const { buffer } = arena.memory;
    let end = this.#region.offset;
    const places = sizes.map((size) => (end += size) - size);
    const [sums, codes, squares, scales, offsets, bytes, state, ...work] = places;
    this.#sums = new Float32Array(buffer, sums, TEXTS * dims);
    this.#codes = new Int16Array(buffer, codes, TEXTS * dims);
    this.#squares = new Float64Array(buffer, squares, TEXTS);
    this.#scales = new Float32Array(buffer, scales, TEXTS);
    this.#offsets = new Int32Array(buffer, offsets, TEXTS + 1);
    this.#bytes = new Uint8Array(buffer, bytes, TEXT_BYTES);
    this.#state = state;
    this.#begin(buffer, work);
  }

  #begin(buffer: ArrayBufferLike, [kinds, word, inner, parts, found]: readonly number[]): void {
    const { vocabulary, rules, dims, sums } = this.#parts;
    new Uint8Array(buffer, kinds, KIND_OF.length).set(KIND_OF);
    const values: Record<keyof typeof STATE, number> = {
      starts: vocabulary.starts.byteOffset,
      ends: vocabulary.ends.byteOffset,
      ids: vocabulary.ids.byteOffset,
      hashes: vocabulary.hashes.byteOffset,
      mask: vocabulary.ids.length - 1,
      beginnings: vocabulary.beginnings.byteOffset,
      bits: 32 * vocabulary.beginnings.length - 1,
      text: vocabulary.bytes.byteOffset,
      ...{ kinds, word, inner, parts, found, dims, count: 0, row: 0 },
      unknown: rules.unknownId,
      most: rules.maxWordChars,
      rows: sums.places.rows,
      scales: sums.places.scales,
    };
    const state = new Int32Array(buffer, this.#state, STATE_BYTES / 4);
    for (const [name, place] of Object.entries(STATE)) {
      state[place / 4] = values[name as keyof typeof STATE];
    }
  }

  /** The first text behind those from `from` on that are taken at once. */
  end({ offsets }: Texts, from: number): number {
    const last = Math.min(offsets.length - 1, from + TEXTS);
    let to = from + 1;
    while (to < last && offsets[to + 1] - offsets[from] <= TEXT_BYTES) to++;
    return to;
  }

  /**
   * Writes the vectors of the texts from .. to (see `end`) to their places in `out`. Returns the
   * sum of the squares of all sums, which is finite if they are.
   */
  fix(texts: Texts, from: number, to: number, out: FixedVectors): number {
    const { dims, kernels } = this.#parts;
    const count = to - from;
    this.#addUp(texts, from, to);
    const rows = (count + 3) & ~3;
    this.#sums.fill(0, count * dims, rows * dims);
    const [sums, scales, codes] = [this.#sums, this.#scales, this.#codes];
    const squares = this.#squares;
    const places = [scales.byteOffset, codes.byteOffset, squares.byteOffset] as const;
    kernels.finish(sums.byteOffset, rows, dims, ...places);
    out.scales.set(scales.subarray(0, count), from);
    out.codes.set(codes.subarray(0, count * dims), from * dims);
    let sum = 0;
    for (let i = 0; i < count; i++) sum += squares[i];
    return sum;
  }

  /** The sums of texts in their rows. */
  #addUp(texts: Texts, from: number, to: number): void {
    const { offsets, bytes } = texts;
    const { dims, kernels, pieces, sums } = this.#parts;
    const start = offsets[from];
    const size = offsets[to] - start;
    const fits = size <= TEXT_BYTES;
    if (fits) this.#bytes.set(bytes.subarray(start, start + size));
    for (let i = from; i <= to; i++) this.#offsets[i - from] = offsets[i] - start;
    const places = [this.#offsets, this.#bytes, this.#sums].map(({ byteOffset }) => byteOffset);
    for (let i = 0; i < to - from; i++) {
      if (fits) i = kernels.texts(this.#state, i, to - from, places[0], places[1], places[2]);
      if (i === to - from) return;
      pieces.read(bytes, offsets[from + i], offsets[from + i + 1]);
      sums.move(this.#sums, i * dims);
    }
  }

  release(): void {
    this.#region.release();
  }
}
