import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { commitVersion } from '../open/open-index.ts';
import { requireWanted } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Pause between two looks at the commit of an index: a look is one `stat` and one small read. */
const WATCH_MS = 20;

/** The part of a request that demands an index with everything of a snapshot of its table. */
export interface Wanted {
  readonly index?: string;
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
}

/**
 * The answer of `read`. While it throws snapshot_not_reached, it is repeated after each commit of
 * the index, by this process or another, until `wait_ms` are over. Throws interrupted and
 * deadline_exceeded while it waits.
 */
export async function answerOnceReached<T>(
  indexes: LocalIndexes,
  { index, min_snapshot, wait_ms = 0 }: Wanted,
  call: CallContext,
  read: () => Promise<T>,
): Promise<T> {
  if (min_snapshot === undefined) return read();
  const { clock } = indexes;
  const until = clock.ticks() + wait_ms;
  for (;;) {
    const { folder } = indexes.resolve(index);
    const seen = commitVersion(folder);
    try {
      return await read();
    } catch (error) {
      if (!isBehind(error)) throw error;
      while (commitVersion(folder) === seen) {
        const left = until - clock.ticks();
        if (left <= 0) throw wait_ms === 0 ? error : waited(error, wait_ms);
        await clock.sleep(Math.min(left, WATCH_MS), call.signal);
        requireWanted(call, clock);
      }
    }
  }
}

const isBehind = (error: unknown): error is LhsError =>
  error instanceof LhsError && error.code === 'snapshot_not_reached';

function waited({ code, message, hint, next, details }: LhsError, ms: number): LhsError {
  const what = `${message}, after a wait of ${ms} ms`;
  return new LhsError(code, what, { hint, next, details: { ...details, waited_ms: ms } });
}
