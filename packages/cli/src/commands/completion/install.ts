import { LhsError } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import {
  INSTALLED,
  type InstalledShell,
  installCompletion,
  shellOfUser,
} from '../../completion/install.ts';

export default class CompletionInstall extends LhsCommand {
  static override summary = 'Let new shells complete commands, flags, indexes and fields.';
  static override examples = [
    '<%= config.bin %> completion install',
    '<%= config.bin %> completion install zsh',
  ];
  static override args = {
    shell: Args.string({
      ignoreStdin: true,
      description: 'the shell (that of the user)',
      options: [...INSTALLED],
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(CompletionInstall);
    const shell = (args.shell as InstalledShell | undefined) ?? shellOfUser(process.env);
    if (shell === undefined) {
      throw new LhsError('invalid_argument', 'the shell of this user has no start file here', {
        hint: `name one of ${INSTALLED.join(', ')}, or see lhs completion`,
      });
    }
    const files = await installCompletion(shell, process.env);
    if (flags.json) return this.printJson({ shell, files });
    this.print([...files.map((file) => `wrote ${file}`), 'it works in every new shell']);
    if (process.env.npm_command !== 'exec') return;
    this.terminal.err('a shell completes the command lhs, which npx does not put on the PATH');
  }
}
