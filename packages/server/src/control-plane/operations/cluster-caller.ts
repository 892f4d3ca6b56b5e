import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { refuseAborted } from '@lakehouse-search/contract/internal';

/**
 * Throws what refuses an operation that concerns all rows before it begins: permission_denied for
 * the callers of a tenant, interrupted, deadline_exceeded.
 */
export function requireWhole({ principal, signal, deadline }: CallContext, name: string): void {
  if (principal?.tenant !== undefined) {
    const message = `${name} is closed to the callers of a tenant: it concerns all rows`;
    throw new LhsError('permission_denied', message);
  }
  refuseAborted(signal);
  if (deadline === undefined || deadline > Date.now()) return;
  throw new LhsError('deadline_exceeded', 'the call was not done at its deadline');
}
