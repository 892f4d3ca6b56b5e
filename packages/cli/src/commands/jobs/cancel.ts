import { ENDED_JOB_STATES } from '@lakehouse-search/contract/internal';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { jobState } from '../../sync/job-lines.ts';

export default class JobsCancel extends LhsCommand {
  static override summary = 'Cancel a job. The live generation of its index stays as it is.';
  static override examples = [
    '<%= config.bin %> jobs cancel 0b6e7c52-5a0c-4a7e-9d55-6e1f0b8a4c11',
    '<%= config.bin %> jobs cancel 0b6e7c52-5a0c-4a7e-9d55-6e1f0b8a4c11 --json',
  ];
  static override args = {
    job: Args.string({ ignoreStdin: true, description: 'id of the job', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(JobsCancel);
    const backend = await this.backend(flags);
    const requested = await backend.cancelJob({ job_id: args.job });
    if (flags.json) return this.printJson(requested);
    if (ENDED_JOB_STATES.has(requested.state)) {
      return this.print([`${requested.index}  the job is ${jobState(requested)}`]);
    }
    this.print([
      `${requested.index}  the job was asked to stop; the live generation is untouched`,
      `next: lhs jobs watch ${requested.job_id}`,
    ]);
  }
}
