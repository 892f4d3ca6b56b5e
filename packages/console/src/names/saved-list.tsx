import type { SavedQuery } from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Problem } from '../parts/problem.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { useAction } from '../parts/use-action.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { hrefOf } from '../place/place.ts';
import { shellWord } from '../text/commands.ts';
import { dateTime } from '../text/figures.ts';
import { savedPlace } from './saved-place.ts';

/** The searches that the user has saved. */
export function SavedList() {
  const service = useService();
  const action = useAction();
  const saved = useAnswer('saved', (signal) => service.call('listSavedQueries', {}, signal));
  const drop = async (id: string) => {
    if (await action.run(() => service.call('deleteSavedQuery', { id }))) saved.again();
  };
  const remove: Column<SavedQuery> = {
    head: '',
    cell: ({ id, name }) => (
      <button
        type="button"
        disabled={action.isRunning}
        onClick={() => confirm(`Delete the saved query "${name}"?`) && drop(id)}
        aria-label={`Delete the saved query ${name}`}
      >
        Delete
      </button>
    ),
  };
  return (
    <Screen title="Saved queries" lead="Only you see them. `lhs query run NAME` runs them, too.">
      {action.error !== undefined && <Problem error={action.error} />}
      <Answered answer={saved}>
        {(list) => (
          <DataTable
            caption="Saved queries"
            rows={list}
            columns={[...COLUMNS, remove]}
            keyOf={({ id }) => id}
            empty="None yet: open “Copy as command · Save” above the hits of a search."
          />
        )}
      </Answered>
    </Screen>
  );
}

const COLUMNS: readonly Column<SavedQuery>[] = [
  {
    head: 'Name',
    cell: (query) => {
      const place = savedPlace(query);
      return (
        <>
          {place === undefined ? query.name : <a href={hrefOf(place)}>{query.name}</a>}
          {query.description !== undefined && <p class="quiet">{query.description}</p>}
          {place === undefined && (
            <p class="quiet">
              It has parts that this screen lacks:{' '}
              <code>lhs query run {shellWord(query.name)}</code>
            </p>
          )}
        </>
      );
    },
  },
  { head: 'Index', cell: ({ request }) => request.index },
  { head: 'Query', cell: (query) => <code>{queryText(query)}</code> },
  { head: 'Mode', cell: ({ mode = 'lexical' }) => mode },
  { head: 'Changed', cell: ({ updated_at }) => dateTime(updated_at) },
];

function queryText({ request }: SavedQuery): string {
  if ('query_text' in request && request.query_text !== undefined) return request.query_text;
  return ('query' in request && request.query) || '*:*';
}
