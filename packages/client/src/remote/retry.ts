import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { abortedBy } from '@lakehouse-search/contract/internal';

/** Errors after which a repeated call may succeed. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'overloaded', 'closed']);
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2000;

/** How often a call is repeated. */
export interface RetryOptions {
  /** No attempt begins later than so many milliseconds after the first one. */
  readonly retryMs: number;
  /** The call may be repeated even if the service may have received it. */
  readonly idempotent: boolean;
}

/**
 * The result of the first attempt that succeeds. Pauses double, with jitter, and last at least as
 * long as the service requests. A pause that would pass the deadline or `retryMs` is not begun.
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  { retryMs, idempotent }: RetryOptions,
  call: CallContext,
): Promise<T> {
  const last = Math.min(Date.now() + retryMs, call.deadline ?? Number.POSITIVE_INFINITY);
  for (let failed = 0; ; failed++) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayRepeat(error, idempotent)) throw error;
      const pause = pauseOf(error as LhsError, failed);
      if (!(Date.now() + pause < last)) throw error;
      await sleep(pause, call.signal);
    }
  }
}

function mayRepeat(error: unknown, idempotent: boolean): boolean {
  if (!(error instanceof LhsError) || !PASSING.has(error.code)) return false;
  if (error.details.retry === false) return false;
  return idempotent || error.code === 'overloaded' || error.details.sent === false;
}

function pauseOf({ details }: LhsError, failed: number): number {
  const least = typeof details.retry_after_s === 'number' ? details.retry_after_s * 1000 : 0;
  const pause = FIRST_PAUSE_MS * 2 ** failed * (0.5 + Math.random());
  return Math.max(least, Math.min(pause, MAX_PAUSE_MS));
}

function sleep(millis: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(abortedBy(signal!));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, millis);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
