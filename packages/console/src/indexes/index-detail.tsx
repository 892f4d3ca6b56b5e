import type {
  ActivityEntry,
  IndexDescription,
  IndexStatus,
  LackingCopies,
} from '@lakehouse-search/contract';
import { useService } from '../parts/console-context.ts';
import { DataTable, Facts } from '../parts/data-table.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useAnswer, useTicks } from '../parts/use-answer.ts';
import { hrefOf, searchOf } from '../place/place.ts';
import { bytes, count, dateTime, snapshotName } from '../text/figures.ts';
import { Definition } from './definition.tsx';
import { DefinitionEditor } from './definition-editor.tsx';
import { IndexActions } from './index-actions.tsx';
import { lagText } from './lag-text.ts';
import { Generations, Shards, Windows } from './parts-of-index.tsx';

const REFRESH_MS = 5000;
const ENTRIES = 20;

/** One index: how it stands to its table, what it is made of, and what happened to it. */
export function IndexDetail({ index }: { readonly index: string }) {
  const service = useService();
  const described = useAnswer(index, (signal) => service.call('describeIndex', { index }, signal));
  const status = useAnswer(index, (signal) => service.call('status', { index }, signal));
  const activity = useAnswer(index, (signal) =>
    service.call('activity', { index, limit: ENTRIES }, signal),
  );
  const changed = () => {
    status.again();
    activity.again();
  };
  useTicks(REFRESH_MS, changed);
  return (
    <Screen title={index} lead={described.value?.description}>
      <p class="links">
        <a href={hrefOf(searchOf(index))}>Search</a>
        <a href={hrefOf({ screen: 'jobs', index })}>Jobs</a>
      </p>
      <IndexActions index={index} generations={described.value?.generations} changed={changed} />
      <Answered answer={status}>{(value) => <Standing status={value} />}</Answered>
      <Answered answer={described}>{(value) => <Made description={value} />}</Answered>
      <h2>Activity</h2>
      <Answered answer={activity}>{(entries) => <Activity entries={entries} />}</Answered>
    </Screen>
  );
}

const shownCopies = ({ shard, nodes, required }: LackingCopies): string =>
  `${shard} (${nodes} of ${required})`;

function Standing({ status }: { readonly status: IndexStatus }) {
  const { checkpoint, head, history, writer, merge_failure, sync_failure, jobs } = status;
  const { missing_shards, lacking_copies } = status;
  return (
    <Facts
      facts={[
        ['state', <StateWord key="state" state={status.status} />],
        ['table', lagText(status)],
        ['checkpoint', checkpoint && snapshotAt(checkpoint.snapshot, checkpoint.committed_at)],
        ['head of the table', head && snapshotAt(head.snapshot, head.at)],
        ['documents', `${count(status.num_docs)} (${count(status.deleted_docs)} deleted)`],
        ['size', `${bytes(status.bytes)} in ${count(status.segments)} segments`],
        ['history', history?.at_risk === true ? 'the checkpoint may expire soon' : ''],
        ['rows left out', status.skipped_rows ? count(status.skipped_rows) : ''],
        ['shards on no node', missing_shards?.join(', ')],
        ['shards on too few nodes', lacking_copies?.map(shownCopies).join(', ')],
        ['merges', merge_failure && `fail since ${dateTime(merge_failure.since)}`],
        ['sync', sync_failure && `fails since ${dateTime(sync_failure.since)}`],
        ['writer', writer && `process ${writer.pid} on ${writer.host}`],
        ['jobs', jobs?.map(({ kind, state }) => `${kind} ${state}`).join(', ')],
      ]}
    />
  );
}

function snapshotAt(snapshot: string | null, at: string | null): string {
  const name = snapshot === null ? 'the empty table' : snapshotName(snapshot);
  return at === null ? name : `${name} of ${dateTime(at)}`;
}

function Made({ description }: { readonly description: IndexDescription }) {
  const { shards = [], generations = [], windows } = description;
  return (
    <>
      <Definition description={description} />
      <DefinitionEditor index={description.index} />
      {shards.length > 0 && <Shards shards={shards} />}
      {windows !== undefined && <Windows list={windows} />}
      {generations.length > 0 && <Generations generations={generations} />}
    </>
  );
}

function Activity({ entries }: { readonly entries: readonly ActivityEntry[] }) {
  return (
    <DataTable
      caption="Activity"
      rows={entries}
      keyOf={({ at, event }) => `${at} ${event}`}
      empty="Nothing is recorded yet."
      columns={[
        { head: 'When', cell: ({ at }) => dateTime(at) },
        { head: 'What', cell: ({ event }) => event },
        { head: 'Error', cell: ({ message }) => message },
      ]}
    />
  );
}
