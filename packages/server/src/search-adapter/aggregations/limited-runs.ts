import { RefusedDsl } from '../query/refusal.ts';
import type { AggSource } from './agg-part.ts';

/** Reads of indexes that the aggregations of one search take, besides the one with its hits. */
export const MOST_RUNS = 1000;

type Runs = Pick<AggSource, 'run' | 'runOverAll'>;

/** The same with a limit over both. `indexes`: those that each of them reads. */
export function limitedRuns({ run, runOverAll }: Runs, indexes: number): Runs {
  let left = Math.floor(MOST_RUNS / indexes);
  const count = () => {
    if (left === 0) throw tooManyRuns();
    left--;
  };
  return {
    run: async (specs, filter) => {
      count();
      return run(specs, filter);
    },
    runOverAll: async (specs) => {
      count();
      return runOverAll(specs);
    },
  };
}

const TYPE = 'too_many_buckets_exception';

const tooManyRuns = (): RefusedDsl =>
  new RefusedDsl({
    status: 400,
    type: TYPE,
    reason:
      `the aggregations of a search take at most ${MOST_RUNS} reads of indexes: send fewer of ` +
      'them, or put the [composite] source with the fewest values first',
  });

/** The aggregations of a search have taken all reads that they may take. */
export const isTooManyRuns = (error: unknown): boolean =>
  error instanceof RefusedDsl && error.refusal.type === TYPE;
