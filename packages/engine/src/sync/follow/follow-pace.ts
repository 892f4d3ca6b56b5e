import type { LhsError } from '@lakehouse-search/contract';

/** The first pause after something has happened. */
const QUICK_MS = 250;
/** The least pause after a commit that was published. */
export const PUBLISH_MS = 1000;
/** The first and the longest pause after a fault. */
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 60_000;
/** Somebody else's sync is short: it is not waited for much longer than that. */
const LAST_BUSY_MS = 5000;
/** So many times in a row a fault of the table's files is taken for a passing one. */
const BROKEN_LOOKS = 3;

/**
 * The pause before the next look at a table: it doubles with each look that found nothing up to
 * `pollMs`; up to a fifth is taken off by chance, so that many followers do not come at once.
 */
export function lookPause(quietLooks: number, pollMs: number, random: number): number {
  const pause = Math.min(pollMs, QUICK_MS * 2 ** Math.min(quietLooks, 30));
  return Math.ceil(pause * (1 - random / 5));
}

/** The pause before the next attempt: doubled with each that failed; half of it is by chance. */
export function retryPause(error: LhsError, failures: number, random: number): number {
  const longest = error.code === 'index_busy' ? LAST_BUSY_MS : LAST_RETRY_MS;
  const pause = Math.min(longest, FIRST_RETRY_MS * 2 ** Math.min(failures, 30));
  return Math.ceil((pause * (1 + random)) / 2);
}

/** What a follower has seen by now. */
export interface Seen {
  /** The table was reached at least once. */
  readonly reached: boolean;
  /** Attempts in a row that failed with this code. */
  readonly inARow: number;
}

/**
 * Whether the next attempt may go well by itself: the table or its catalog is away, the index is
 * held by another, the disk is full. A table that is refused is a mistake at first and an outage
 * later; one whose files are broken may be in the middle of being moved. One that is not there was
 * there when the index was built. A data folder that was removed does not come back for an engine
 * that has it open.
 */
export function mendsItself({ code, details }: LhsError, { reached, inARow }: Seen): boolean {
  switch (code) {
    case 'source_unreachable':
    case 'source_not_found':
    case 'index_busy':
    case 'disk_full':
      return true;
    case 'io_error':
      return details.gone !== true;
    case 'permission_denied':
      return reached;
    case 'source_invalid':
      return reached && inARow < BROKEN_LOOKS;
    default:
      return false;
  }
}
