import type { IndexDescription } from '@lakehouse-search/contract';
import { useEffect, useRef } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { PlaceOfError, Problem } from '../parts/problem.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import type { SearchPlace } from '../place/place.ts';
import type { ServiceError } from '../service/service-error.ts';
import { AsCommand } from './as-command.tsx';
import { Chips } from './chips.tsx';
import { Download } from './download.tsx';
import { Facets } from './facets.tsx';
import { type FoundPage, findPage } from './find-page.ts';
import { Histogram } from './histogram.tsx';
import { HitItem } from './hit-item.tsx';
import { HitTable } from './hit-table.tsx';
import { NothingFound } from './nothing-found.tsx';
import { Pager } from './pager.tsx';
import { RowPanel } from './row-panel.tsx';
import { modeRequest, PAGE_HITS } from './search-request.ts';
import { Summary } from './summary.tsx';
import { useHitKeys } from './use-hit-keys.ts';
import { ViewChoice } from './view-choice.tsx';

/** A search of an index. */
export interface ResultsProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly description: IndexDescription;
  /** How often the same was asked before. */
  readonly turn: number;
  readonly again: () => void;
}

/** What a search finds: facets, hits and the open row side by side. */
export function Results({ place, index, description, turn, again }: ResultsProps) {
  const service = useService();
  const typed = modeRequest(place, index, description);
  const key = typed && JSON.stringify([typed, place.filters, turn]);
  const answer = useAnswer<FoundPage>(key, (signal) =>
    findPage(service, typed!, place, description, signal),
  );
  if (typed === undefined) {
    return (
      <p class="nothing quiet">Write what you look for: a sentence finds what means the same.</p>
    );
  }
  const { error, value } = answer;
  const isQuiet = error?.status === 400 && value !== undefined;
  return (
    <>
      {isQuiet && <Unfinished error={error} />}
      {error !== undefined && !isQuiet && <Problem error={error} again={again} />}
      {value === undefined && answer.isLoading && <p class="quiet">searching …</p>}
      {value !== undefined && (
        <Found
          {...{ place: { ...place, index }, index, description, again }}
          page={value}
          isStale={answer.isLoading || (error !== undefined && !isQuiet)}
        />
      )}
    </>
  );
}

/** Why a query does not run, in one line: while it is typed, it is seldom complete. */
function Unfinished({ error: { message, details } }: { readonly error: ServiceError }) {
  return (
    <p class="unfinished quiet" role="status">
      {details.place !== undefined && <PlaceOfError place={details.place} />} {message}
      {details.hint !== undefined && ` · ${details.hint}`}
    </p>
  );
}

interface FoundProps extends Omit<ResultsProps, 'turn'> {
  readonly page: FoundPage;
  /** A newer answer is on its way, or has failed. */
  readonly isStale: boolean;
}

function Found({ place, index, description, again, page, isStale }: FoundProps) {
  const { answer, wanted } = page;
  const { row, columns } = place;
  useTopOfPage(`${place.page} ${place.after}`);
  useHitKeys();
  const first = (place.page - 1) * PAGE_HITS + 1;
  return (
    <div class={`found${isStale ? ' stale' : ''}${row === undefined ? '' : ' with-row'}`}>
      <Facets {...{ place, answer, description, wanted }} />
      <section class="hits" aria-label="Hits" aria-busy={isStale}>
        <Chips place={place} />
        <Summary {...{ index, page, again }} />
        <Histogram {...{ place, description, wanted }} />
        <div class="hit-options">
          <AsCommand wanted={wanted} />
          <ViewChoice {...{ place, description }} />
        </div>
        {answer.hits.length === 0 && <NothingFound {...{ place, answer }} />}
        {columns === undefined ? (
          <ol start={first}>
            {answer.hits.map((hit, at) => (
              <HitItem key={hit.key} {...{ hit, place, description }} rank={first + at} />
            ))}
          </ol>
        ) : (
          <HitTable {...{ place, description, columns }} hits={answer.hits} />
        )}
        <Pager {...{ place, answer }} />
        {answer.hits.length > 0 && <Download {...{ place, description, wanted }} />}
      </section>
      {row !== undefined && <RowPanel {...{ place, index, description, page, row }} />}
    </div>
  );
}

/** Another page begins at its top. */
function useTopOfPage(page: string): void {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current !== page) scrollTo({ top: 0 });
    shown.current = page;
  }, [page]);
}
