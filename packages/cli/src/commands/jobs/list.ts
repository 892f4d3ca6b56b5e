import type { Job, JobState } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { jobProgress, jobState } from '../../sync/job-lines.ts';
import { dateTime } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

/** Columns of a terminal that has room for all of a job. */
const ALL_COLUMNS = 100;

const STATES: readonly JobState[] = [
  'pending',
  'building',
  'cutting_over',
  'done',
  'failed',
  'canceled',
];

export default class JobsList extends LhsCommand {
  static override summary = 'List the jobs of a data folder, newest first.';
  static override examples = [
    '<%= config.bin %> jobs list',
    '<%= config.bin %> jobs list --index demo-incidents --state failed --json',
  ];
  static override flags = {
    index: Flags.string({ description: 'only jobs of this index', helpValue: 'INDEX' }),
    state: Flags.option({
      options: STATES,
      description: 'only jobs in this state',
      helpValue: 'STATE',
    })(),
    limit: Flags.integer({ char: 'n', description: 'most jobs to print (100)', helpValue: 'N' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(JobsList);
    const { index, state, limit } = flags;
    const jobs = await (await this.backend(flags)).listJobs({ index, state, limit });
    if (jobs.length === 0) this.tellMissingFolder(flags);
    if (flags.json) return this.printJson({ jobs });
    if (jobs.length === 0) return this.print(['no jobs', 'next: lhs index reindex INDEX']);
    // the ids alone take 36 columns; jobs show has the time
    const isNarrow = this.terminal.width < ALL_COLUMNS;
    const cells = (job: Job): readonly (readonly [title: string, text: string])[] => [
      ['index', job.index],
      ['kind', job.kind],
      ['state', jobState(job)],
      ...(isNarrow ? [] : ([['started', dateTime(job.created_at)]] as const)),
      ['progress', jobProgress(job)],
    ];
    const rows = jobs.map((job) => [job.job_id, ...cells(job).map(([, text]) => text)]);
    const others = cells(jobs[0]).map(([title]) => ({ title }));
    // aligned right, so that no id is ever cut
    const columns = [{ title: 'job', align: 'right' }, ...others] as const;
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
