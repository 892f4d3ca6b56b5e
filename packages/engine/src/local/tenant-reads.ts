import type { Backend, IndexRequest } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { aggregateLocal, facetsLocal } from './aggregate.ts';
import { clauseCountsLocal, explainLocal, keysLocal, suggestLocal } from './ask.ts';
import { describeTenant, type TenantIndexDescription } from './describe-tenant.ts';
import { exportLocal } from './export.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { hybridLocal, semanticLocal } from './meaning.ts';
import { closePit, openPit } from './point-in-time.ts';
import { searchLocal } from './search.ts';

/**
 * Operations that are narrowed to one tenant. What is not here, a tenant's caller does not get.
 * `suggest` is refused: it counts the documents of all tenants.
 */
export type TenantReads = Pick<
  Backend,
  | 'search'
  | 'semantic'
  | 'hybrid'
  | 'aggregate'
  | 'facets'
  | 'clauseCounts'
  | 'explain'
  | 'getKeys'
  | 'suggest'
  | 'exportDocuments'
  | 'openPit'
  | 'closePit'
> & {
  describeIndex(request: IndexRequest): Promise<TenantIndexDescription>;
};

/**
 * The operations of a tenant's callers. The tenant is no part of any request: it comes from who asks.
 * Throws invalid_argument for an empty name, which rows may have that belong to nobody.
 */
export function tenantReads(indexes: LocalIndexes, tenant: string): TenantReads {
  if (typeof tenant !== 'string' || tenant === '') {
    throw new LhsError('invalid_argument', 'a tenant needs a name');
  }
  const { life } = indexes;
  return Object.freeze<TenantReads>({
    search: (request) => life.call(() => searchLocal(indexes, request, tenant)),
    semantic: (request) => life.call(() => semanticLocal(indexes, request, tenant)),
    hybrid: (request) => life.call(() => hybridLocal(indexes, request, tenant)),
    aggregate: (request) => life.call(() => aggregateLocal(indexes, request, tenant)),
    facets: (request) => life.call(() => facetsLocal(indexes, request, tenant)),
    exportDocuments: (request) => exportLocal(indexes, request, tenant),
    clauseCounts: (request) => life.call(() => clauseCountsLocal(indexes, request, tenant)),
    explain: (request) => life.call(() => explainLocal(indexes, request, tenant)),
    getKeys: (request) => life.call(() => keysLocal(indexes, request, tenant)),
    suggest: (request) => life.call(() => suggestLocal(indexes, request, tenant)),
    describeIndex: (request) => life.call(() => describeTenant(indexes, request, tenant)),
    openPit: (request) => life.call(async () => openPit(indexes, request, tenant)),
    closePit: (request) => life.call(async () => closePit(indexes, request, tenant)),
  });
}
