import type { Alias } from '@lakehouse-search/contract';
import { useMay, useService } from '../parts/console-context.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Problem } from '../parts/problem.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { type Action, useAction } from '../parts/use-action.ts';
import { useAnswer } from '../parts/use-answer.ts';
import { hrefOf, searchOf } from '../place/place.ts';

/** Other names of indexes; a name can be moved to another index between two searches. */
export function AliasList() {
  const service = useService();
  const action = useAction();
  const mayChange = useMay('admin');
  const aliases = useAnswer('aliases', (signal) => service.call('listAliases', {}, signal));
  const drop = async (alias: string) => {
    if (await action.run(() => service.call('dropAlias', { alias }))) aliases.again();
  };
  return (
    <Screen title="Aliases" lead="Another name of an index, which can move to a new one at once.">
      {action.error !== undefined && <Problem error={action.error} />}
      <Answered answer={aliases}>
        {(list) => (
          <DataTable
            caption="Aliases"
            rows={list}
            columns={mayChange ? [...COLUMNS, dropColumn(drop, action)] : COLUMNS}
            keyOf={({ alias }) => alias}
            empty="No alias yet."
          />
        )}
      </Answered>
      {mayChange && <SetAlias action={action} done={aliases.again} />}
      <NeedsScope scope="admin" what="Changes of aliases" />
    </Screen>
  );
}

const COLUMNS: readonly Column<Alias>[] = [
  { head: 'Alias', cell: ({ alias }) => <a href={hrefOf(searchOf(alias))}>{alias}</a> },
  {
    head: 'Index',
    cell: ({ index }) => <a href={hrefOf({ screen: 'index', index })}>{index}</a>,
  },
];

const dropColumn = (drop: (alias: string) => void, { isRunning }: Action): Column<Alias> => ({
  head: '',
  cell: ({ alias }) => (
    <button
      type="button"
      disabled={isRunning}
      onClick={() => confirm(`Drop the alias "${alias}"? Its index stays.`) && drop(alias)}
      aria-label={`Drop the alias ${alias}`}
    >
      Drop
    </button>
  ),
});

function SetAlias({ action, done }: { readonly action: Action; readonly done: () => void }) {
  const service = useService();
  const indexes = useAnswer('indexes', (signal) => service.call('listIndexes', {}, signal));
  const set = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const data = new FormData(form);
    const wanted = { alias: String(data.get('alias')), index: String(data.get('index')) };
    if (!(await action.run(() => service.call('setAlias', wanted)))) return;
    form.reset();
    done();
  };
  return (
    <form class="inline" onSubmit={set}>
      <label>
        Alias <input name="alias" required autocomplete="off" />
      </label>
      <label>
        of the index{' '}
        <select name="index" required>
          {indexes.value?.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={action.isRunning}>
        Set
      </button>
    </form>
  );
}
