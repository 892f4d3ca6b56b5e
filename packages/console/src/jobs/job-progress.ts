import type { Job, JobState } from '@lakehouse-search/contract';
import { bytes, count, duration, plural } from '../text/figures.ts';

const ENDED: ReadonlySet<JobState> = new Set<JobState>(['done', 'failed', 'canceled']);

/** Whether a job will never change again. */
export const hasEnded = ({ state }: Job): boolean => ENDED.has(state);

/** How far a job is. `part`: from 0 to 1 while it runs and the whole is known. */
export interface JobProgressWords {
  readonly part?: number;
  readonly words: string;
}

/** Documents of all shards, or bytes while files are copied. */
export function jobProgress(job: Job): JobProgressWords {
  const { shards, bytes_done, bytes_total, phase, eta_ms } = job;
  const sum = (of: (shard: (typeof shards)[number]) => number) =>
    shards.reduce((total, shard) => total + of(shard), 0);
  const done = sum(({ docs_done }) => docs_done);
  const total = sum(({ docs_total }) => docs_total);
  if (hasEnded(job)) return { words: done === 0 ? '' : plural(done, 'document') };
  const rest = eta_ms === undefined ? '' : ` · ${duration(eta_ms)} left`;
  const doing = phase === undefined ? '' : `${phase} · `;
  if (bytes_total !== undefined && bytes_total > 0) {
    const copied = bytes_done ?? 0;
    const words = `${doing}${bytes(copied)} of ${bytes(bytes_total)}${rest}`;
    return { part: Math.min(1, copied / bytes_total), words };
  }
  if (total === 0) return { words: `${doing}starting` };
  const words = `${doing}${count(done)} of ${count(total)} documents${rest}`;
  return { part: Math.min(1, done / total), words };
}
