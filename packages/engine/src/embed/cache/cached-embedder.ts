/**
 * Texts to vectors, each text embedded once:
 *   1. every text is named by its hash; what the cache has is copied
 *   2. the rest, each distinct text once, goes to the model in portions, and from there into fixed
 *      point and into the cache, portion by portion: what was done is not lost with the process
 *   3. one vector a text, scale 0 where it has none (empty, or nothing that the model knows)
 */

import { releaseArrays } from '../../base/arrays/release-arrays.ts';
import { type FixedVectors, fixVectors } from '../../base/fixed-vector.ts';
import type { Embedder, Texts } from '../embedder.ts';
import { KEY_BYTES } from './cache-format.ts';
import type { EmbeddingCache } from './embedding-cache.ts';
import { KeyTable } from './key-table.ts';
import { emptyKeys, type TextKeys, textKeys } from './text-keys.ts';

/** A portion ends at the first of these; models that are slow say how many texts. */
const PORTION_TEXTS = 1024;
const PORTION_BYTES = 1 << 20;
const KEY_WORDS = KEY_BYTES / 4;

/** Vectors that were there before, repeated texts included, and texts that a model has embedded. */
export interface EmbeddingCounts {
  readonly reused: number;
  readonly computed: number;
}

/** Vectors, one a text, and where they came from. */
export interface Embedded extends FixedVectors, EmbeddingCounts {}

/** A model behind its cache. Neither is closed here. */
export class CachedEmbedder {
  readonly #embedder: Embedder;
  readonly #cache: EmbeddingCache;

  constructor(embedder: Embedder, cache: EmbeddingCache) {
    this.#embedder = embedder;
    this.#cache = cache;
  }

  /**
   * The vectors of texts. `onPortion` is called before each portion with the number of texts that
   * were embedded so far; it may throw to stop the work.
   */
  async vectors(texts: Texts, onPortion: (computed: number) => void = () => {}): Promise<Embedded> {
    const { dims } = this.#embedder.identity;
    const keys = textKeys(texts);
    const out = { scales: new Float32Array(keys.count), codes: new Int16Array(keys.count * dims) };
    const entries = this.#cache.find(keys);
    this.#cache.read(entries, out);
    const wanted = distinct(texts, keys, entries);
    const most = this.#embedder.portion ?? PORTION_TEXTS;
    let done = 0;
    let next: Promise<FixedVectors> | null = null;
    const all = [...portions(texts, wanted.firsts, most)];
    for (const [at, portion] of all.entries()) {
      onPortion(done);
      done += portion.length;
      const found = await (next ?? this.#embed(texts, portion));
      next = at + 1 < all.length ? this.#ahead(texts, all[at + 1]) : null;
      this.#cache.add(pickKeys(keys, portion), found);
      copyAll(found, out, portion, dims);
      releaseArrays([found.scales, found.codes]);
    }
    for (const [i, first] of wanted.repeats) copy(out, first, out, i, dims);
    return { ...out, computed: done, reused: textsIn(texts) - done };
  }

  async #embed(texts: Texts, portion: readonly number[]): Promise<FixedVectors> {
    const picked = pick(texts, portion);
    const embedder = this.#embedder;
    const found = (await embedder.embedFixed?.(picked)) ?? (await embedder.fixedHere?.(picked));
    return found ?? fixVectors(await embedder.embed(picked), embedder.identity.dims);
  }

  /** The vectors of a portion that threads embed while the one before is added to the cache. */
  #ahead(texts: Texts, portion: readonly number[]): Promise<FixedVectors> | null {
    if (this.#embedder.embedFixed === undefined) return null;
    const found = this.#embed(texts, portion);
    // A failure is thrown where the portion is awaited.
    found.catch(() => {});
    return found;
  }
}

/** Texts that are not empty. */
function textsIn({ offsets }: Texts): number {
  let texts = 0;
  for (let i = 1; i < offsets.length; i++) if (offsets[i] > offsets[i - 1]) texts++;
  return texts;
}

/**
 * Texts without an entry: the first of each kind, and those that repeat it. Empty ones are neither.
 */
function distinct(texts: Texts, keys: TextKeys, entries: Int32Array) {
  const table = new KeyTable();
  const firsts: number[] = [];
  const repeats: [text: number, first: number][] = [];
  for (let i = 0; i < keys.count; i++) {
    if (entries[i] >= 0 || texts.offsets[i] === texts.offsets[i + 1]) continue;
    const known = table.find(keys, i);
    if (known >= 0) repeats.push([i, firsts[known]]);
    else {
      table.add(keys, i);
      firsts.push(i);
    }
  }
  return { firsts, repeats };
}

function* portions(
  { offsets }: Texts,
  wanted: readonly number[],
  most: number,
): Generator<readonly number[]> {
  let portion: number[] = [];
  let bytes = 0;
  for (const i of wanted) {
    portion.push(i);
    bytes += offsets[i + 1] - offsets[i];
    if (portion.length < most && bytes < PORTION_BYTES) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

function pick({ offsets, bytes }: Texts, wanted: readonly number[]): Texts {
  const ends = new Int32Array(wanted.length + 1);
  wanted.forEach((i, j) => {
    ends[j + 1] = ends[j] + offsets[i + 1] - offsets[i];
  });
  const picked = new Uint8Array(ends[wanted.length]);
  wanted.forEach((i, j) => {
    picked.set(bytes.subarray(offsets[i], offsets[i + 1]), ends[j]);
  });
  return { offsets: ends, bytes: picked };
}

function pickKeys(keys: TextKeys, wanted: readonly number[]): TextKeys {
  const picked = emptyKeys(wanted.length);
  wanted.forEach((i, j) => {
    for (let w = 0; w < KEY_WORDS; w++) {
      picked.words[j * KEY_WORDS + w] = keys.words[i * KEY_WORDS + w];
    }
  });
  return picked;
}

/** Copies vector j to place places[j], ascending: places that follow one another at once. */
function copyAll(
  from: FixedVectors,
  to: FixedVectors,
  places: readonly number[],
  dims: number,
): void {
  for (let j = 0; j < places.length; ) {
    const first = j++;
    while (j < places.length && places[j] === places[j - 1] + 1) j++;
    to.scales.set(from.scales.subarray(first, j), places[first]);
    to.codes.set(from.codes.subarray(first * dims, j * dims), places[first] * dims);
  }
}

function copy(from: FixedVectors, i: number, to: FixedVectors, j: number, dims: number): void {
  to.scales[j] = from.scales[i];
  to.codes.set(from.codes.subarray(i * dims, (i + 1) * dims), j * dims);
}
