import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { describeLines } from '../../search/describe-lines.ts';

export default class IndexDescribe extends LhsCommand {
  static override summary = 'Show the fields and sizes of an index.';
  static override examples = [
    '<%= config.bin %> index describe incidents',
    '<%= config.bin %> index describe incidents --json',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexDescribe);
    const index = await (await this.backend(flags)).describeIndex({ index: args.index });
    if (flags.json) return this.printJson(index);
    this.print(describeLines(index, this.style, this.terminal.width));
  }
}
