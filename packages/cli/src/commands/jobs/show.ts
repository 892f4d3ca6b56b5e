import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { jobLines } from '../../sync/job-lines.ts';

export default class JobsShow extends LhsCommand {
  static override summary = 'Show a job: its state, progress, result or error.';
  static override examples = [
    '<%= config.bin %> jobs show 0b6e7c52-5a0c-4a7e-9d55-6e1f0b8a4c11',
    '<%= config.bin %> jobs show 0b6e7c52-5a0c-4a7e-9d55-6e1f0b8a4c11 --json',
  ];
  static override args = {
    job: Args.string({ ignoreStdin: true, description: 'id of the job', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsShow);
    const job = await (await this.backend(flags)).getJob({ job_id: args.job });
    if (flags.json) return this.printJson(job);
    this.print(jobLines(job));
  }
}
