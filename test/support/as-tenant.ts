import type { CallContext } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';

/** The reads of a backend, as the callers of one tenant make them. */
export type TenantReads = Pick<
  BackendApi,
  | 'search'
  | 'semantic'
  | 'hybrid'
  | 'aggregate'
  | 'facets'
  | 'clauseCounts'
  | 'explain'
  | 'getKeys'
  | 'suggest'
  | 'describeIndex'
  | 'exportDocuments'
  | 'openPit'
  | 'closePit'
>;

/** A backend whose calls come from a tenant's caller. */
export function asTenant(backend: BackendApi, tenant: string): TenantReads {
  const call: CallContext = {
    principal: { subject: `user of ${tenant}`, tenant, scopes: ['search', 'index_read'] },
  };
  return {
    search: (request) => backend.search(request, call),
    semantic: (request) => backend.semantic(request, call),
    hybrid: (request) => backend.hybrid(request, call),
    aggregate: (request) => backend.aggregate(request, call),
    facets: (request) => backend.facets(request, call),
    clauseCounts: (request) => backend.clauseCounts(request, call),
    explain: (request) => backend.explain(request, call),
    getKeys: (request) => backend.getKeys(request, call),
    suggest: (request) => backend.suggest(request, call),
    describeIndex: (request) => backend.describeIndex(request, call),
    exportDocuments: (request) => backend.exportDocuments(request, call),
    openPit: (request) => backend.openPit(request, call),
    closePit: (request) => backend.closePit(request, call),
  };
}
