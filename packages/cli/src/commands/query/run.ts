import type { SearchRequest } from '@lakehouse-search/engine';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { answerLines } from '../../search/answer-lines.ts';
import { savedQuery } from '../../search/saved-query.ts';
import { searchFlags, searchRequest } from '../../search/search-flags.ts';

const { limit, offset, after, pit, hydrate, columns } = searchFlags;

export default class QueryRun extends LhsCommand {
  static override summary =
    'Search as a saved query says; flags change its page, not its question.';
  static override examples = [
    '<%= config.bin %> query run slow',
    '<%= config.bin %> query run slow --limit 100 --hydrate --json',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the query', required: true }),
  };
  static override flags = { limit, offset, after, pit, hydrate, columns };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QueryRun);
    const backend = await this.backend(flags);
    const { request: kept } = await savedQuery(backend, args.name);
    const { index: _, query: __, ...page } = searchRequest('', undefined, flags);
    const request: SearchRequest = { ...kept, ...page };
    if (flags.json) return this.printJson(await backend.search(request));
    const { style, terminal } = this;
    this.print(await answerLines(backend, { mode: 'lexical', request }, style, terminal.width));
  }
}
