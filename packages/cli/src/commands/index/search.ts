import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { searchFlags, searchRequest } from '../../search/search-flags.ts';

export default class IndexSearch extends LhsCommand {
  static override summary = 'Search an index: ranked keys, cached fields, and rows on request.';
  static override examples = [
    `<%= config.bin %> search incidents 'timeout AND service:billing'`,
    `<%= config.bin %> search incidents 'title:"connection reset"' --sort opened_at:desc --limit 5`,
    `<%= config.bin %> search incidents 'timeout' --hydrate --columns title,narrative --json`,
    `<%= config.bin %> search incidents -- '-resolved:true'`,
  ];
  static override args = {
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
    query: Args.string({
      ignoreStdin: true,
      description: 'query (docs/query.md); everything when left out',
    }),
  };
  static override flags = {
    ...searchFlags,
    queries: Flags.string({
      description: 'run many: a query or a JSON request a line; an answer a line',
      helpValue: 'FILE',
      exclusive: ['after', 'offset'],
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexSearch);
    const backend = await this.backend(flags);
    if (flags.queries !== undefined) {
      const { runQueryFile } = await import('../../search/query-file.ts');
      await runQueryFile(backend, args.index, flags.queries, flags, (line) =>
        this.terminal.out(line),
      );
      return;
    }
    const request = searchRequest(args.index, args.query, flags);
    if (flags.json) {
      this.printJson(await backend.search(request));
      return;
    }
    const { answerLines } = await import('../../search/answer-lines.ts');
    const { style, terminal } = this;
    this.print(await answerLines(backend, request, style, terminal.width));
  }
}
