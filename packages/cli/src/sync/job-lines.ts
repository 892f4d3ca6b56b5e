import type { Job, Progress } from '@lakehouse-search/contract';
import { bytes, count, dateTime, duration, snapshotName } from '../terminal/figures.ts';
import { pad, printable, width } from '../terminal/text.ts';

/** How far a job is: `231,104 of 446,015 rows, 52 %`; empty before the first progress. */
export function jobProgress(job: Job): string {
  const { shards, bytes_done = 0, bytes_total = 0 } = job;
  const done = outcome(job);
  if (done !== null) return done;
  if (bytes_total > 0) {
    return `${bytes(bytes_done)} of ${bytes(bytes_total)}, ${percent(bytes_done, bytes_total)}`;
  }
  const rows = shards.reduce((sum, shard) => sum + shard.docs_done, 0);
  const total = shards.reduce((sum, shard) => sum + shard.docs_total, 0);
  if (total === 0) return '';
  return `${count(rows)} of ${count(total)} rows, ${percent(rows, total)}`;
}

const percent = (done: number, total: number): string => `${Math.round((100 * done) / total)} %`;

/** What a job that is done has made; null for one that is not. */
function outcome(job: Job): string | null {
  if (job.result === undefined) return null;
  switch (job.kind) {
    case 'reindex':
    case 'rollback':
      return `${count(job.result.doc_count)} rows`;
    case 'alter':
      return job.result.is_noop ? 'nothing to change' : `generation ${job.result.generation} live`;
    case 'compact': {
      const { segments_before, segments_after } = job.result;
      return `${segments_before} → ${segments_after} segments`;
    }
    case 'upgrade':
      return `${job.result.segments_upgraded} segments upgraded`;
    case 'verify':
      return job.result.equal ? 'equal' : 'not equal';
    case 'backup':
      return `${bytes(job.result.bytes_copied)} copied`;
    case 'restore':
      return `${count(job.result.num_docs)} rows`;
    case 'move_windows':
      return `${job.result.cooled.length} cooled, ${job.result.warmed.length} warmed`;
    case 'reindex_window':
      return `window ${job.result.window}, ${count(job.result.doc_count)} rows`;
    case 'erase':
      return job.result.report.clean ? 'nothing remains' : 'data remains';
  }
}

/** The progress of a job that runs, as a reindex reports it; null before its first report. */
export function progressOf(job: Job): Progress | null {
  const { phase, snapshot, shards, bytes_done, bytes_total } = job;
  if (phase === undefined) return null;
  const copied = bytes_done === undefined ? {} : { bytes_done, bytes_total };
  const docs_done = shards.reduce((sum, shard) => sum + shard.docs_done, 0);
  const docs_total = shards.reduce((sum, shard) => sum + shard.docs_total, 0);
  const at = snapshot === undefined ? {} : { snapshot };
  return { phase, docs_done, docs_total, ...copied, ...at };
}

/** The state of a job, and what its words leave open. */
export function jobState({ state, canceling, resumable }: Job): string {
  if (canceling) return `${state}, canceling`;
  return resumable ? `${state}, resumable` : state;
}

/** A job as people read it, one fact per line. */
export function jobLines(job: Job): readonly string[] {
  const { shards, phase, snapshot, eta_ms, owner, ended_at, error, result } = job;
  const made = job.kind === 'reindex' ? job.result : undefined;
  const live = result !== undefined && 'index_generation' in result ? result : undefined;
  const generation = live?.index_generation ?? shards[0]?.generation;
  const built = live === undefined ? snapshot : (live.snapshot ?? undefined);
  const size = made?.bytes ?? job.bytes;
  const left = eta_ms === undefined ? '' : `, about ${duration(eta_ms)} left`;
  const facts: [string, string | undefined][] = [
    ['job', job.job_id],
    ['index', job.index],
    ['kind', job.kind],
    ['state', jobState(job)],
    ['progress', jobProgress(job) || undefined],
    ['phase', phase === undefined ? undefined : phase + left],
    ['generation', generation === undefined ? undefined : String(generation)],
    ['snapshot', built === undefined ? undefined : snapshotName(built)],
    ['size', size === undefined ? undefined : bytes(size)],
    ['process', owner === undefined ? undefined : `${owner.pid} on ${owner.host}`],
    ['started', dateTime(job.created_at)],
    ['ended', ended_at === undefined ? undefined : dateTime(ended_at)],
    ['error', error?.message],
  ];
  const wide = Math.max(...facts.map(([name]) => width(name))) + 2;
  return facts.flatMap(([name, text]) =>
    text === undefined ? [] : [pad(name, wide) + printable(text)],
  );
}
