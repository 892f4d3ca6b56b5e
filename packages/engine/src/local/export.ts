import type { CallContext, ExportedDocument, ExportRequest } from '@lakehouse-search/contract';
import { checkExportRequest, checkSearchRequest, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { KnownIndex } from '../open/open-indexes.ts';
import { tenantGuard } from '../search/tenant.ts';
import { accessible, requireWanted } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Documents between two looks at the call. */
const STEP = 1024;

/**
 * All documents of an index, or those that a query finds; of a tenant's caller, the tenant's.
 * Throws interrupted and deadline_exceeded between two documents.
 */
export async function* exportLocal(
  indexes: LocalIndexes,
  request: ExportRequest,
  call: CallContext,
): AsyncGenerator<ExportedDocument> {
  const { index, query } = checkExportRequest(request);
  const known = accessible(indexes, index, call);
  let documents = 0;
  for await (const document of documentsOf(indexes, known, query, call.principal?.tenant)) {
    if (documents++ % STEP === 0) requireWanted(call, indexes.clock);
    yield document;
  }
}

async function* documentsOf(
  indexes: LocalIndexes,
  known: KnownIndex,
  query: string | undefined,
  tenant: string | undefined,
): AsyncGenerator<ExportedDocument> {
  const { exportAll, exportMatches } = await import('../open/export-documents.ts');
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
