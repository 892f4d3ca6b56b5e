import type { Job } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { jsonText } from '../terminal/json-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { WatchedJob } from './watched-job.ts';

/** The flag of commands whose work can go on in a process of its own. */
export const detachFlag = {
  detach: Flags.boolean({ description: 'work in a background process that survives the terminal' }),
};

/** The flags that name a backend, and how the answer is printed. */
export interface BackendFlags {
  readonly 'data-dir'?: string | undefined;
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The flags that name a backend, as arguments of a process. */
export const backendArgs = ({
  'data-dir': dataDir,
  url,
  profile,
}: BackendFlags): readonly string[] => [
  ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ...(url === undefined ? [] : ['--url', url]),
  ...(profile === undefined ? [] : ['--profile', profile]),
];

/** Lets a job go on without this process, and prints its record or how to watch it. */
export async function printDetached(
  terminal: Terminal,
  job: WatchedJob,
  json: boolean,
): Promise<void> {
  await job.detach();
  const { index, job_id } = job.first;
  if (json) terminal.data(jsonText(job.first satisfies Job));
  else terminal.out(`${index}  job ${job_id} goes on`, `next: lhs jobs watch ${job_id}`);
}
