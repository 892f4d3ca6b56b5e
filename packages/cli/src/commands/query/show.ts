import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { questionOf, savedQuery } from '../../search/saved-query.ts';

export default class QueryShow extends LhsCommand {
  static override summary = 'Show a saved query with its whole request.';
  static override examples = [
    '<%= config.bin %> query show slow',
    '<%= config.bin %> query show slow --json',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the query', required: true }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QueryShow);
    const saved = await savedQuery(await this.backend(flags), args.name);
    if (flags.json) return this.printJson(saved);
    const { name, description, mode = 'lexical', request, created_at, updated_at } = saved;
    this.print([
      `${name}: a ${mode} search of ${request.index ?? 'the only index'}`,
      ...(description === undefined ? [] : [description]),
      `query    ${questionOf(saved)}`,
      `saved    ${created_at}`,
      ...(updated_at === created_at ? [] : [`changed  ${updated_at}`]),
      `request  ${JSON.stringify(request)}`,
      `next: lhs query run ${name}`,
    ]);
  }
}
