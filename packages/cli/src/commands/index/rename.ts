import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { plural } from '../../terminal/figures.ts';

export default class IndexRename extends LhsCommand {
  static override aliases = ['rename'];
  static override summary = 'Give an index another name, at once. Nothing is built or copied.';
  static override description =
    'Aliases, saved queries and points in time follow. Access tokens do not: they name indexes.';
  static override examples = [
    '<%= config.bin %> rename demo-incidents incidents-2025',
    '<%= config.bin %> rename incidents-next demo-incidents --json',
  ];
  static override args = {
    index: indexArg,
    name: Args.string({ ignoreStdin: true, description: 'its new name', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexRename);
    const { index, name } = args;
    const backend = await this.backend(flags);
    const done = await backend.renameIndex({ index, name });
    if (flags.json) return this.printJson(done);
    const { aliases, saved_queries: queries } = done;
    const followed = [
      ...(aliases.length === 0 ? [] : [`aliases ${aliases.join(', ')}`]),
      ...(queries === 0 ? [] : [plural(queries, 'saved query', 'saved queries')]),
    ];
    this.print([
      `${index} is now ${name}`,
      ...(followed.length === 0 ? [] : [`followed: ${followed.join('; ')}`]),
      `write "index: ${name}" in its definition file before you apply the file again`,
    ]);
  }
}
