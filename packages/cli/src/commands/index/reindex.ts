import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { vectorLines } from '../../sync/step-lines.ts';
import { bytes, count, duration, rate, snapshotName } from '../../terminal/figures.ts';
import { progressReport } from '../../terminal/progress.ts';

export default class IndexReindex extends LhsCommand {
  static override summary =
    'Build an index from its table. The former generation serves searches until then.';
  static override examples = [
    '<%= config.bin %> index reindex incidents',
    '<%= config.bin %> index reindex incidents --resume',
    '<%= config.bin %> index reindex incidents --as-of 5029384756100371 --json',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };
  static override flags = {
    resume: Flags.boolean({
      description: 'continue a build whose process ended in the middle',
      exclusive: ['as-of'],
    }),
    'as-of': Flags.string({
      description: 'snapshot to build from (the current one)',
      helpValue: 'SNAPSHOT',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexReindex);
    const backend = await this.backend(flags);
    const report = progressReport(this.terminal, args.index, flags.json ?? false);
    const request = { index: args.index, as_of: flags['as-of'], resume: flags.resume };
    const done = await this.stoppable('the live generation is untouched', (signal) =>
      backend.reindex(request, { progress: report.update, signal }).finally(report.stop),
    );
    if (flags.json) return this.printJson(done);
    const perSecond = rate((done.doc_count / Math.max(1, done.took_ms)) * 1000);
    const snapshot =
      done.snapshot === null ? 'the empty table' : `snapshot ${snapshotName(done.snapshot)}`;
    const lines = [
      `${args.index}  built     ${count(done.doc_count)} rows in ` +
        `${duration(done.took_ms)} (${perSecond} rows/s)` +
        ` · ${bytes(done.bytes)} · generation ${done.index_generation} live · ${snapshot}`,
    ];
    if (done.resumed_docs)
      lines.push(`${count(done.resumed_docs)} rows were there from the build before`);
    if (done.dropped_duplicates)
      lines.push(`${count(done.dropped_duplicates)} rows with a key that came again were left out`);
    lines.push(...vectorLines(done));
    this.print([...lines, `next: lhs search ${args.index} "some words"`]);
  }
}
