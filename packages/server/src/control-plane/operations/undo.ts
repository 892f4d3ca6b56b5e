import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { pause } from '../leader/leadership.ts';

/** Errors after which a node may have done what it was called for. */
const UNKNOWN_END: ReadonlySet<ErrorCode> = new Set([
  'unreachable',
  'deadline_exceeded',
  'interrupted',
]);
/** Times that a node which does not answer is called to undo its part, and the pause between. */
const TURNS = 10;
const PAUSE_MS = 1000;

/** A node may have done what it was called for, although the call failed. */
export const hasUnknownEnd = (error: unknown): boolean =>
  !(error instanceof LhsError) || UNKNOWN_END.has(error.code);

/**
 * Undoes something on a node; tries again while the node does not answer. The error of the last
 * turn, or undefined.
 */
export async function undo(work: () => Promise<unknown>): Promise<unknown> {
  const never = new AbortController().signal;
  for (let turn = 1; ; turn++) {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (turn === TURNS || !hasUnknownEnd(error)) return error;
    }
    await pause(PAUSE_MS, never);
  }
}
