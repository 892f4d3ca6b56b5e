import { plainLoops } from '../../base/plain-loops.ts';
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
}

const codeOf = arenaCode(EMBED_CODE);

/** The compiled kernels of an arena, or null where plain loops are asked for (LHS_WASM=0). */
export function embedKernels(arena: Arena, plain = plainLoops()): EmbedKernels | null {
  return plain ? null : (codeOf(arena) as unknown as EmbedKernels);
}
