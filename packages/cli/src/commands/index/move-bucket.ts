import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { reshardLines } from '../../search/reshard-lines.ts';

export default class IndexMoveBucket extends LhsCommand {
  static override summary = 'Move one bucket of keys from its shard to another one.';
  static override description =
    'Keys are spread over 1,024 buckets. The shards are built from the table while searches go ' +
    'on with the former ones.';
  static override examples = [
    '<%= config.bin %> index move-bucket incidents 17 1',
    '<%= config.bin %> index move-bucket incidents 17 1 --json',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
    bucket: Args.integer({
      ...{ ignoreStdin: true, description: 'bucket, 0 to 1023', required: true },
      ...{ min: 0, max: 1023 },
    }),
    shard: Args.integer({
      ...{ ignoreStdin: true, description: 'shard that gets the bucket', required: true },
      ...{ min: 0, max: 63 },
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexMoveBucket);
    const { index, bucket, shard } = args;
    const backend = await this.backend(flags);
    const done = await this.stoppable('the former shards are in force', (signal) =>
      backend.moveBucket({ index, bucket, shard }, { signal }),
    );
    if (flags.json) return this.printJson(done);
    this.print(reshardLines(done));
  }
}
