import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import { onceAnArena } from '../../storage/arena-code.ts';
import type { QueryKernel } from './compiled-kernels.ts';
import { SAMPLE_BYTES, SAMPLE_SLOTS, SAMPLED_BLOCKS, SAMPLES_AT } from './kernel-memory.ts';

/** Queries of a reader before its dictionary is sampled: one-shot commands do not pay for it. */
const QUERIES_BEFORE = 16;

/** A reader that has been queried. */
interface Sampled {
  queries: number;
  /** -1: not sampled. */
  slot: number;
  /** The search that was last told the address. */
  search: number;
}

/**
 * Samples of the dictionaries of an arena: the first bytes of up to 256 blocks, one behind the
 * other. A binary search over a whole index of blocks touches a page and a line per step, which
 * took half of a look-up when other work ran before.
 */
export class DictionarySamples {
  readonly #readers = new WeakMap<InvertedReader, Sampled>();
  readonly #owners = new Array<Sampled | null>(SAMPLE_SLOTS).fill(null);
  #next = 0;
  #search = 0;

  /** Begins a search: addresses that it is told hold for all of it. */
  begin(): void {
    this.#search++;
  }

  /** Byte address of a reader's samples; 0: it has none yet. It is described at `entry`. */
  of(reader: InvertedReader, entry: number, kernel: QueryKernel): number {
    let own = this.#readers.get(reader);
    if (own === undefined) this.#readers.set(reader, (own = { queries: 0, slot: -1, search: 0 }));
    own.search = this.#search;
    if (own.slot >= 0) return SAMPLES_AT + own.slot * SAMPLE_BYTES;
    if (++own.queries < QUERIES_BEFORE) return 0;
    const slot = this.#next;
    const former = this.#owners[slot];
    if (former?.search === this.#search) return 0;
    this.#next = (slot + 1) % SAMPLE_SLOTS;
    if (former !== null) {
      former.slot = -1;
      former.queries = 0;
    }
    this.#owners[slot] = own;
    own.slot = slot;
    kernel.sample(entry, SAMPLES_AT + slot * SAMPLE_BYTES, sampleStep(reader));
    return SAMPLES_AT + slot * SAMPLE_BYTES;
  }
}

/** Blocks per sample. */
export const sampleStep = (reader: InvertedReader): number =>
  Math.ceil(reader.dictionaryBlocks / SAMPLED_BLOCKS) || 1;

/** The samples of an arena. */
export const samplesOf = onceAnArena(() => new DictionarySamples());
