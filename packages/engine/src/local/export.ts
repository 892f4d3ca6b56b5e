import type { ExportedDocument, ExportRequest } from '@lakehouse-search/contract';
import { checkExportRequest, checkSearchRequest, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { requireTenants, tenantGuard } from '../search/tenant.ts';
import type { LocalIndexes } from './local-indexes.ts';

/**
 * All documents of an index, or those that a query finds, or those of them that are a tenant's.
 * Throws closed when the engine is closed before the last one.
 */
export function exportLocal(
  indexes: LocalIndexes,
  request: ExportRequest,
  tenant?: string,
): AsyncGenerator<ExportedDocument> {
  return indexes.life.stream(() => documents(indexes, request, tenant), true);
}

async function* documents(
  indexes: LocalIndexes,
  request: ExportRequest,
  tenant?: string,
): AsyncGenerator<ExportedDocument> {
  const { index, query } = checkExportRequest(request);
  const { exportAll, exportMatches } = await import('../open/export-documents.ts');
  const known = indexes.resolve(index);
  if (tenant !== undefined) requireTenants(known.definition);
  const open = indexes.hold(known);
  try {
    const guard = tenant === undefined ? null : tenantGuard(open.mapping, tenant);
    if (query === undefined && guard === null) {
      yield* exportAll(open);
      return;
    }
    const { searchIndex } = await import('../search/search.ts');
    const { filters } = indexes;
    const context = { ...open, openTable: noTable, filters, tenant, guard };
    yield* exportMatches(open, query ?? '*:*', (page) =>
      searchIndex(context, checkSearchRequest(page)),
    );
  } finally {
    open.snapshot.release();
  }
}

const noTable = (): Promise<SourceTable> =>
  Promise.reject(new LhsError('internal', 'an export reads no table'));
