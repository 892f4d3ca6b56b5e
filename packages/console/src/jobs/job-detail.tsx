import type { Job, JsonObject } from '@lakehouse-search/contract';
import { useMayCall, useService } from '../parts/console-context.ts';
import { DataTable, Facts } from '../parts/data-table.tsx';
import { Folded } from '../parts/folded.tsx';
import { Problem } from '../parts/problem.tsx';
import { Answered, Screen } from '../parts/screen.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useAction } from '../parts/use-action.ts';
import { useAnswer, useTicks } from '../parts/use-answer.ts';
import { hrefOf } from '../place/place.ts';
import { bytes, count, dateTime, snapshotName } from '../text/figures.ts';
import { CANCEL, JobProgress } from './job-list.tsx';
import { hasEnded } from './job-progress.ts';

const REFRESH_MS = 1000;

/** One job: how far it is, shard by shard, and what it ended with. */
export function JobDetail({ job: job_id }: { readonly job: string }) {
  const service = useService();
  const mayCall = useMayCall();
  const action = useAction();
  const answer = useAnswer(job_id, (signal) => service.call('getJob', { job_id }, signal));
  const job = answer.value;
  const isRunning = job !== undefined && !hasEnded(job);
  useTicks(isRunning ? REFRESH_MS : undefined, answer.again);
  const cancel = async () => {
    if (!confirm(CANCEL)) return;
    if (await action.run(() => service.call('cancelJob', { job_id }))) answer.again();
  };
  return (
    <Screen title={job === undefined ? 'Job' : `${job.kind.replaceAll('_', ' ')} of ${job.index}`}>
      {action.error !== undefined && <Problem error={action.error} />}
      <Answered answer={answer}>{(value) => <JobFacts job={value} />}</Answered>
      {isRunning && mayCall('cancelJob') && (
        <button type="button" disabled={action.isRunning || job.canceling} onClick={cancel}>
          Cancel
        </button>
      )}
    </Screen>
  );
}

function JobFacts({ job }: { readonly job: Job }) {
  const { index, state, canceling, created_at, ended_at, owner, snapshot, error, result } = job;
  return (
    <>
      <JobProgress job={job} />
      <Facts
        facts={[
          ['state', <StateWord key="state" state={canceling ? 'canceling' : state} />],
          [
            'index',
            <a key="index" href={hrefOf({ screen: 'index', index })}>
              {index}
            </a>,
          ],
          ['job', job.job_id],
          ['began', dateTime(created_at)],
          ['ended', ended_at && dateTime(ended_at)],
          ['snapshot', snapshot && snapshotName(snapshot)],
          ['staged', job.bytes === undefined ? '' : bytes(job.bytes)],
          ['process', owner && `${owner.pid} on ${owner.host}`],
          ['resume', job.resumable && 'its process ended: start it again with resume'],
          ['error', error && <Folded key="error" value={error as unknown as JsonObject} />],
          ['result', result && <Folded key="result" value={result as unknown as JsonObject} />],
        ]}
      />
      {job.shards.length > 1 && (
        <DataTable
          caption="Shards"
          rows={job.shards}
          keyOf={({ shard }) => String(shard)}
          empty=""
          columns={[
            { head: 'Shard', cell: ({ shard }) => count(shard) },
            { head: 'Done', isFigure: true, cell: ({ docs_done }) => count(docs_done) },
            { head: 'Documents', isFigure: true, cell: ({ docs_total }) => count(docs_total) },
          ]}
        />
      )}
    </>
  );
}
