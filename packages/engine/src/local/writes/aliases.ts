import {
  type Alias,
  type CallContext,
  type DropAliasRequest,
  LhsError,
  type ListRequest,
} from '@lakehouse-search/contract';
import {
  checkAliasRequest,
  checkDropAliasRequest,
  checkListRequest,
  isListed,
  isRestricted,
  requireListed,
} from '@lakehouse-search/contract/internal';
import { wasDropped } from '../../registry/changed-meanwhile.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';

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
export function setAlias(indexes: LocalIndexes, request: Alias, call: CallContext): Alias {
  const { alias, index } = checkAliasRequest(request);
  const { registry } = indexes;
  const target = accessible(indexes, index, call).registered;
  const former = registry.aliases.list().find((one) => one.alias === alias);
  if (former !== undefined) requireListed(call, former.index, alias);
  if (!registry.aliases.set(alias, target.uuid)) throw wasDropped(target.name);
  return { alias, index: target.name };
}

const noAlias = (alias: string): LhsError =>
  new LhsError('not_found', `there is no alias "${alias}"`, { next: [{ step: 'list_aliases' }] });

/** Removes an alias; its index stays. Throws not_found, invalid_argument. */
export function dropAlias(
  { registry }: LocalIndexes,
  request: DropAliasRequest,
  call: CallContext,
): void {
  const { alias } = checkDropAliasRequest(request);
  const former = registry.aliases.list().find((one) => one.alias === alias);
  const isOwn = former !== undefined && isListed(call, former.index);
  if (isRestricted(call) && !isOwn) throw noAlias(alias);
  registry.aliases.drop(alias);
}
