/**
 * Counts values by sorting them: for values too many or too far apart for an array with a place for
 * each. Values are sorted in chunks and merged into what was counted before, so memory follows the
 * number of distinct values: 12 or 8 bytes each, twice that during a merge.
 */

/** Values of a chunk, at most. */
const CHUNK = 1 << 20;

/** Arrays that hold codes below 2^32, or integers of 64 bits. */
export type CodeArray = Uint32Array | BigInt64Array;

/** Counts codes, or integers of 64 bits where `wide`. */
export class SortedCounts {
  readonly #wide: boolean;
  #chunk: CodeArray;
  #pending = 0;
  #codes: CodeArray;
  #counts = new Int32Array(0);

  /** `expected`: how many values there will be, about. */
  constructor(wide: boolean, expected: number) {
    this.#wide = wide;
    this.#chunk = this.#array(Math.max(64, Math.min(CHUNK, expected)));
    this.#codes = this.#array(0);
  }

  add(code: number | bigint): void {
    if (this.#pending === this.#chunk.length) this.#makeRoom();
    this.#chunk[this.#pending++] = code;
  }

  /** A merge reads all that was counted: the chunk grows with it, or many values take forever. */
  #makeRoom(): void {
    this.#settle();
    const wanted = Math.min(CHUNK, 2 * this.#codes.length);
    if (this.#chunk.length < wanted) this.#chunk = this.#array(wanted);
  }

  /** The codes that were added, rising, and how often each was. */
  finish(): { readonly codes: CodeArray; readonly counts: Int32Array } {
    this.#settle();
    return { codes: this.#codes, counts: this.#counts };
  }

  #array(length: number): CodeArray {
    return this.#wide ? new BigInt64Array(length) : new Uint32Array(length);
  }

  #settle(): void {
    if (this.#pending === 0) return;
    const chunk = this.#chunk.subarray(0, this.#pending).sort();
    this.#pending = 0;
    const most = this.#codes.length + distinct(chunk);
    const into = { codes: this.#array(most), counts: new Int32Array(most) };
    const size = mergeRuns(chunk, this.#codes, this.#counts, into);
    this.#codes = size === most ? into.codes : into.codes.slice(0, size);
    this.#counts = size === most ? into.counts : into.counts.slice(0, size);
  }
}

/** Number of different values of a sorted array. */
function distinct(sorted: CodeArray): number {
  let count = 0;
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) count++;
  return count;
}

/** Merges a sorted chunk with codes that were counted; returns how many codes there are. */
function mergeRuns(
  chunk: CodeArray,
  codes: CodeArray,
  counts: Int32Array,
  into: { readonly codes: CodeArray; readonly counts: Int32Array },
): number {
  let [size, a, b] = [0, 0, 0];
  while (a < chunk.length || b < codes.length) {
    const fresh = b === codes.length || (a < chunk.length && chunk[a] < codes[b]);
    const code = fresh ? chunk[a] : codes[b];
    let count = 0;
    for (; a < chunk.length && chunk[a] === code; a++) count++;
    if (b < codes.length && codes[b] === code) count += counts[b++];
    into.codes[size] = code;
    into.counts[size++] = count;
  }
  return size;
}
