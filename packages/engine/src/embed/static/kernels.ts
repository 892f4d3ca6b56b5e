import { arenaCode } from '../../storage/arena-code.ts';
import type { Arena } from '../../storage/directory.ts';
import { EMBED_CODE } from './kernel-code.ts';

/** The loops of the static model over one arena; places are byte addresses. */
export interface EmbedKernels {
  /**
   * sums[d] += scales[id] * rows[id][d] for ids[0 .. n) in their order, d in whole blocks of 32
   * below `dims`; rounded to float32 at each step.
   */
  sum(ids: number, n: number, rows: number, scales: number, sums: number, dims: number): void;
  /**
   * Fills the tables of a vocabulary (vocabulary.ts) from the lines text .. end; returns how many
   * lines there are, at most size + 1.
   */
  index(
    text: number,
    end: number,
    size: number,
    starts: number,
    ends: number,
    ids: number,
    hashes: number,
    mask: number,
    beginnings: number,
    bits: number,
  ): number;
  /**
   * The sums of the ASCII texts from .. count, each in its row of `sums`; returns the first text
   * that is not ASCII, or count (fixed-texts.ts, text-state.ts).
   */
  texts(
    state: number,
    from: number,
    count: number,
    offsets: number,
    bytes: number,
    sums: number,
  ): number;
  /**
   * Rows of sums, a multiple of 4, to vectors of length 1 in fixed point; and the sum of squares of
   * each row.
   */
  finish(
    sums: number,
    count: number,
    dims: number,
    scales: number,
    codes: number,
    squares: number,
  ): void;
}

const codeOf = arenaCode(EMBED_CODE);

/** The kernels of an arena. */
export const embedKernels = (arena: Arena): EmbedKernels =>
  codeOf(arena) as unknown as EmbedKernels;
