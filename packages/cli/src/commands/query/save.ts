import type { SearchMode } from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { modeRequest, refuseIdle } from '../../search/run-search.ts';
import { savedQuery } from '../../search/saved-query.ts';
import {
  fusionFlags,
  modeFlag,
  nearestFlags,
  pageLimit,
  searchFlags,
} from '../../search/search-flags.ts';

const { after: _after, pit: _pit, ...lastingFlags } = searchFlags;
const { 'fail-on-partial': _fail, ...lastingFusion } = fusionFlags;

export default class QuerySave extends LhsCommand {
  static override summary = 'Save a search of any mode under a name.';
  static override examples = [
    `<%= config.bin %> query save slow demo-incidents 'timeout' --sort -opened_at`,
    `<%= config.bin %> query save slow demo-incidents 'latency' --replace`,
    `<%= config.bin %> query save doors demo-incidents 'cannot get in' --mode hybrid`,
  ];
  static override args = {
    name: Args.string({
      ignoreStdin: true,
      description: 'name of the saved query',
      required: true,
    }),
    index: indexArg,
    query: Args.string({
      ignoreStdin: true,
      description: 'query (docs/query.md; default: all documents); a text with --mode',
    }),
  };
  static override flags = {
    mode: modeFlag,
    ...lastingFlags,
    limit: pageLimit,
    ...nearestFlags,
    ...lastingFusion,
    description: Flags.string({ description: 'description of the saved query', helpValue: 'TEXT' }),
    replace: Flags.boolean({ description: 'replace the saved query of that name' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QuerySave);
    const backend = await this.backend(flags);
    const { description, replace, mode = 'lexical', ...search } = flags;
    refuseIdle(mode as SearchMode, search);
    const saving = await modeRequest(mode as SearchMode, args.index, args.query, search);
    await backend.describeIndex({ index: args.index });
    const draft = { name: args.name, ...(description && { description }), ...saving };
    const saved = replace
      ? await backend.replaceSavedQuery({ id: (await savedQuery(backend, args.name)).id, ...draft })
      : await backend.createSavedQuery(draft);
    if (flags.json) return this.printJson(saved);
    this.print([`${saved.name} saved`, `next: lhs query run ${saved.name}`]);
  }
}
