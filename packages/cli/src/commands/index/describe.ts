import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { describeLines } from '../../search/lines/describe-lines.ts';

export default class IndexDescribe extends LhsCommand {
  static override summary = 'Show the fields and sizes of an index.';
  static override examples = [
    '<%= config.bin %> index describe demo-incidents',
    '<%= config.bin %> index describe demo-incidents --json',
  ];
  static override args = {
    index: indexArg,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexDescribe);
    const index = await (await this.backend(flags)).describeIndex({ index: args.index });
    if (flags.json) return this.printJson(index);
    this.print(describeLines(index, this.style, this.terminal.width));
  }
}
