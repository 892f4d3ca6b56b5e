import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { windowLines } from '../../sync/window-lines.ts';

export default class IndexWindows extends LhsCommand {
  static override summary = 'List the windows of an index: their dates, documents and sizes.';
  static override examples = [
    '<%= config.bin %> index windows incidents',
    '<%= config.bin %> index windows incidents --json',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexWindows);
    const status = await (await this.backend(flags)).windowStatus({ index: args.index });
    if (flags.json) return this.printJson(status);
    this.print(windowLines(status, this.style, this.terminal.width));
  }
}
