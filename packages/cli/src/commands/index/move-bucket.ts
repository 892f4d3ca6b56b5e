import { LhsError } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { reshardLines } from '../../search/lines/reshard-lines.ts';
import { progressReport } from '../../terminal/progress.ts';

/** An argument that is a whole number from 0 on. */
const numbered = (name: string, most: number, description: string) =>
  Args.custom<number>({
    parse: async (word) => {
      if (/^\d{1,4}$/.test(word) && Number(word) <= most) return Number(word);
      const message = `"${name}" is "${word}": expected a whole number from 0 to ${most}`;
      throw new LhsError('invalid_argument', message);
    },
  })({ ignoreStdin: true, description, required: true });

export default class IndexMoveBucket extends LhsCommand {
  static override summary = 'Move one bucket of keys from its shard to another one.';
  static override description =
    'Keys are spread over 1,024 buckets. One commit gives the segments to the shards of their ' +
    'keys; merges divide them later.';
  static override examples = [
    '<%= config.bin %> index move-bucket incidents 17 1',
    '<%= config.bin %> index move-bucket incidents 17 1 --json',
  ];
  static override args = {
    index: indexArg,
    bucket: numbered('bucket', 1023, 'bucket, 0 to 1023'),
    shard: numbered('shard', 1023, 'shard that gets the bucket'),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexMoveBucket);
    const { index, bucket, shard } = args;
    const backend = await this.backend(flags);
    const report = progressReport(this.terminal, index, flags.json === true);
    const done = await this.stoppable('the former shards are in force', (signal) =>
      backend
        .moveBucket({ index, bucket, shard }, { signal, progress: report.update })
        .finally(report.stop),
    );
    if (flags.json) return this.printJson(done);
    this.print(reshardLines(done));
  }
}
