import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { abortedBy, refuseAborted } from '@lakehouse-search/contract/internal';
import type { TransportCall } from './transport.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Throws interrupted or deadline_exceeded for a call that was aborted, or whose time is over. */
export function requireWanted({ signal, deadline }: CallContext): void {
  refuseAborted(signal);
  if (deadline !== undefined && deadline <= Date.now()) throw late();
}

/** The error of a call whose time is over. */
export const late = (): LhsError =>
  new LhsError('deadline_exceeded', 'the deadline of the call has passed', {
    hint: '"deadline" is a time in milliseconds since 1970, "timeoutMs" counts from now',
  });

/**
 * Calls `end` when a call is aborted, at once if it is already, and at its deadline. Returns what
 * forgets both.
 */
export function watchEnd(
  { signal, deadline }: Pick<TransportCall, 'signal' | 'deadline'>,
  end: (error: LhsError) => void,
): () => void {
  const abort = () => end(abortedBy(signal!));
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (deadline !== undefined) {
    const pause = Math.max(0, deadline - Date.now());
    timer = setTimeout(() => end(late()), Math.min(pause, LONGEST_TIMER_MS));
  }
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
}
