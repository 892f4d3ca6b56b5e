import { type CallContext, LhsError } from '@lakehouse-search/contract';

/** True if the caller may use all indexes, or this one is in its list. */
export const isListed = ({ principal }: CallContext, index: string): boolean =>
  principal?.indexes === undefined || principal.indexes.includes(index);

/** Throws permission_denied if the caller's list of indexes lacks this one. */
export function requireListed(call: CallContext, index: string): void {
  if (isListed(call, index)) return;
  throw new LhsError('permission_denied', `index "${index}" is not among the caller's indexes`);
}
