import type { Job } from '@lakehouse-search/contract';
import { useMay, useService } from '../parts/console-context.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Problem } from '../parts/problem.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useAction } from '../parts/use-action.ts';
import { useAnswer, useTicks } from '../parts/use-answer.ts';
import { hrefOf } from '../place/place.ts';
import { dateTime, duration } from '../text/figures.ts';
import { hasEnded, jobProgress } from './job-progress.ts';

const REFRESH_MS = 1000;
const MOST = 100;
/** What a cancellation asks first. */
export const CANCEL = 'Cancel this job? What it has built is discarded; the live index stays.';

/** Jobs, newest first. Those that run are read again every second. */
export function JobList({ index }: { readonly index: string | undefined }) {
  const service = useService();
  const action = useAction();
  const mayCancel = useMay('admin');
  const wanted = { limit: MOST, ...(index === undefined ? {} : { index }) };
  const jobs = useAnswer(JSON.stringify(wanted), (signal) =>
    service.call('listJobs', wanted, signal),
  );
  useTicks(REFRESH_MS, jobs.again);
  const cancel = async (job_id: string) => {
    if (!confirm(CANCEL)) return;
    if (await action.run(() => service.call('cancelJob', { job_id }))) jobs.again();
  };
  const title = index === undefined ? 'Jobs' : `Jobs of ${index}`;
  return (
    <Screen
      title={title}
      lead={index && <a href={hrefOf({ screen: 'jobs' })}>Jobs of all indexes</a>}
    >
      {action.error !== undefined && <Problem error={action.error} />}
      <Answered answer={jobs}>
        {(list) => (
          <DataTable
            caption="Jobs"
            rows={list}
            columns={mayCancel ? [...COLUMNS, cancelColumn(cancel, action.isRunning)] : COLUMNS}
            keyOf={({ job_id }) => job_id}
            empty={
              <p class="quiet">
                No job yet. <code>lhs index reindex INDEX --detach --url {service.url}</code> starts
                one.
              </p>
            }
          />
        )}
      </Answered>
      {jobs.value?.every(hasEnded) === false && (
        <NeedsScope scope="admin" what="Cancellations of jobs" />
      )}
    </Screen>
  );
}

const COLUMNS: readonly Column<Job>[] = [
  {
    head: 'Job',
    cell: ({ kind, job_id }) => (
      <>
        {kind.replaceAll('_', ' ')}
        <p class="quiet">
          <a href={hrefOf({ screen: 'job', job: job_id })}>
            <code>{job_id.slice(0, 8)}</code>
          </a>
        </p>
      </>
    ),
  },
  {
    head: 'Index',
    cell: ({ index }) => <a href={hrefOf({ screen: 'index', index })}>{index}</a>,
  },
  {
    head: 'State',
    cell: ({ state, canceling }) => (
      <>
        <StateWord state={state} />
        {canceling === true && <p class="quiet">canceling</p>}
      </>
    ),
  },
  { head: 'Progress', cell: (job) => <JobProgress job={job} /> },
  { head: 'Began', cell: ({ created_at }) => dateTime(created_at) },
  { head: 'Took', isFigure: true, cell: (job) => tookText(job) },
];

const tookText = ({ created_at, ended_at }: Job): string =>
  ended_at === undefined ? '' : duration(Date.parse(ended_at) - Date.parse(created_at));

/** A bar while the job runs, and its figures; the error of one that failed. */
export function JobProgress({ job }: { readonly job: Job }) {
  const { part, words } = jobProgress(job);
  return (
    <>
      {part !== undefined && (
        <progress max={1} value={part} aria-label={`Progress of ${job.kind} of ${job.index}`} />
      )}
      <p>{words}</p>
      {job.error !== undefined && <p class="bad">{job.error.message}</p>}
    </>
  );
}

function cancelColumn(cancel: (id: string) => void, isRunning: boolean): Column<Job> {
  return {
    head: '',
    cell: (job) =>
      !hasEnded(job) && (
        <button
          type="button"
          disabled={isRunning || job.canceling === true}
          onClick={() => cancel(job.job_id)}
          aria-label={`Cancel ${job.kind} of ${job.index}`}
        >
          Cancel
        </button>
      ),
  };
}
