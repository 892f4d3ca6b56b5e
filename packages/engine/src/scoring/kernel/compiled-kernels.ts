import { arenaCode, onceAnArena } from '../../storage/arena-code.ts';
import type { Arena } from '../../storage/directory.ts';
import { phraseCodeOf } from '../phrase/compiled-phrases.ts';
import { scanList } from './describe-terms.ts';
import { SCORING_CODE } from './kernel-code.ts';
import type {
  BoundScan,
  Intersection,
  ListScan,
  PhraseScan,
  QueryKernel,
  RangeScan,
  Sieve,
  SurvivorScan,
} from './kernels.ts';
import { checkQueryDeadline, isOfPage, offerFar } from './running-query.ts';
import { fillUnpackTables } from './unpack-tables.ts';

/** Terms that kernels take: they have so many descriptors. */
export const MAX_TERMS = 8;

type Code = (...values: number[]) => number;

const codeOf = arenaCode(SCORING_CODE, {
  log: Math.log,
  readClock: checkQueryDeadline,
  follows: isOfPage,
  offerFar,
});

/**
 * The inner loops of scoring, over one arena. What scores at least theta is emitted in the arena
 * (kernel-memory.ts). The scans of parts return where to go on.
 */
export class Kernels {
  /** Whole queries. */
  readonly query: QueryKernel;
  readonly #ranges: readonly Code[];
  readonly #bounds: readonly Code[];
  readonly #phrases: readonly Code[];
  /** By list terms, then by dense terms. */
  readonly #lists: readonly (readonly Code[])[];
  readonly #list: Code;
  readonly #sieve: Code;
  readonly #intersect: Code;

  constructor(arena: Arena) {
    const code = codeOf(arena) as Record<string, Code>;
    fillUnpackTables(arena);
    this.query = {
      sample: code.sample as QueryKernel['sample'],
      lookup: code.lookup,
      readAhead: code.readAhead,
      query: code.query,
    };
    this.#ranges = byTerms(code, 'ranges');
    this.#bounds = byTerms(code, 'bounds');
    this.#phrases = byTerms(phraseCodeOf(arena), 'phrases');
    this.#lists = byTerms(code, 'lists').map((listsAny, lists) =>
      byTerms({ ...code, [`lists${lists}Any`]: listsAny }, `lists${lists}`),
    );
    this.#list = code.list;
    this.#sieve = code.sieve;
    this.#intersect = code.intersect;
  }

  /** Emits documents of the blocks [from, to). Stops after a block that emitted. */
  list(scan: ListScan, from: number, to: number): number {
    return scanList(this.#list, scan, from, to);
  }

  /**
   * Emits documents of the ranges order[from .. to) that hold all terms and are in no excluded
   * bitmap. Stops after a range that emitted.
   */
  ranges(scan: RangeScan, from: number, to: number): number {
    const { terms, orderAt, boundsAt, codesAt, excluded, theta, low } = scan;
    const run = this.#ranges[terms];
    return run(from, to, orderAt, boundsAt, codesAt, excluded, 0, theta, low, Infinity);
  }

  /** Finds the ranges that all terms have and that can reach theta; returns how many. */
  bounds({ terms, ranges, boundsAt, intoAt, roundUp, theta }: BoundScan): number {
    return this.#bounds[terms](ranges, boundsAt, intoAt, roundUp, theta);
  }

  /** Emits documents of survivors[from .. to), which hold all terms. Stops when 16 are emitted. */
  lists(scan: SurvivorScan, from: number, to: number): number {
    const { lists, dense, survivorsAt, codesAt, theta, low, denseMax } = scan;
    return this.#lists[lists][dense](from, to, survivorsAt, codesAt, theta, low, denseMax);
  }

  /** Keeps documents by a bitmap; returns how many. */
  sieve({ sourceAt, size, bitmapAt, intoAt, hitsAt, first, flip }: Sieve): number {
    return this.#sieve(sourceAt, size, bitmapAt, intoAt, hitsAt, first, flip);
  }

  /** Finds the common documents; returns how many. */
  intersect(lists: Intersection): number {
    const { aAt, aSize, bAt, bSize, intoAt, aIndexesAt, bIndexesAt } = lists;
    return this.#intersect(aAt, aSize, bAt, bSize, intoAt, aIndexesAt, bIndexesAt);
  }

  /**
   * Emits or counts documents of the ranges order[from .. to) with the phrase, with their phrase
   * frequencies (i32 at SCORES_AT). Stops after a range that emitted.
   */
  phrases(scan: PhraseScan, from: number, to: number): number {
    const { orderAt, boundsAt, codesAt, widthCodesAt, excluded, counting, weight, low } = scan;
    const run = this.#phrases[scan.terms];
    return run(from, to, orderAt, boundsAt, codesAt, widthCodesAt, excluded, counting, weight, low);
  }
}

/** The kernels of a name by their number of terms: one for that number, or the one for any. */
function byTerms(code: Readonly<Record<string, Code>>, name: string): readonly Code[] {
  const general = code[`${name}Any`];
  return Array.from({ length: MAX_TERMS + 1 }, (_, terms) => {
    return code[`${name}${terms}`] ?? ((...values: number[]) => general(terms, ...values));
  });
}

/** The kernels of an arena. */
export const scoringKernelsOf = onceAnArena((arena) => new Kernels(arena));
