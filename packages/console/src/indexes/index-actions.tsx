import type { GenerationDescription, StartJobRequest } from '@lakehouse-search/contract';
import { useState } from 'preact/hooks';
import { useMayCall, useService } from '../parts/console-context.ts';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { goTo } from '../place/use-place.ts';
import { count, plural } from '../text/figures.ts';

/** What can be done with an index. */
export interface IndexActionsProps {
  readonly index: string;
  readonly generations: readonly GenerationDescription[] | undefined;
  /** The index may have changed. */
  readonly changed: () => void;
}

/** Work on an index that runs as a job: its button, and what it asks first. */
interface Work {
  readonly words: string;
  readonly job: StartJobRequest;
  readonly question?: string;
}

function worksOn(index: string, generations: IndexActionsProps['generations']): readonly Work[] {
  const isKept = generations?.some(({ state }) => state === 'kept') === true;
  const back = 'Make the generation that was live before the live one again?';
  return [
    { words: 'Verify', job: { kind: 'verify', index } },
    {
      words: 'Repair',
      job: { kind: 'verify', index, repair: true },
      question: 'Compare the index with its table and replace what differs?',
    },
    {
      words: 'Reindex',
      job: { kind: 'reindex', index },
      question: 'Build the index again from its table? Searches go on meanwhile.',
    },
    { words: 'Compact', job: { kind: 'compact', index } },
    { words: 'Upgrade', job: { kind: 'upgrade', index } },
    { words: 'Back up', job: { kind: 'backup', index } },
    ...(isKept
      ? [{ words: 'Roll back', job: { kind: 'rollback', index }, question: back } as const]
      : []),
  ];
}

/** Buttons of the work on an index. A job opens its page. */
export function IndexActions({ index, generations, changed }: IndexActionsProps) {
  const service = useService();
  const mayCall = useMayCall();
  const action = useAction();
  const [done, setDone] = useState<string>();
  const start = ({ job, question }: Work) =>
    (question === undefined || confirm(question)) &&
    action.run(async () => {
      const { job_id } = await service.call('startJob', job);
      goTo({ screen: 'job', job: job_id });
    });
  const sync = () =>
    action.run(async () => {
      const {
        snapshots_applied: n,
        inserted,
        updated,
        deleted,
      } = await service.call('sync', {
        index,
      });
      const rows = `+${count(inserted)} ~${count(updated)} −${count(deleted)} rows`;
      setDone(n === 0 ? 'It is in step with its table.' : `${plural(n, 'snapshot')}: ${rows}.`);
      changed();
    });
  return (
    <section class="actions" aria-label="Work on the index">
      {mayCall('sync') && (
        <button type="button" disabled={action.isRunning} onClick={sync}>
          Sync
        </button>
      )}
      {mayCall('startJob') &&
        worksOn(index, generations).map((work) => (
          <button
            key={work.words}
            type="button"
            disabled={action.isRunning}
            onClick={() => start(work)}
          >
            {work.words}
          </button>
        ))}
      {mayCall('cloneIndex') && <NameActions index={index} />}
      {done !== undefined && <span role="status">{done}</span>}
      {action.error !== undefined && <Problem error={action.error} />}
    </section>
  );
}

/** Actions that take a name: a copy, another name, and the end of the index. */
function NameActions({ index }: { readonly index: string }) {
  const service = useService();
  const action = useAction();
  const acts = {
    clone: (name: string) => service.call('cloneIndex', { index, name }),
    rename: (name: string) => service.call('renameIndex', { index, name }),
    drop: () => service.call('dropIndex', { index }),
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get('name'));
    const act = (event.submitter as HTMLButtonElement).value as keyof typeof acts;
    action.run(async () => {
      if (act === 'drop' && name !== index) throw new Error(`type "${index}" to drop it`);
      await acts[act](name);
      goTo(act === 'drop' ? { screen: 'indexes' } : { screen: 'index', index: name });
    });
  };
  return (
    <details>
      <summary>Clone, rename, drop</summary>
      <form class="inline" onSubmit={submit}>
        <label>
          Name <input name="name" required autocomplete="off" placeholder={`${index} to drop it`} />
        </label>
        <button type="submit" value="clone">
          Clone as
        </button>
        <button type="submit" value="rename">
          Rename to
        </button>
        <button type="submit" value="drop">
          Drop
        </button>
      </form>
      {action.error !== undefined && <Problem error={action.error} />}
    </details>
  );
}
