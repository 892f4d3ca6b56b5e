import type { Job, Progress } from '@lakehouse-search/contract';
import { bytes, count, dateTime, duration, snapshotName } from '../terminal/figures.ts';
import { pad, printable, width } from '../terminal/text.ts';

/** How far a job is: `231,104 of 446,015 rows, 52 %`; empty before the first row. */
export function jobProgress({ shards, result }: Job): string {
  if (result !== undefined) return `${count(result.doc_count)} rows`;
  const done = shards.reduce((sum, shard) => sum + shard.docs_done, 0);
  const total = shards.reduce((sum, shard) => sum + shard.docs_total, 0);
  if (total === 0) return '';
  return `${count(done)} of ${count(total)} rows, ${Math.round((100 * done) / total)} %`;
}

/** The progress of a job that runs, as a reindex reports it; null before its first report. */
export function progressOf({ phase, snapshot, shards }: Job): Progress | null {
  if (phase === undefined) return null;
  const docs_done = shards.reduce((sum, shard) => sum + shard.docs_done, 0);
  const docs_total = shards.reduce((sum, shard) => sum + shard.docs_total, 0);
  return { phase, docs_done, docs_total, ...(snapshot === undefined ? {} : { snapshot }) };
}

/** The state of a job, and what its words leave open. */
export function jobState({ state, canceling, resumable }: Job): string {
  if (canceling) return `${state}, canceling`;
  return resumable ? `${state}, resumable` : state;
}

/** A job as people read it, one fact per line. */
export function jobLines(job: Job): readonly string[] {
  const { shards, phase, snapshot, eta_ms, owner, ended_at, error, result } = job;
  const generation = result?.index_generation ?? shards[0]?.generation;
  const built = result === undefined ? snapshot : (result.snapshot ?? undefined);
  const size = result?.bytes ?? job.bytes;
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
