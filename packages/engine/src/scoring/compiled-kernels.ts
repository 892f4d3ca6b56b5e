import { plainLoops } from '../base/plain-loops.ts';
import { arenaCode, onceAnArena } from '../storage/arena-code.ts';
import type { Arena } from '../storage/directory.ts';
import { scanList } from './describe-terms.ts';
import { SCORING_CODE } from './kernel-code.ts';
import type {
  BoundScan,
  Intersection,
  Kernels,
  ListScan,
  PhraseScan,
  QueryKernel,
  RangeScan,
  Sieve,
  SurvivorScan,
} from './kernels.ts';
import { phraseCodeOf } from './phrase/compiled-phrases.ts';
import { PlainKernels } from './plain-kernels.ts';
import { checkQueryDeadline, isOfPage } from './running-query.ts';
import { fillUnpackTables } from './unpack-tables.ts';

type Code = (...values: number[]) => number;

/** WebAssembly, or plain loops where LHS_WASM=0 asks for them. */
function createKernels(arena: Arena): Kernels {
  const loops = new PlainKernels(arena);
  return plainLoops() ? loops : new CompiledKernels(arena, loops);
}

/** The kernels of an arena. */
export const scoringKernelsOf = onceAnArena(createKernels);

const codeOf = arenaCode(SCORING_CODE, {
  log: Math.log,
  readClock: checkQueryDeadline,
  follows: isOfPage,
});

/** WebAssembly for up to four terms, plain loops beyond. */
class CompiledKernels implements Kernels {
  readonly query: QueryKernel;
  readonly #plain: PlainKernels;
  readonly #ranges: readonly (Code | undefined)[];
  readonly #lists: readonly (Code | undefined)[];
  readonly #phrases: readonly (Code | undefined)[];
  readonly #bounds: readonly (Code | undefined)[];
  readonly #list: Code;
  readonly #sieve: Code;
  readonly #intersect: Code;

  constructor(arena: Arena, plain: PlainKernels) {
    const code = codeOf(arena) as Record<string, Code>;
    this.#plain = plain;
    fillUnpackTables(arena);
    this.query = {
      sample: code.sample as QueryKernel['sample'],
      lookup: code.lookup,
      readAhead: code.readAhead,
      query: code.query,
    };
    this.#ranges = [undefined, code.ranges1, code.ranges2, code.ranges3, code.ranges4];
    const phrases = phraseCodeOf(arena);
    this.#phrases = [undefined, undefined, phrases?.phrases2, phrases?.phrases3];
    this.#bounds = [undefined, code.bounds1, code.bounds2, code.bounds3, code.bounds4];
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
    this.#list = code.list;
    this.#sieve = code.sieve;
    this.#intersect = code.intersect;
  }

  list(scan: ListScan, from: number, to: number): number {
    return scanList(this.#list, scan, from, to);
  }

  ranges(scan: RangeScan, from: number, to: number): number {
    const run = this.#ranges[scan.terms];
    if (run === undefined) return this.#plain.ranges(scan, from, to);
    const { orderAt, boundsAt, codesAt, excluded, theta, low } = scan;
    return run(from, to, orderAt, boundsAt, codesAt, excluded, 0, theta, low, Infinity);
  }

  bounds(scan: BoundScan): number {
    const run = this.#bounds[scan.terms];
    if (run === undefined) return this.#plain.bounds(scan);
    return run(scan.ranges, scan.boundsAt, scan.intoAt, scan.roundUp, scan.theta);
  }

  lists(scan: SurvivorScan, from: number, to: number): number {
    const { lists, dense, survivorsAt, codesAt, theta, low, denseMax } = scan;
    const run = dense < 8 ? this.#lists[8 * lists + dense] : undefined;
    if (run === undefined) return this.#plain.lists(scan, from, to);
    return run(from, to, survivorsAt, codesAt, theta, low, denseMax);
  }

  sieve({ sourceAt, size, bitmapAt, intoAt, hitsAt, first, flip }: Sieve): number {
    return this.#sieve(sourceAt, size, bitmapAt, intoAt, hitsAt, first, flip);
  }

  intersect(lists: Intersection): number {
    const { aAt, aSize, bAt, bSize, intoAt, aIndexesAt, bIndexesAt } = lists;
    return this.#intersect(aAt, aSize, bAt, bSize, intoAt, aIndexesAt, bIndexesAt);
  }

  phrases(scan: PhraseScan, from: number, to: number): number {
    const run = this.#phrases[scan.terms];
    if (run === undefined) return this.#plain.phrases(scan, from, to);
    const { orderAt, boundsAt, codesAt, widthCodesAt, excluded, counting, weight, low } = scan;
    return run(from, to, orderAt, boundsAt, codesAt, widthCodesAt, excluded, counting, weight, low);
  }

  phraseSurvivors(scan: PhraseScan, from: number, to: number): number {
    return this.#plain.phraseSurvivors(scan, from, to);
  }
}
