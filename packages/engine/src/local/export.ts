import type { SourceTable } from '@lakehouse-search/lake';
import type { ExportedDocument } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { tenantGuard } from '../search/tenant.ts';
import type { LocalIndexes } from './local-indexes.ts';

/**
 * All documents of an index, or those that a query finds, or those of them that are a tenant's.
 * Throws closed when the engine is closed before the last one.
 */
export function exportLocal(
  indexes: LocalIndexes,
  request: { readonly index?: string; readonly query?: string },
  tenant?: string,
): AsyncGenerator<ExportedDocument> {
  return indexes.life.stream(() => documents(indexes, request, tenant), true);
}

async function* documents(
  indexes: LocalIndexes,
  { index, query }: { readonly index?: string; readonly query?: string },
  tenant?: string,
): AsyncGenerator<ExportedDocument> {
  const { exportAll, exportMatches } = await import('../registry/export-documents.ts');
  const open = indexes.hold(indexes.resolve(index));
  try {
    const guard = tenant === undefined ? null : tenantGuard(open.mapping, tenant);
    if (query === undefined && guard === null) {
      yield* exportAll(open);
      return;
    }
    const { searchIndex } = await import('../search/search.ts');
    const { filters } = indexes;
    const context = { ...open, openTable: noTable, filters, tenant, guard };
    yield* exportMatches(open, query ?? '*:*', (page) => searchIndex(context, page));
  } finally {
    open.snapshot.release();
  }
}

const noTable = (): Promise<SourceTable> =>
  Promise.reject(new LhsError('internal', 'an export reads no table'));
