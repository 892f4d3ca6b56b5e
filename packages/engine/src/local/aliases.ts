import type { Alias, CallContext, DropAliasRequest, ListRequest } from '@lakehouse-search/contract';
import {
  checkAliasRequest,
  checkDropAliasRequest,
  checkListRequest,
} from '@lakehouse-search/contract';
import { wasDropped } from '../registry/registry.ts';
import { isListed, requireListed } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** The aliases of the caller's indexes, by name. */
export function listAliases(
  { registry }: LocalIndexes,
  request: ListRequest | undefined,
  call: CallContext,
): readonly Alias[] {
  checkListRequest(request);
  return registry.aliases.list().filter(({ index }) => isListed(call, index));
}

/**
 * Points an alias to an index. Throws index_not_found, index_exists, invalid_argument, and
 * permission_denied if the caller may not use the index that the alias was of.
 */
export function setAlias({ registry }: LocalIndexes, request: Alias, call: CallContext): Alias {
  const { alias, index } = checkAliasRequest(request);
  const target = registry.get(index);
  requireListed(call, target.name);
  const former = registry.aliases.list().find((one) => one.alias === alias);
  if (former !== undefined) requireListed(call, former.index);
  if (!registry.aliases.set(alias, target.uuid)) throw wasDropped(target.name);
  return { alias, index: target.name };
}

/** Removes an alias; its index stays. Throws not_found, invalid_argument. */
export function dropAlias(
  { registry }: LocalIndexes,
  request: DropAliasRequest,
  call: CallContext,
): void {
  const { alias } = checkDropAliasRequest(request);
  const former = registry.aliases.list().find((one) => one.alias === alias);
  if (former !== undefined) requireListed(call, former.index);
  registry.aliases.drop(alias);
}
