import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { savedQuery } from '../../search/saved-query.ts';

export default class QueryDrop extends LhsCommand {
  static override summary = 'Delete a saved query.';
  static override examples = [
    '<%= config.bin %> query drop slow',
    '<%= config.bin %> query drop slow --json',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the query', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QueryDrop);
    const backend = await this.backend(flags);
    const { id } = await savedQuery(backend, args.name);
    await backend.deleteSavedQuery({ id });
    if (flags.json) return this.printJson({ dropped: args.name });
    this.print([`${args.name} dropped`]);
  }
}
