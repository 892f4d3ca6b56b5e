import type { SearchResponse } from '@lakehouse-search/contract';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { count } from '../text/figures.ts';
import { MOST_OFFSET, PAGE_HITS } from './search-request.ts';

/** Links to the pages before and behind; far pages go on from their last hit. */
export function Pager({
  place,
  answer: { total, hits },
}: {
  readonly place: SearchPlace;
  readonly answer: SearchResponse;
}) {
  const { page, after } = place;
  const pages = Math.max(1, Math.ceil(total / PAGE_HITS));
  if (pages <= 1 && page === 1) return null;
  const next = page < pages ? behind(place, hits.at(-1)?.sort) : undefined;
  const to = (other: Partial<SearchPlace>) =>
    hrefOf({ ...place, row: undefined, after: undefined, ...other });
  return (
    <nav class="pager" aria-label="Pages">
      {page > 1 && <a href={to({ page: 1 })}>First</a>}
      {page > 1 && after === undefined && (
        <a rel="prev" href={to({ page: page - 1 })}>
          ← Previous
        </a>
      )}
      <span>
        page {count(page)} of {count(pages)}
      </span>
      {next !== undefined && (
        <a rel="next" href={to(next)}>
          Next →
        </a>
      )}
    </nav>
  );
}

/** The page behind one; undefined if neither an offset nor the last hit leads to it. */
function behind(
  { page, mode }: SearchPlace,
  sort: readonly unknown[] | undefined,
): Partial<SearchPlace> | undefined {
  if (page * PAGE_HITS <= MOST_OFFSET) return { page: page + 1 };
  if (mode !== 'lexical' || sort === undefined) return undefined;
  return { page: page + 1, after: JSON.stringify(sort) };
}
