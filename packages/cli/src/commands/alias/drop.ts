import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';

export default class AliasDrop extends LhsCommand {
  static override summary = 'Remove an alias. The index stays.';
  static override examples = [
    '<%= config.bin %> alias drop live',
    '<%= config.bin %> alias drop live --json',
  ];
  static override args = {
    alias: Args.string({ ignoreStdin: true, description: 'name of the alias', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(AliasDrop);
    await (await this.backend(flags)).dropAlias({ alias: args.alias });
    if (flags.json) return this.printJson({ dropped: args.alias });
    this.print([`alias ${args.alias} removed; its index stays`]);
  }
}
