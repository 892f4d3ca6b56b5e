import { checkSearchRequest, type ExportedDocument, textOfJson } from '@lakehouse-search/contract';
import { fetchColdFiles } from '../index/cold-segments.ts';
import { EXPORTED_KINDS, pageOfAll, pageOfMatches } from '../open/export-page.ts';
import type { KeyOrders } from '../open/live-by-key.ts';
import type { OpenIndex } from '../open/open-index.ts';
import type { SearchContext } from '../search/context.ts';
import type { ExportTexts, ExportWork } from './messages.ts';

/** Characters of a text: about a millisecond of parsing for its reader. */
const TEXT_CHARS = 64 * 1024;

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
  const texts = textsOf(documents);
  return { texts, docs: documents.length, after, millis: performance.now() - began };
}

function textsOf(documents: readonly ExportedDocument[]): readonly string[] {
  const texts: string[] = [];
  let part: string[] = [];
  let chars = 0;
  for (const document of documents) {
    const text = textOfJson(document);
    part.push(text);
    chars += text.length;
    if (chars < TEXT_CHARS) continue;
    texts.push(`[${part.join(',')}]`);
    part = [];
    chars = 0;
  }
  if (part.length > 0) texts.push(`[${part.join(',')}]`);
  return texts;
}
