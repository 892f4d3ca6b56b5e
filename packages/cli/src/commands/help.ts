import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import LhsHelp from '../help.ts';

export default class Help extends LhsCommand {
  static override summary = 'Print the help of a command, or a page of the documentation.';
  static override examples = [
    '<%= config.bin %> help search',
    '<%= config.bin %> help query',
    '<%= config.bin %> help -n',
  ];
  static override args = {
    command: Args.string({ description: 'a command, or the name of a page' }),
  };
  static override flags = {
    'nested-commands': Flags.boolean({ char: 'n', summary: 'include all nested commands' }),
  };
  static override strict = false;

  override async run(): Promise<void> {
    const { argv, flags } = await this.parse(Help);
    const help = new LhsHelp(this.config, { all: flags['nested-commands'] });
    await help.showPageOrHelp(argv.map(String));
  }
}
