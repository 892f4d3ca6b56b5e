import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';

export default class AliasSet extends LhsCommand {
  static override summary = 'Set an alias of an index. An existing alias moves atomically.';
  static override examples = [
    '<%= config.bin %> alias set live demo-incidents',
    '<%= config.bin %> alias set live incidents-v2 --json',
  ];
  static override args = {
    alias: Args.string({ ignoreStdin: true, description: 'name of the alias', required: true }),
    index: indexArg,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(AliasSet);
    const { alias, index } = args;
    const answer = await (await this.backend(flags)).setAlias({ alias, index });
    if (flags.json) return this.printJson(answer);
    this.print([`${answer.alias} is now an alias of ${answer.index}`]);
  }
}
