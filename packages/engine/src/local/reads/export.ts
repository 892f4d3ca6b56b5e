import type { CallContext, ExportedDocument, ExportRequest } from '@lakehouse-search/contract';
import { checkExportRequest, checkSearchRequest } from '@lakehouse-search/contract/internal';
import { usableMemory } from '@lakehouse-search/lake/internal';
import { LIMITS } from '../../base/limits.ts';
import { Deadline } from '../../base/time/deadline.ts';
import { ownTurn } from '../../base/turns.ts';
import { fetchColdFiles } from '../../index/cold-segments.ts';
import {
  EXPORTED_KINDS,
  type ExportCursor,
  type ExportPage,
  type PageRequest,
  pageOfAll,
  pageOfMatches,
} from '../../open/export-page.ts';
import { KeyOrders } from '../../open/live-by-key.ts';
import type { KnownIndex, OpenIndex } from '../../open/open-index.ts';
import { tenantFilter } from '../../shard/request/tenant-filter.ts';
import { holdColdBytes } from '../../storage/cold-cache.ts';
import { accessible, requireWanted, shareOf } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { contextOf } from './reads.ts';

/** Largest pages of an engine without threads, whose blocks of stored values are unpacked once. */
const herePage = () => ({ docs: 65_536, chars: Math.min(64 * 2 ** 20, usableMemory() / 64) });
/** Largest pages of threads: a reader that waits holds one. */
const THREAD_PAGE = { docs: LIMITS.pageHits, chars: 2 ** 20 };
/** Documents of the first page of a thread, and the time that a page should take. */
const FIRST_DOCS = 512;
const PAGE_MILLIS = 50;

/** An export that runs. */
interface Export {
  readonly indexes: LocalIndexes;
  readonly known: KnownIndex;
  readonly open: OpenIndex;
  readonly query: string | undefined;
  readonly call: CallContext;
}

/**
 * All documents of an index, or those that a query finds; of a tenant's caller, the tenant's. They
 * are read page by page, in a search thread if there are some. Throws interrupted and
 * deadline_exceeded between two pages.
 */
export async function* exportLocal(
  indexes: LocalIndexes,
  request: ExportRequest,
  call: CallContext,
): AsyncGenerator<ExportedDocument> {
  const { index, query } = checkExportRequest(request);
  const known = accessible(indexes, index, call);
  const open = indexes.hold(known);
  const endOfRead = holdColdBytes();
  try {
    const tenant = call.principal?.tenant;
    if (tenant !== undefined) tenantFilter(open.mapping, tenant);
    const running = { indexes, known, open, query, call };
    if (indexes.searchThreads === null) yield* pagesHere(running, herePage());
    else yield* pagesOfThreads(running);
  } finally {
    endOfRead();
    open.snapshot.release();
  }
}

/** Throws if nobody waits for the next page, or the catalog may hide rows of the commit now. */
async function requireReadable({ indexes, known, open, call }: Export): Promise<void> {
  requireWanted(call, indexes.clock);
  await indexes.tables.lag(known, open);
}

/** Pages that are read in this thread, from `after` on. */
async function* pagesHere(
  running: Export,
  most: Omit<PageRequest, 'after'>,
  after: ExportCursor | null = null,
): AsyncGenerator<ExportedDocument> {
  const orders = new KeyOrders();
  await fetchColdFiles(running.open.snapshot.segments, EXPORTED_KINDS);
  for (let page = { ...most, after }; ; ) {
    await requireReadable(running);
    const { documents, after } = await pageHere(running, page, orders);
    yield* documents;
    if (after === null) return;
    page = { ...page, after, docs: Math.min(most.docs, 2 * documents.length || 1) };
    await ownTurn();
  }
}

async function pageHere(
  { indexes, known, open, query, call }: Export,
  page: PageRequest,
  orders: KeyOrders,
): Promise<ExportPage> {
  if (query === undefined && call.principal?.tenant === undefined) {
    return pageOfAll(open, page, orders);
  }
  const { searchIndex } = await import('../../search/search.ts');
  const docs = Math.min(page.docs, LIMITS.pageHits);
  // Each page may take as long as one query.
  return pageOfMatches(open, query ?? '*:*', { ...page, docs }, async (request) => {
    const deadline = new Deadline(LIMITS.queryMillis, indexes.clock);
    const context = await contextOf(indexes, known, open, call, deadline);
    return searchIndex(context, checkSearchRequest(request));
  });
}

/**
 * Pages that threads read. Their texts are parsed one by one, each in a turn of the event loop that
 * no other export has.
 */
async function* pagesOfThreads(running: Export): AsyncGenerator<ExportedDocument> {
  const { indexes, open, query, call } = running;
  const threads = await indexes.searchThreads!();
  const tenant = call.principal?.tenant;
  const isWhole = query === undefined && tenant === undefined;
  const { signal } = call;
  let page: PageRequest = { ...THREAD_PAGE, after: null, docs: FIRST_DOCS };
  for (;;) {
    await requireReadable(running);
    const work = { kind: 'export', query, tenant, page } as const;
    const read = await threads.exportPage(open, work, { signal, share: shareOf(call) });
    if (read === null) return yield* pagesHere(running, page, page.after);
    for (const text of read.texts) {
      await ownTurn();
      requireWanted(call, indexes.clock);
      yield* JSON.parse(text) as readonly ExportedDocument[];
    }
    const { after, docs, millis } = read;
    if (after === null) return;
    // The search of a page takes as long for few hits as for many.
    const timely = isWhole ? Math.ceil((docs * PAGE_MILLIS) / Math.max(1, millis)) : 2 * docs;
    page = { ...page, after, docs: Math.max(1, Math.min(THREAD_PAGE.docs, 2 * docs, timely)) };
  }
}
