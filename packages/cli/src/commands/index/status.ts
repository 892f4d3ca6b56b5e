import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { statusLines } from '../../sync/status-lines.ts';

export default class IndexStatus extends LhsCommand {
  static override aliases = ['status'];
  static override summary = 'Show how far an index is behind its table, and which merges are due.';
  static override examples = [
    '<%= config.bin %> status demo-incidents',
    '<%= config.bin %> status demo-incidents --json',
  ];
  static override args = {
    index: indexArg,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexStatus);
    const status = await (await this.backend(flags)).status({ index: args.index });
    if (flags.json) return this.printJson(status);
    this.print(statusLines(status, this.style, this.terminal.width));
  }
}
