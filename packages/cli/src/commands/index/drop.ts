import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { confirm } from '../../terminal/confirm.ts';

export default class IndexDrop extends LhsCommand {
  static override summary = 'Drop an index and its files. The table is not touched.';
  static override examples = [
    '<%= config.bin %> index drop incidents',
    '<%= config.bin %> index drop incidents --yes',
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexDrop);
    const backend = await this.backend(flags);
    await backend.describeIndex({ index: args.index });
    const asked = `Drop the index "${args.index}"?`;
    if (!(await confirm(this.terminal, asked, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was dropped');
    }
    await backend.dropIndex({ index: args.index });
    if (flags.json) return this.printJson({ dropped: args.index });
    this.print([`${args.index} dropped; its table is as it was`]);
  }
}
