import type { SearchRequest } from '@lakehouse-search/contract';
import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { outputFlags } from '../../output/output-target.ts';
import { savedQuery } from '../../search/saved-query.ts';
import { requestPart, searchFlags } from '../../search/search-flags.ts';

const { limit, offset, after, pit, hydrate, columns } = searchFlags;
const page = { limit, offset, after, pit, hydrate, columns };

export default class QueryRun extends LhsCommand {
  static override summary = 'Run a saved query; flags change the page, not the query.';
  static override examples = [
    '<%= config.bin %> query run slow',
    '<%= config.bin %> query run slow --limit 100 --hydrate --json',
    '<%= config.bin %> query run slow --limit 1000 --output slow.parquet',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the query', required: true }),
  };
  static override flags = { ...page, ...outputFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QueryRun);
    const target = this.target(flags);
    const backend = await this.backend(flags);
    const { request: saved } = await savedQuery(backend, args.name);
    const request: SearchRequest = { ...saved, ...(await requestPart(flags, page)) };
    const { presentSearch } = await import('../../search/run-search.ts');
    const { width, err } = this.terminal;
    const place = { format: target.format, style: this.styleOf(target), width, err };
    await this.answer(target, presentSearch(backend, { mode: 'lexical', request }, place));
  }
}
