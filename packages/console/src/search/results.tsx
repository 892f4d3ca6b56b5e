import type { IndexDescription, ModeRequest, SearchResponse } from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { Problem } from '../parts/problem.tsx';
import { type Answer, useAnswer } from '../parts/use-answer.ts';
import { hrefOf, type SearchPlace } from '../place/place.ts';
import { AsCommand } from './as-command.tsx';
import { Facets } from './facets.tsx';
import { HitItem } from './hit-item.tsx';
import { NothingFound } from './nothing-found.tsx';
import { RowPanel } from './row-panel.tsx';
import { modeRequest, PAGE_HITS } from './search-request.ts';
import { Summary } from './summary.tsx';

/** A search of an index. */
export interface ResultsProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly description: IndexDescription;
}

/** What a search finds: facets, hits and the open row side by side. */
export function Results({ place, index, description }: ResultsProps) {
  const service = useService();
  const wanted = modeRequest(place, index, description);
  const answer = useAnswer<SearchResponse>(wanted && JSON.stringify(wanted), (signal) =>
    runSearch(service, wanted as ModeRequest, signal),
  );
  if (wanted === undefined) {
    return (
      <p class="nothing quiet">Write what you look for: a sentence finds what means the same.</p>
    );
  }
  const { error, value } = answer;
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      {value === undefined && answer.isLoading && <p class="quiet">searching …</p>}
      {value !== undefined && (
        <Found {...{ place, index, description, wanted, value, isStale: isStale(answer) }} />
      )}
    </>
  );
}

const isStale = ({ error, isLoading }: Answer<unknown>): boolean =>
  isLoading || error !== undefined;

function runSearch(
  service: ReturnType<typeof useService>,
  wanted: ModeRequest,
  signal: AbortSignal,
): Promise<SearchResponse> {
  switch (wanted.mode) {
    case 'lexical':
      return service.call('search', { ...wanted.request, suggest: true }, signal);
    case 'semantic':
      return service.call('semantic', wanted.request, signal);
    case 'hybrid':
      return service.call('hybrid', wanted.request, signal);
  }
}

interface FoundProps extends ResultsProps {
  readonly wanted: ModeRequest;
  readonly value: SearchResponse;
  /** A newer answer is on its way, or has failed. */
  readonly isStale: boolean;
}

function Found({ place, index, description, wanted, value, isStale }: FoundProps) {
  const { row } = place;
  return (
    <div class={`found${isStale ? ' stale' : ''}${row === undefined ? '' : ' with-row'}`}>
      <Facets place={{ ...place, index }} answer={value} description={description} />
      <section class="hits" aria-label="Hits" aria-busy={isStale}>
        <Summary index={index} answer={value} />
        <AsCommand wanted={wanted} />
        {value.hits.length === 0 && <NothingFound place={{ ...place, index }} answer={value} />}
        <ol start={(place.page - 1) * PAGE_HITS + 1}>
          {value.hits.map((hit, at) => (
            <HitItem
              key={JSON.stringify(hit.coordinates)}
              hit={hit}
              rank={(place.page - 1) * PAGE_HITS + at + 1}
              place={{ ...place, index }}
              description={description}
            />
          ))}
        </ol>
        <Pager place={{ ...place, index }} total={value.total} />
      </section>
      {row !== undefined && (
        <RowPanel place={{ ...place, index }} {...{ index, description, wanted, row }} />
      )}
    </div>
  );
}

function Pager({ place, total }: { readonly place: SearchPlace; readonly total: number }) {
  const pages = Math.ceil(total / PAGE_HITS);
  if (pages <= 1 && place.page === 1) return null;
  const to = (page: number) => hrefOf({ ...place, page, row: undefined });
  return (
    <nav class="pager" aria-label="Pages">
      {place.page > 1 && (
        <a rel="prev" href={to(place.page - 1)}>
          ← Previous
        </a>
      )}
      <span>
        page {place.page} of {Math.max(pages, 1)}
      </span>
      {place.page < pages && (
        <a rel="next" href={to(place.page + 1)}>
          Next →
        </a>
      )}
    </nav>
  );
}
