import type { ExportedDocument } from '@lakehouse-search/contract';
import { type PageRequest, pageOfAll } from '../../src/open/export-page.ts';
import { KeyOrders } from '../../src/open/live-by-key.ts';
import type { OpenIndex } from '../../src/open/open-index.ts';

const PAGE = { docs: 65_536, chars: 64 * 2 ** 20 };

/** All documents of an index, read page by page. */
export function* exportAll(
  open: Pick<OpenIndex, 'snapshot' | 'mapping'>,
  most: Omit<PageRequest, 'after'> = PAGE,
): Generator<ExportedDocument> {
  const orders = new KeyOrders();
  for (let page: PageRequest = { ...most, after: null }; ; ) {
    const { documents, after } = pageOfAll(open, page, orders);
    yield* documents;
    if (after === null) return;
    page = { ...page, after, docs: Math.min(most.docs, 2 * documents.length) };
  }
}
