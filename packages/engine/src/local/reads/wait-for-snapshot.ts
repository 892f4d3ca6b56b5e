import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { endLookPeriod } from '../../base/looks.ts';
import { commitVersion } from '../../open/open-index.ts';
import { accessible, requireWanted } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';

/** Pause between two looks at the commit of an index: a look is one `stat` and one small read. */
const WATCH_MS = 20;

/** Which snapshot of its table an index must hold, and how long a read waits for it. */
export interface SnapshotWait {
  readonly index?: string;
  /** The index must hold everything of this snapshot. */
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
}

/**
 * The result of `attempt`. While it throws snapshot_not_reached, it is repeated after each commit
 * of the index, by this process or another, until `wait_ms` are over. Throws interrupted and
 * deadline_exceeded.
 */
export async function repeatUntilReached<T>(
  indexes: LocalIndexes,
  { index, wait_ms = 0 }: SnapshotWait,
  call: CallContext,
  attempt: () => Promise<T>,
): Promise<T> {
  const { clock } = indexes;
  const until = clock.ticks() + wait_ms;
  for (;;) {
    const { folder } = accessible(indexes, index, call);
    const seen = commitVersion(folder);
    // An attempt at a commit that was looked at before would wait for the one after `seen`.
    endLookPeriod();
    try {
      return await attempt();
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
