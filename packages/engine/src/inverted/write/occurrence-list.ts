import { releaseArrays } from '../../base/arrays/release-arrays.ts';

/** Occurrences of a chunk: 1 MiB each for terms and positions. */
const CHUNK_BITS = 18;
const CHUNK = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK - 1;
/** The first chunk begins this long, so that a small segment takes little memory. */
const FIRST = 1 << 12;

/** Occurrences [from, from + count) of a list, at the start of `terms` and of `positions`. */
export interface OccurrenceChunk {
  readonly from: number;
  readonly count: number;
  readonly terms: Int32Array;
  /** null: the list has no positions. */
  readonly positions: Int32Array | null;
}

/**
 * Term numbers of occurrences and, if they are kept, their positions, in chunks of a fixed size: a
 * list that grows copies nothing, and memory that is new to the process costs a page fault per
 * 4 KiB.
 */
export class OccurrenceList {
  readonly #terms: Int32Array[] = [new Int32Array(FIRST)];
  /** As long as `#terms`, and each chunk as long as that of the terms; null: none are kept. */
  #positions: Int32Array[] | null = null;
  #room = FIRST;
  size = 0;

  /** Whether positions are kept. */
  get hasPositions(): boolean {
    return this.#positions !== null;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return this.#room * (this.#positions === null ? 4 : 8);
  }

  /** Keeps positions from here on; `fill` writes those of the occurrences so far. */
  keepPositions(fill: (chunk: Int32Array, from: number, to: number) => void): void {
    if (this.#positions !== null) return;
    this.#positions = this.#terms.map(({ length }) => new Int32Array(length));
    for (const [at, chunk] of this.#positions.entries()) {
      const from = at * CHUNK;
      if (from < this.size) fill(chunk, from, Math.min(this.size, from + CHUNK));
    }
  }

  /** Appends one occurrence; the position is ignored unless positions are kept. */
  push(term: number, position: number): void {
    const { size } = this;
    if (size === this.#room) this.#grow();
    const chunk = size >> CHUNK_BITS;
    this.#terms[chunk][size & CHUNK_MASK] = term;
    if (this.#positions !== null) this.#positions[chunk][size & CHUNK_MASK] = position;
    this.size = size + 1;
  }

  /** Appends the first `count` terms, at the positions from `position` on. */
  append(terms: Int32Array, count: number, position: number): void {
    for (let from = 0; from < count; ) {
      if (this.size === this.#room) this.#grow();
      const to = Math.min(count, from + this.#room - this.size);
      this.#appendToChunk(terms, from, to, position);
      from = to;
    }
  }

  /** As `append`; terms below 0 leave their position empty. Positions must be kept. */
  appendSome(terms: Int32Array, count: number, position: number): void {
    for (let i = 0; i < count; i++) if (terms[i] >= 0) this.push(terms[i], position + i);
  }

  #appendToChunk(terms: Int32Array, from: number, to: number, position: number): void {
    const chunk = this.size >> CHUNK_BITS;
    const shift = (this.size & CHUNK_MASK) - from;
    const into = this.#terms[chunk];
    for (let i = from; i < to; i++) into[i + shift] = terms[i];
    if (this.#positions !== null) {
      const positions = this.#positions[chunk];
      for (let i = from; i < to; i++) positions[i + shift] = position + i;
    }
    this.size += to - from;
  }

  /** Makes room for at least one more: the first chunk doubles, later ones have their full size. */
  #grow(): void {
    if (this.#room < CHUNK) {
      this.#terms[0] = doubled(this.#terms[0]);
      if (this.#positions !== null) this.#positions[0] = doubled(this.#positions[0]);
      this.#room *= 2;
      return;
    }
    this.#terms.push(new Int32Array(CHUNK));
    this.#positions?.push(new Int32Array(CHUNK));
    this.#room += CHUNK;
  }

  /** The occurrences in their order. */
  *chunks(): Generator<OccurrenceChunk> {
    for (let from = 0; from < this.size; from += CHUNK) {
      const at = from >> CHUNK_BITS;
      const count = Math.min(CHUNK, this.size - from);
      yield { from, count, terms: this.#terms[at], positions: this.#positions?.[at] ?? null };
    }
  }

  /** As `chunks`; each chunk is freed when the next one is taken. Nothing can be read afterwards. */
  *takeChunks(): Generator<OccurrenceChunk> {
    for (const chunk of this.chunks()) {
      yield chunk;
      releaseArrays([chunk.terms, chunk.positions]);
    }
  }
}

/** A longer array with the same values, whose memory is taken from the array. */
function doubled(array: Int32Array): Int32Array {
  const next = new Int32Array(array.length * 2);
  next.set(array);
  releaseArrays([array]);
  return next;
}
