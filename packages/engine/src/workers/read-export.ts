import { checkSearchRequest } from '@lakehouse-search/contract/internal';
import { fetchColdFiles } from '../index/cold-segments.ts';
import { EXPORTED_KINDS, pageOfAll, pageOfMatches } from '../open/export-page.ts';
import type { KeyOrders } from '../open/live-by-key.ts';
import type { OpenIndex } from '../open/open-index.ts';
import type { SearchContext } from '../search/context.ts';
import { textsOfItems } from './long-answer.ts';
import type { ExportTexts, ExportWork } from './messages.ts';

/** Reads one page of an export in this thread. `contextOf`: what the search of a page works on. */
export async function readExport(
  open: Pick<OpenIndex, 'snapshot' | 'mapping'>,
  { query, tenant, page }: ExportWork,
  orders: KeyOrders,
  contextOf: () => SearchContext,
): Promise<ExportTexts> {
  const began = performance.now();
  await fetchColdFiles(open.snapshot.segments, EXPORTED_KINDS);
  const isWhole = query === undefined && tenant === undefined;
  const { documents, after } = isWhole
    ? pageOfAll(open, page, orders)
    : await pageOfMatches(open, query ?? '*:*', page, async (request) => {
        const { searchIndex } = await import('../search/search.ts');
        return searchIndex(contextOf(), checkSearchRequest(request));
      });
  const texts = textsOfItems(documents);
  return { texts, docs: documents.length, after, millis: performance.now() - began };
}
