import type { ListTerm } from '../postings/term-info.ts';
import { arenaCode, plainLoops } from '../storage/arena-code.ts';
import type { Arena } from '../storage/directory.ts';
import { NO_LIST, scanList } from './describe-terms.ts';
import { KERNEL_CODE } from './kernel-code.ts';
import { PlainKernels } from './plain-kernels.ts';

/**
 * Postings of a list term, of blocks whose best impact has at least the code `leastCode`, with
 * scores of at least theta and not in `blocked` (0: none).
 */
export interface ListScan {
  list: ListTerm;
  codesAt: number;
  blockedAt: number;
  leastCode: number;
  weight: number;
  theta: number;
}

/** A scan that is filled in before each use. */
export const newListScan = (): ListScan => ({
  list: NO_LIST,
  codesAt: 0,
  blockedAt: 0,
  leastCode: 0,
  weight: 0.5,
  theta: 0.5,
});

/**
 * The inner loops of scoring, over one arena. Arguments named `…At` are byte addresses; terms are
 * described in the arena (kernel-memory.ts). What scores is emitted there, too: see `ranges`.
 */
export interface Kernels {
  /**
   * Documents of the ranges sorted[from .. to) that hold all of the first `terms` described dense
   * terms and are in none of the `excluded` bitmaps, with scores of at least theta, are emitted.
   * `boundsAt`: f64 by range; `low`: theta less rounding. Stops after a range that emitted; returns
   * where to go on.
   */
  ranges(
    terms: number,
    from: number,
    to: number,
    sortedAt: number,
    boundsAt: number,
    codesAt: number,
    excluded: number,
    theta: number,
    low: number,
  ): number;
  /**
   * The same for survivors[from .. to), known to hold `lists` decoded terms (described first) and
   * `dense` others, which score at most `ahead` together. Stops when 16 are emitted.
   */
  lists(
    lists: number,
    dense: number,
    from: number,
    to: number,
    survivorsAt: number,
    codesAt: number,
    theta: number,
    low: number,
    ahead: number,
  ): number;
  /** Emits postings of the blocks from `block` on; stops after a block that emitted. */
  list(scan: ListScan, block: number): number;
  /**
   * Of the first `ranges` ranges those that all described dense terms reach, that can score theta
   * together: to `into`, their bounds times `up` to `bound` by range. Returns how many.
   */
  bounds(
    terms: number,
    ranges: number,
    boundAt: number,
    intoAt: number,
    up: number,
    theta: number,
  ): number;
  /**
   * Documents of source[0 .. n) whose bit is set (with `flip` = 1: is not), to `into`; returns how
   * many. `hits` (0: none) moves along: places in the source with `first` = 1, else its own values.
   */
  sieve(
    sourceAt: number,
    n: number,
    bitmapAt: number,
    intoAt: number,
    hitsAt: number,
    first: number,
    flip: number,
  ): number;
  /**
   * Common values of two rising lists to `into`, their places to `i` and `j` unless `i` is 0;
   * returns how many.
   */
  intersect(
    aAt: number,
    aSize: number,
    bAt: number,
    bSize: number,
    intoAt: number,
    iAt: number,
    jAt: number,
  ): number;
  /**
   * Of survivors[ordered[from .. to)], known to hold `lists` decoded terms (described first) and
   * `terms` - `lists` dense ones, those with the phrase and not in `blocked` (0: none), whose
   * frequencies let `weight` reach `low`: emitted or counted as by `phrases`. Stops when 16 are
   * emitted; returns where to go on.
   */
  phraseSurvivors(
    from: number,
    to: number,
    orderedAt: number,
    survivorsAt: number,
    codesAt: number,
    widthCodesAt: number,
    blockedAt: number,
    lists: number,
    terms: number,
    counting: number,
    weight: number,
    low: number,
  ): number;
  /**
   * Documents of the ranges sorted[from .. to) with the phrase of the described dense terms, in
   * none of the `excluded` bitmaps, whose frequencies let `weight` reach `low`: emits them with
   * their phrase frequencies (i32 at SCORES_AT), ~doc where a place is not stored. With `counting`
   * = 1 documents are counted at COUNTED_AT instead. Stops after a range that emitted.
   */
  phrases(
    terms: number,
    from: number,
    to: number,
    sortedAt: number,
    boundsAt: number,
    codesAt: number,
    widthCodesAt: number,
    excluded: number,
    counting: number,
    weight: number,
    low: number,
  ): number;
}

