import type { CallContext, ExportedDocument, ExportRequest } from '@lakehouse-search/contract';
import { checkExportRequest, checkSearchRequest, LhsError } from '@lakehouse-search/contract';
import { Deadline } from '../base/deadline.ts';
import { fetchColdFiles } from '../index/cold-segments.ts';
import type { KnownIndex } from '../open/open-index.ts';
import { type SearchContext, UNKNOWN_LAG } from '../search/context.ts';
import { localShards } from '../shard/local-shard.ts';
import { tenantFilter } from '../shard/request/tenant-filter.ts';
import { holdColdBytes } from '../storage/cold-cache.ts';
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
  const endOfRead = holdColdBytes();
  try {
    const { snapshot, mapping } = open;
    await fetchColdFiles(snapshot.segments, VALUES);
    if (tenant !== undefined) tenantFilter(mapping, tenant);
    if (query === undefined && tenant === undefined) {
      yield* exportAll(open);
      return;
    }
    const { searchIndex } = await import('../search/search.ts');
    const { filters, clock, models } = indexes;
    const shards = localShards(snapshot, mapping, { filters, clock });
    const { baseDir } = known.registered;
    const context: Omit<SearchContext, 'deadline'> = {
      ...{ snapshot, mapping, shards, tenant, readRows: noTable },
      openModel: (model, checksum) => models.open(model, baseDir, checksum),
      lag: async () => UNKNOWN_LAG,
      hasReached: async () => false,
    };
    // Each page may take as long as one query.
    yield* exportMatches(open, query ?? '*:*', (page) =>
      searchIndex({ ...context, deadline: new Deadline() }, checkSearchRequest(page)),
    );
  } finally {
    endOfRead();
    open.snapshot.release();
  }
}

/** What an export reads of cold segments. */
const VALUES = new Set(['numeric', 'ordinal', 'stored'] as const);

const noTable = (): Promise<never> =>
  Promise.reject(new LhsError('internal', 'an export reads no table'));
