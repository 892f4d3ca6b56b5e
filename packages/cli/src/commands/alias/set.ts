import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';

export default class AliasSet extends LhsCommand {
  static override summary =
    'Let another name mean an index; one that exists moves there in one step.';
  static override examples = [
    '<%= config.bin %> alias set live incidents',
    '<%= config.bin %> alias set live incidents-v2 --json',
  ];
  static override args = {
    alias: Args.string({ ignoreStdin: true, description: 'the other name', required: true }),
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(AliasSet);
    const { alias, index } = args;
    const answer = await (await this.backend(flags)).setAlias({ alias, index });
    if (flags.json) return this.printJson(answer);
    this.print([`${answer.alias} means ${answer.index} now`]);
  }
}
