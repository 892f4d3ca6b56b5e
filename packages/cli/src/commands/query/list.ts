import { LhsCommand } from '../../base-command.ts';
import { questionOf } from '../../search/saved-query.ts';
import { table } from '../../terminal/table.ts';

export default class QueryList extends LhsCommand {
  static override summary = 'List the saved queries.';
  static override examples = [
    '<%= config.bin %> query list',
    '<%= config.bin %> query list --json',
  ];

  override async run(): Promise<void> {
    const { flags } = await this.parse(QueryList);
    const queries = await (await this.backend(flags)).listSavedQueries();
    if (queries.length === 0) this.tellMissingFolder(flags);
    if (flags.json) return this.printJson({ saved_queries: queries });
    if (queries.length === 0) {
      return this.print(['no saved queries yet', 'next: lhs query save NAME INDEX QUERY']);
    }
    const rows = queries.map((saved) => [
      saved.name,
      saved.request.index ?? '-',
      saved.mode ?? 'lexical',
      questionOf(saved),
      saved.description ?? '',
    ]);
    const columns = ['name', 'index', 'mode', 'query', 'description'].map((title) => ({ title }));
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
