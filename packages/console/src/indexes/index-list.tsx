import type { IndexStatus, IndexSummary } from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { NoIndex } from '../parts/no-index.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useAnswer, useTicks } from '../parts/use-answer.ts';
import { hrefOf, searchOf } from '../place/place.ts';
import { bytes, count, dateTime, plural } from '../text/figures.ts';
import { lagText } from './lag-text.ts';

const REFRESH_MS = 5000;

/** An index, and how far it is behind its table: absent until that is known. */
interface Listed extends IndexSummary {
  readonly ingestion?: IndexStatus;
}

/** All indexes with documents, size, state and lag. */
export function IndexList() {
  const service = useService();
  const indexes = useAnswer('indexes', (signal) => service.call('listIndexes', {}, signal));
  const ingestion = useAnswer('ingestion', (signal) => service.call('listIngestion', {}, signal));
  useTicks(REFRESH_MS, () => {
    indexes.again();
    ingestion.again();
  });
  const lag = new Map(ingestion.value?.map((status) => [status.index, status]));
  const withLag = (index: IndexSummary): Listed => {
    const found = lag.get(index.name);
    return found === undefined ? index : { ...index, ingestion: found };
  };
  return (
    <Screen title="Indexes" lead="Each index answers searches of one table, and follows it.">
      <Answered answer={indexes}>
        {(list) => (
          <DataTable
            caption="Indexes"
            columns={COLUMNS}
            rows={list.map(withLag)}
            keyOf={({ name }) => name}
            empty={<NoIndex />}
          />
        )}
      </Answered>
    </Screen>
  );
}

const COLUMNS: readonly Column<Listed>[] = [
  {
    head: 'Index',
    cell: ({ name, description, error }) => (
      <>
        <a href={hrefOf({ screen: 'index', index: name })}>{name}</a>
        {description !== undefined && <p class="quiet">{description}</p>}
        {error !== undefined && <p class="bad">{error}</p>}
      </>
    ),
  },
  {
    head: 'State',
    cell: ({ status, missing_shards = [], lacking_copies = [] }) => (
      <>
        <StateWord state={missing_shards.length > 0 ? 'incomplete' : status} />
        {missing_shards.length > 0 && (
          <p class="bad">{plural(missing_shards.length, 'shard')} on no node</p>
        )}
        {lacking_copies.length > 0 && (
          <p class="quiet">{plural(lacking_copies.length, 'shard')} on too few nodes</p>
        )}
      </>
    ),
  },
  { head: 'Documents', isFigure: true, cell: ({ num_docs }) => count(num_docs) },
  { head: 'Size', isFigure: true, cell: ({ bytes: size }) => bytes(size) },
  { head: 'Table', cell: ({ ingestion }) => (ingestion ? lagText(ingestion) : '…') },
  {
    head: 'Last commit',
    cell: ({ ingestion }) =>
      ingestion?.checkpoint ? dateTime(ingestion.checkpoint.committed_at) : '',
  },
  {
    head: '',
    cell: ({ name, status }) => status === 'live' && <a href={hrefOf(searchOf(name))}>Search</a>,
  },
];
