import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { searchRequest } from '../../search/run-search.ts';
import { savedQuery } from '../../search/saved-query.ts';
import { searchFlags } from '../../search/search-flags.ts';

const { after: _after, pit: _pit, ...lastingFlags } = searchFlags;

export default class QuerySave extends LhsCommand {
  static override summary = 'Save a lexical search under a name, with its query, filter and order.';
  static override examples = [
    `<%= config.bin %> query save slow incidents 'timeout OR "slow query"' --sort opened_at:desc`,
    `<%= config.bin %> query save slow incidents 'latency' --replace`,
  ];
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      description: 'name of the saved query',
      required: true,
    }),
    index: Args.string({ ignoreStdin: true, description: 'name of the index', required: true }),
    query: Args.string({
      ignoreStdin: true,
      description: 'lexical query (docs/query.md; default: all documents)',
    }),
  };
  static override flags = {
    ...lastingFlags,
    description: Flags.string({ description: 'description of the saved query', helpValue: 'TEXT' }),
    replace: Flags.boolean({ description: 'replace the saved query of that name' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QuerySave);
    const backend = await this.backend(flags);
    const { description, replace } = flags;
    const request = await searchRequest(args.index, args.query, flags);
    await backend.describeIndex({ index: args.index });
    const draft = { name: args.name, ...(description && { description }), request };
    const saved = replace
      ? await backend.replaceSavedQuery({ id: (await savedQuery(backend, args.name)).id, ...draft })
      : await backend.createSavedQuery(draft);
    if (flags.json) return this.printJson(saved);
    this.print([`${saved.name} saved`, `next: lhs query run ${saved.name}`]);
  }
}