type Code = (...values: number[]) => number;

/** New kernels of an arena: WebAssembly, or plain loops where LHS_WASM=0 asks for them. */
export function createKernels(arena: Arena): Kernels {
  const loops = new PlainKernels(arena);
  return plainLoops() ? loops : new CompiledKernels(arena, loops);
}

const codeOf = arenaCode(KERNEL_CODE);

/** WebAssembly for up to three terms, plain loops beyond. */
class CompiledKernels implements Kernels {
  readonly #plain: PlainKernels;
  readonly #ranges: readonly (Code | undefined)[];
  readonly #lists: readonly (Code | undefined)[];
  readonly #phrases: readonly (Code | undefined)[];
  readonly #list: Code;
  readonly sieve: Kernels['sieve'];
  readonly #bounds: readonly (Code | undefined)[];
  readonly intersect: Kernels['intersect'];
  readonly phraseSurvivors: Kernels['phraseSurvivors'];

  constructor(arena: Arena, plain: PlainKernels) {
    const code = codeOf(arena) as Record<string, Code>;
    this.#plain = plain;
    this.#ranges = [undefined, code.ranges1, code.ranges2, code.ranges3];
    const lists: (Code | undefined)[] = [];
    for (const [l, p] of [
      [1, 1],
      [1, 2],
      [2, 0],
      [2, 1],
      [3, 0],
    ]) {
      lists[8 * l + p] = code[`lists${l}${p}`];
    }
    this.#lists = lists;
    this.#phrases = [undefined, undefined, code.phrases2, code.phrases3];
    this.#list = code.list;
    this.sieve = code.sieve;
    this.#bounds = [undefined, code.bounds1, code.bounds2, code.bounds3];
    this.intersect = code.intersect;
    this.phraseSurvivors = code.phraseSurvivors;
  }

  list(scan: ListScan, block: number): number {
    return scanList(this.#list, scan, block);
  }

  ranges(
    terms: number,
    from: number,
    to: number,
    sortedAt: number,
    boundsAt: number,
    codesAt: number,
    excluded: number,
    theta: number,
    low: number,
  ): number {
    const run = this.#ranges[terms];
    if (run === undefined) {
      return this.#plain.ranges(terms, from, to, sortedAt, boundsAt, codesAt, excluded, theta, low);
    }
    return run(from, to, sortedAt, boundsAt, codesAt, excluded, theta, low);
  }

  bounds(
    terms: number,
    ranges: number,
    boundAt: number,
    intoAt: number,
    up: number,
    theta: number,
  ): number {
    const run = this.#bounds[terms];
    if (run === undefined) return this.#plain.bounds(terms, ranges, boundAt, intoAt, up, theta);
    return run(ranges, boundAt, intoAt, up, theta);
  }

  lists(
    lists: number,
    dense: number,
    from: number,
    to: number,
    survivorsAt: number,
    codesAt: number,
    theta: number,
    low: number,
    ahead: number,
  ): number {
    const run = dense < 8 ? this.#lists[8 * lists + dense] : undefined;
    if (run !== undefined) return run(from, to, survivorsAt, codesAt, theta, low, ahead);
    return this.#plain.lists(lists, dense, from, to, survivorsAt, codesAt, theta, low, ahead);
  }

  phrases(
    terms: number,
    from: number,
    to: number,
    sortedAt: number,
    boundsAt: number,
    codesAt: number,
    widthCodesAt: number,
    excluded: number,
    counting: number,
    weight: number,
    low: number,
  ): number {
    const run = this.#phrases[terms];
    if (run !== undefined) {
      return run(
        from,
        to,
        sortedAt,
        boundsAt,
        codesAt,
        widthCodesAt,
        excluded,
        counting,
        weight,
        low,
      );
    }
    return this.#plain.phrases(
      terms,
      from,
      to,
      sortedAt,
      boundsAt,
      codesAt,
      widthCodesAt,
      excluded,
      counting,
      weight,
      low,
    );
  }
}
