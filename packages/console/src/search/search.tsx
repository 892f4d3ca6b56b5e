import type { IndexDescription, IndexSummary } from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { NoIndex } from '../parts/no-index.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import type { SearchPlace } from '../place/place.ts';
import { QueryForm } from './query-form.tsx';
import { Results } from './results.tsx';

/** What the URL says, and where to begin if it names no index. */
export interface SearchProps {
  readonly place: SearchPlace;
  readonly defaultIndex: string | null;
}

/** The search of an index: the form first, then what it finds. */
export function Search({ place, defaultIndex }: SearchProps) {
  const service = useService();
  const indexes = useAnswer('indexes', (signal) => service.call('listIndexes', {}, signal));
  return (
    <Screen title={place.query === '' ? 'Search' : `${place.query} · Search`}>
      <Answered answer={indexes}>
        {(list) => {
          const index = place.index ?? firstIndex(list, defaultIndex);
          if (index === undefined) return <NoIndex />;
          return <IndexSearch key={index} place={place} index={index} list={list} />;
        }}
      </Answered>
    </Screen>
  );
}

function firstIndex(
  list: readonly IndexSummary[],
  defaultIndex: string | null,
): string | undefined {
  return defaultIndex ?? (list.find(({ status }) => status === 'live') ?? list[0])?.name;
}

interface IndexSearchProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly list: readonly IndexSummary[];
}

function IndexSearch({ place, index, list }: IndexSearchProps) {
  const service = useService();
  const answer = useAnswer<IndexDescription>(index, (signal) =>
    service.call('describeIndex', { index }, signal),
  );
  return (
    <>
      <QueryForm place={place} index={index} list={list} description={answer.value} />
      <Answered answer={answer}>
        {(description) => <Results place={place} index={index} description={description} />}
      </Answered>
    </>
  );
}
