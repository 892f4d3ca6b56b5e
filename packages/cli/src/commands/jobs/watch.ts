import type { Job } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { failureOf } from '../../sync/background-job.ts';
import { jobLines, progressOf } from '../../sync/job-lines.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { progressReport } from '../../terminal/progress.ts';

export default class JobsWatch extends LhsCommand {
  static override summary =
    'Watch a job until it ends. Ctrl-C ends the watch; the job goes on in its own process.';
  static override examples = [
    '<%= config.bin %> jobs watch 0b6e7c52-5a0c-4a7e-9d55-6e1f0b8a4c11',
    '<%= config.bin %> jobs watch 0b6e7c52-5a0c-4a7e-9d55-6e1f0b8a4c11 --json',
  ];
  static override args = {
    job: Args.string({ ignoreStdin: true, description: 'id of the job', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsWatch);
    const backend = await this.backend(flags);
    const job = await this.stoppable('the job goes on', (signal) =>
      this.#watch(backend.watchJob({ job_id: args.job }, { signal }), flags.json === true),
    );
    if (flags.json !== true) this.print(jobLines(job));
    const failed = failureOf(job);
    if (failed !== null) throw failed;
  }

  async #watch(records: AsyncIterable<Job>, json: boolean): Promise<Job> {
    let last: Job | undefined;
    let report: ReturnType<typeof progressReport> | undefined;
    for await (const job of records) {
      last = job;
      if (json) this.terminal.data(jsonText(job));
      else {
        const progress = progressOf(job);
        if (progress === null) continue;
        report ??= progressReport(this.terminal, job.index, false);
        report.update(progress);
      }
    }
    report?.stop();
    return last as Job;
  }
}
