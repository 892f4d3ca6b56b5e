import type { SearchRequest } from '@lakehouse-search/contract';
import { LhsCommand } from '../../base-command.ts';
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
    if (flags.json) return this.printJson({ saved_queries: queries });
    if (queries.length === 0) {
      return this.print(['no saved queries yet', 'next: lhs query save NAME INDEX QUERY']);
    }
    const rows = queries.map(({ name, description = '', request }) => [
      name,
      request.index ?? '-',
      question(request),
      description,
    ]);
    const columns = ['name', 'index', 'query', 'description'].map((title) => ({ title }));
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}

function question({ query, ast, filter, sort = [] }: SearchRequest): string {
  const asked = query ?? (ast === undefined ? '*:*' : JSON.stringify(ast));
  const narrows = typeof filter === 'object' ? JSON.stringify(filter) : filter;
  const orders = sort.map(({ field, desc }) => `${field}${desc ? ':desc' : ''}`).join(',');
  return [
    asked,
    ...(narrows === undefined ? [] : [`filter: ${narrows}`]),
    ...(orders === '' ? [] : [`sort: ${orders}`]),
  ].join('  ');
}
