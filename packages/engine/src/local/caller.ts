import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { Clock } from '../base/clock.ts';
import { Deadline, deadlineExceeded } from '../base/deadline.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { requireTenants } from '../search/tenant.ts';
import type { LocalIndexes } from './local-indexes.ts';

/**
 * The index that a request names, if the caller may use it. Throws index_not_found,
 * invalid_argument, and permission_denied where the caller's list of indexes lacks it, or where the
 * caller has a tenant and the index no `tenant_field`.
 */
export function accessible(
  indexes: LocalIndexes,
  index: string | undefined,
  call: CallContext,
): KnownIndex {
  const known = indexes.resolve(index);
  requireListed(call, known.registered.name);
  if (call.principal?.tenant !== undefined) requireTenants(known.definition);
  return known;
}

/** True where the caller may use all indexes, or this one is in its list. */
export function isListed({ principal }: CallContext, name: string): boolean {
  return principal?.indexes === undefined || principal.indexes.includes(name);
}

/** Throws permission_denied where the caller's list of indexes lacks this one. */
export function requireListed(call: CallContext, name: string): void {
  if (isListed(call, name)) return;
  throw new LhsError('permission_denied', `index "${name}" is not among the caller's indexes`);
}

/** Throws permission_denied for the callers of a tenant: the operation concerns all rows. */
export function refuseTenants({ principal }: CallContext, operation: string): void {
  if (principal?.tenant === undefined) return;
  const message = `${operation} is closed to the callers of a tenant: it concerns all rows`;
  throw new LhsError('permission_denied', message);
}

/** The time limit of a read: that of every query, or what the call leaves of it. */
export function readDeadline({ deadline }: CallContext, clock: Clock): Deadline {
  return deadline === undefined ? new Deadline() : Deadline.until(deadline, clock);
}

/** Throws interrupted or deadline_exceeded for a call that was aborted, or whose time is over. */
export function requireWanted({ signal, deadline }: CallContext, clock: Clock): void {
  if (signal?.aborted) throw new LhsError('interrupted', 'the call was aborted');
  if (deadline !== undefined && deadline <= clock.now()) throw deadlineExceeded();
}
