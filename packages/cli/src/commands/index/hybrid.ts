import { Args } from '@oclif/core';
import { indexArg } from '../../config/index-arg.ts';
import { outputFlags } from '../../output/output-target.ts';
import { fusionFlags, nearestFlags, searchFlags } from '../../search/search-flags.ts';
import Search from '../search.ts';

export default class IndexHybrid extends Search {
  static override summary = 'Search by words and by meaning, and fuse the two results.';
  static override examples = [
    `<%= config.bin %> index hybrid demo-incidents 'certificate expired, people cannot sign in'`,
    `<%= config.bin %> index hybrid demo-incidents 'slow checkout' --weights 1,2`,
    `<%= config.bin %> index hybrid demo-incidents 'slow checkout' --sort -opened_at --json`,
  ];
  static override args = {
    index: indexArg,
    query: Args.string({
      ignoreStdin: true,
      description: 'text to search for; it has no operators',
    }),
  };
  static override flags = {
    ...searchFlags,
    ...nearestFlags,
    ...fusionFlags,
    ...outputFlags,
    queries: Search.flags.queries,
  } as typeof Search.flags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexHybrid);
    await this.search('hybrid', args, flags);
  }
}
