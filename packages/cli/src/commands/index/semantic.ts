import { Args } from '@oclif/core';
import { indexArg } from '../../config/index-arg.ts';
import { outputFlags } from '../../output/output-target.ts';
import { nearestFlags, searchFlags } from '../../search/search-flags.ts';
import Search from '../search.ts';

const { fix: _, ...flags } = searchFlags;

export default class IndexSemantic extends Search {
  static override summary = 'Search by meaning: the rows whose vectors are nearest to a text.';
  static override examples = [
    `<%= config.bin %> index semantic demo-incidents 'people cannot sign in'`,
    `<%= config.bin %> index semantic demo-incidents 'slow checkout' --filter 'severity:1' --k 50`,
    `<%= config.bin %> index semantic products --vector @vector.json --min-score 0.7 --json`,
  ];
  static override args = {
    index: indexArg,
    query: Args.string({ ignoreStdin: true, description: 'text to search for' }),
  };
  static override flags = {
    ...flags,
    ...nearestFlags,
    ...outputFlags,
    queries: Search.flags.queries,
  } as typeof Search.flags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexSemantic);
    await this.search('semantic', args, flags);
  }
}
