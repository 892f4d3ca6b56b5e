import { Args } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { SCRIPTS, SETUP, SHELLS, type Shell } from '../completion/scripts.ts';

export default class Completion extends LhsCommand {
  static override summary = 'Print a script that completes commands, flags, indexes and fields.';
  static override examples = [
    '<%= config.bin %> completion install',
    'source <(<%= config.bin %> completion bash)',
    '<%= config.bin %> completion fish > ~/.config/fish/completions/lhs.fish',
  ];
  static override args = {
    shell: Args.string({ ignoreStdin: true, description: 'the shell', options: [...SHELLS] }),
  };

  override async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    if (args.shell !== undefined) return this.terminal.data(SCRIPTS[args.shell as Shell].trimEnd());
    this.print([
      'load the script of your shell once in every new shell:',
      ...SHELLS.map((shell) => `  ${shell.padEnd(10)}  ${SETUP[shell]}`),
    ]);
  }
}
