import type { CallContext, ExportedDocument, ExportRequest } from '@lakehouse-search/contract';
import {
  checkCall,
  checkExportRequest,
  checkSearchRequest,
  LhsError,
} from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { tenantGuard } from '../search/tenant.ts';
import { accessible, requireWanted } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';

/**
 * All documents of an index, or those that a query finds, or those of them that are a tenant's.
 * Throws closed when the engine is closed before the last one.
 */
export function exportLocal(
  indexes: LocalIndexes,
  request: ExportRequest,
  call?: CallContext,
): AsyncGenerator<ExportedDocument> {
  return indexes.life.stream(() => documents(indexes, request, checkCall(call)), true);
}

async function* documents(
  indexes: LocalIndexes,
  request: ExportRequest,
  call: CallContext,
): AsyncGenerator<ExportedDocument> {
  const { index, query } = checkExportRequest(request);
  requireWanted(call, indexes.clock);
  const { exportAll, exportMatches } = await import('../open/export-documents.ts');
  const known = accessible(indexes, index, call);
  const tenant = call.principal?.tenant;
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
