import { corruptPostings } from '../../postings/damage.ts';
import { LIST, LIST_BLOCK, SHORT } from '../../postings/format.ts';
import type { DenseTerm, ListTerm, PostingsSource, TermInfo } from '../../postings/term-info.ts';

/** Gives out arrays in an arena. */
interface ArenaWords {
  words(size: number): Int32Array;
}

/**
 * A term of a phrase in the segment at hand; opened again for each. The kernels decode postings of
 * lists and short terms into its arrays; dense terms are read in place.
 */
export class PhraseTerm {
  df = 0;
  /** Position in the phrase. */
  position = 0;
  /** SHORT: byte address of the postings. */
  at = 0;
  /** The addresses of a dense or list term; null for the other kinds. */
  dense: DenseTerm | null = null;
  list: ListTerm | null = null;
  /** Blocks of a list; 1 for a short term. */
  blocks = 0;
  /** Of lists and short terms, by posting. */
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  /** First bit of a posting's positions, from the start of its block's. */
  readonly positionBits: Int32Array;
  /** Posting number by survivor. */
  readonly hits: Int32Array;
  readonly #room: number;

  constructor(arrays: ArenaWords, room: number) {
    this.#room = room;
    this.docs = arrays.words(room);
    this.frequencies = arrays.words(room);
    this.hits = arrays.words(room);
    this.positionBits = arrays.words(room);
  }

  /** Opens a term. Throws corrupt_index. */
  open(reader: PostingsSource, info: TermInfo, position: number): void {
    this.df = info.df;
    this.position = position;
    this.at = info.at;
    this.dense = null;
    this.list = null;
    this.blocks = 1;
    if (info.kind === SHORT) return;
    const term = reader.big(info);
    if (term.kind !== LIST) {
      this.dense = term;
      return;
    }
    if (term.df > this.#room - LIST_BLOCK || term.blocks !== Math.ceil(term.df / LIST_BLOCK)) {
      throw corruptPostings('a list is longer than its segment allows');
    }
    this.list = term;
    this.blocks = term.blocks;
  }
}
