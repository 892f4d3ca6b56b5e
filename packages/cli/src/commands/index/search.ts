import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { outputFlags } from '../../output/output-target.ts';
import { searchFlags, searchRequest } from '../../search/search-flags.ts';

export default class IndexSearch extends LhsCommand {
  static override summary = 'Search an index: ranked keys, cached fields, and rows on request.';
  static override examples = [
    `<%= config.bin %> search incidents 'timeout AND service:billing'`,
    `<%= config.bin %> search incidents 'title:"connection reset"' --sort opened_at:desc --limit 5`,
    `<%= config.bin %> search incidents 'timeout' --hydrate --columns title,narrative --json`,
    `<%= config.bin %> search incidents 'timeout' --limit 1000 --output hits.parquet`,
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
    ...outputFlags,
    queries: Flags.string({
      description: 'run many: a query or a JSON request a line; an answer a line',
      helpValue: 'FILE',
      exclusive: ['after', 'offset', 'format', 'output'],
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
    const target = this.target(flags);
    const request = searchRequest(args.index, args.query, flags);
    const { searchShapes } = await import('../../search/search-shapes.ts');
    const { width } = this.terminal;
    await this.answer(
      target,
      await searchShapes(backend, request, target.format, this.styleOf(target), width),
    );
  }
}
