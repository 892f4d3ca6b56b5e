import type { SearchResponse } from '@lakehouse-search/contract';
import { changed, hrefOf, type SearchPlace } from '../place/place.ts';
import { count } from '../text/figures.ts';

/** What to try next: the query that was meant, what each clause finds alone, fewer filters. */
export function NothingFound({
  place,
  answer,
}: {
  readonly place: SearchPlace;
  readonly answer: SearchResponse;
}) {
  const { clauses = [], suggested_query: meant, suggested_total: hits } = answer;
  const to = (part: Partial<SearchPlace>) => hrefOf(changed(place, part));
  const link = (query: string) => <a href={to({ query })}>{query}</a>;
  return (
    <div class="nothing">
      {meant !== undefined && (
        <p>
          Search for {link(meant)}
          {hits !== undefined && ` (${count(hits)})`}
        </p>
      )}
      {clauses.length > 0 && (
        <>
          <p>Each clause alone finds:</p>
          <ul>
            {clauses.map(({ clause, total, total_without, elsewhere = [], ...meant }) => (
              <li key={clause}>
                {link(clause)}: {count(total)}
                {total_without !== undefined && ` · without it ${count(total_without)}`}
                {meant.suggestion !== undefined && (
                  <>
                    {' · did you mean '}
                    {link(meant.suggestion)}?
                    {meant.suggestion_total !== undefined && ` ${count(meant.suggestion_total)}`}
                  </>
                )}
                {elsewhere.map((found) => (
                  <span key={found.clause}>
                    {' · '}
                    {link(found.clause)}: {count(found.total)}
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        {place.page > 1 && <a href={to({})}>First page</a>}
        {place.filters.length > 0 && <a href={to({ filters: [] })}>Remove all filters</a>}
        {place.query !== '' && <a href={to({ query: '', mode: 'lexical' })}>Show everything</a>}
      </p>
    </div>
  );
}
