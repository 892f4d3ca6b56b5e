import { type CallContext, LhsError } from '@lakehouse-search/contract';

/** Throws interrupted or deadline_exceeded for a call that was aborted, or whose time is over. */
export function requireWanted({ signal, deadline }: CallContext): void {
  if (signal?.aborted) throw new LhsError('interrupted', 'interrupted');
  if (deadline !== undefined && deadline <= Date.now()) throw late();
}

/** The error of a call whose time is over. */
export const late = (): LhsError =>
  new LhsError('deadline_exceeded', 'the deadline of the call has passed');
