/** The page that the query kernel fills: the kernel compares keys with its start through it. */
import type { ScoringSegment } from './request.ts';
import type { TopDocs } from './top-docs.ts';

/** A search is synchronous, so there is one at a time. */
let segments: readonly ScoringSegment[] = [];
let page: TopDocs | null = null;

/** Runs `search`; while it runs, `isOfPage` compares with the start of `top`. */
export function withPage<T>(
  top: TopDocs | null,
  searched: readonly ScoringSegment[],
  search: () => T,
): T {
  const [before, others] = [page, segments];
  page = top;
  segments = searched;
  try {
    return search();
  } finally {
    page = before;
    segments = others;
  }
}

/**
 * 1 where the key of a document comes after that of the document behind which the page begins; `s`:
 * place of its segment in the search. Else 0.
 */
export function isOfPage(s: number, doc: number): number {
  return page!.follows(segments[s].number, doc) ? 1 : 0;
}
