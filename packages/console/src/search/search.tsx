import type { IndexDescription, IndexSummary } from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useService } from '../parts/console-context.ts';
import { NoIndex } from '../parts/no-index.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { useAnswer } from '../parts/use-answer.ts';
import { type SearchPlace, searchOf } from '../place/place.ts';
import { goTo } from '../place/use-place.ts';
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
  const first = place.index ?? defaultIndex ?? undefined;
  // a caller of a tenant sees no list, and searches the indexes whose names it knows
  const isClosed = indexes.error?.code === 'permission_denied';
  const search = (list: readonly IndexSummary[]) => {
    const index = first ?? firstIndex(list);
    if (index !== undefined) return <IndexSearch key={index} {...{ place, index, list }} />;
    return isClosed ? <NamedIndex /> : <NoIndex />;
  };
  return (
    <Screen title={place.query === '' ? 'Search' : `${place.query} · Search`}>
      {first !== undefined || isClosed ? (
        search(indexes.value ?? [])
      ) : (
        <Answered answer={indexes}>{search}</Answered>
      )}
    </Screen>
  );
}

const firstIndex = (list: readonly IndexSummary[]): string | undefined =>
  (list.find(({ status }) => status === 'live') ?? list[0])?.name;

/** The name of an index, which the caller must know. */
function NamedIndex() {
  const open = (event: SubmitEvent) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget as HTMLFormElement);
    goTo(searchOf(String(data.get('index'))));
  };
  return (
    <form class="inline" onSubmit={open}>
      <label>
        Index <input name="index" required autocomplete="off" />
      </label>
      <button type="submit">Open</button>
      <p class="quiet">Your token does not list indexes: type the name of one.</p>
    </form>
  );
}

interface IndexSearchProps {
  readonly place: SearchPlace;
  readonly index: string;
  readonly list: readonly IndexSummary[];
}

function IndexSearch({ place, index, list }: IndexSearchProps) {
  const service = useService();
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((n) => n + 1);
  const answer = useAnswer<IndexDescription>(index, (signal) =>
    service.call('describeIndex', { index }, signal),
  );
  return (
    <>
      <QueryForm {...{ place, index, list, again }} description={answer.value} />
      <Answered answer={answer}>
        {(description) => <Results {...{ place, index, description, turn, again }} />}
      </Answered>
    </>
  );
}
