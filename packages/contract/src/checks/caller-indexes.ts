/**
 * The indexes that a caller may use. A caller who is restricted to some indexes or a tenant gets
 * the same error for an index that does not exist and for one that is closed, without names that
 * the request does not have: errors tell nothing about other indexes.
 */
import type { CallContext } from '../call.ts';
import { LhsError } from '../errors.ts';

/** True if the caller may use all indexes, or its list has this one. */
export const isListed = ({ principal }: CallContext, index: string): boolean =>
  principal?.indexes === undefined || principal.indexes.includes(index);

/** True if a list of indexes or a tenant restricts the caller. */
export const isRestricted = ({ principal }: CallContext): boolean =>
  principal?.indexes !== undefined || principal?.tenant !== undefined;

/** Throws permission_denied if the caller's list lacks an index. `name`: as the request has it. */
export function requireListed(call: CallContext, index: string, name = index): void {
  if (!isListed(call, index)) throw notListed(name);
}

/** Throws permission_denied for callers of some indexes: the operation concerns all tables. */
export function refuseListed({ principal }: CallContext, operation: string): void {
  if (principal?.indexes === undefined) return;
  const message = `${operation} is closed to the callers of some indexes: it concerns all tables`;
  throw new LhsError('permission_denied', message);
}

/**
 * The index that a request names, itself or by an alias; without a name, the only one that the
 * caller may use. Throws invalid_argument, index_not_found, permission_denied.
 */
export function namedIndex(
  name: string | undefined,
  names: readonly string[],
  aliasOf: (alias: string) => string | undefined,
  call: CallContext,
): string {
  if (name === undefined || name === '') return onlyIndex(names, call);
  const index = names.includes(name) ? name : aliasOf(name);
  if (index === undefined || !isListed(call, index)) throw noIndex(name, call);
  return index;
}

/** The only index that the caller may use. Throws invalid_argument. */
export function onlyIndex(names: readonly string[], call: CallContext): string {
  const own = names.filter((name) => isListed(call, name));
  if (own.length === 1) return own[0];
  const isTenant = call.principal?.tenant !== undefined;
  const count = isTenant ? '' : `; endpoint serves ${own.length} indexes`;
  throw new LhsError('invalid_argument', `index required${count}`, {
    next: [{ step: own.length === 0 ? 'create_index' : 'list_indexes' }],
  });
}

/** The error for an index that does not exist, or that the caller may not use. */
export function noIndex(name: string, call: CallContext): LhsError {
  if (!isListed(call, name)) return notListed(name);
  const { indexes, tenant } = call.principal ?? {};
  if (tenant !== undefined && indexes === undefined) return closedToTenants();
  return new LhsError('index_not_found', `there is no index "${name}"`, {
    ...(namesSeveral(name) && { hint: ONE_INDEX }),
    next: [{ step: 'list_indexes' }],
  });
}

/** The hint for a name that other engines take for several indexes. */
export const ONE_INDEX = 'one request reads one index';

/** Whether other engines take a name for several indexes: `a,b`, `logs-*`, `_all`. */
export const namesSeveral = (name: string): boolean => /[,*]|^_all$/.test(name);

/** The error for an index that does not tell tenants apart. */
export const closedToTenants = (): LhsError =>
  new LhsError('permission_denied', 'there is no such index, or it has no tenant_field', {
    hint: 'callers of a tenant need an index with a tenant_field in its definition',
  });

const notListed = (name: string): LhsError =>
  new LhsError('permission_denied', `index "${name}" is not among the caller's indexes`);
