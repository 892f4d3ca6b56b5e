import type { SearchMode } from '@lakehouse-search/contract';
import { formatKey } from '@lakehouse-search/engine';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { splitKeyWords } from '../../search/key-words.ts';
import { partialRemarks } from '../../search/lines/partial.ts';
import { keysOfTexts } from '../../search/meant-keys.ts';
import { modeRequest, refuseIdle } from '../../search/run-search.ts';
import {
  fusionFlags,
  modeFlag,
  nearestFlags,
  pageLimit,
  searchFlags,
} from '../../search/search-flags.ts';

const NOT_FOUND_EXIT = 3;

export default class IndexExplain extends LhsCommand {
  static override aliases = ['explain'];
  static override summary =
    'Explain why a row is found, with score and rank, or why not (exit 3 if it does not exist).';
  static override examples = [
    `<%= config.bin %> explain demo-incidents timeout service:billing id=4217`,
    `<%= config.bin %> explain demo-incidents 'title:"connection reset"' --key id=3911`,
    `<%= config.bin %> explain demo-incidents 'people cannot sign in' --mode hybrid --key id=204`,
    `<%= config.bin %> explain commits 'fix leak' --key repo=git,sha=1a3e5f --json`,
  ];
  static override args = {
    index: indexArg,
    query: Args.string({
      ignoreStdin: true,
      description: 'query (docs/query.md; default: all documents); a text with --mode',
    }),
  };
  static override flags = {
    key: Flags.string({
      description: 'key of the row; also as the last words of the query',
      helpValue: 'A=B,C=D',
    }),
    mode: modeFlag,
    syntax: searchFlags.syntax,
    operator: searchFlags.operator,
    filter: searchFlags.filter,
    sort: searchFlags.sort,
    limit: pageLimit,
    offset: searchFlags.offset,
    pit: searchFlags.pit,
    ...nearestFlags,
    fusion: fusionFlags.fusion,
    'rrf-k': fusionFlags['rrf-k'],
    weights: fusionFlags.weights,
    'lexical-fields': fusionFlags['lexical-fields'],
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexExplain);
    const backend = await this.backend(flags);
    const index = await backend.describeIndex({ index: args.index });
    const { query = '' } = args;
    const [text, key] =
      flags.key === undefined ? splitKeyWords(query, index.key) : [query, flags.key];
    const [coordinates] = await keysOfTexts([key], index, backend);
    const mode = (flags.mode ?? 'lexical') as SearchMode;
    refuseIdle(mode, flags);
    const { request } = await modeRequest(mode, args.index, text || undefined, flags);
    const answer = await backend.explain({ ...request, mode, coordinates });
    if (!answer.found) process.exitCode = NOT_FOUND_EXIT;
    this.terminal.err(...partialRemarks(answer));
    const { scored_by } = answer;
    if (flags.debug && scored_by !== undefined) this.terminal.err(`scored by: ${scored_by}`);
    if (flags.json) return this.printJson(answer);
    const { explainLines } = await import('../../search/lines/explain-lines.ts');
    this.print(explainLines(answer, formatKey(coordinates), this.style, this.terminal.width));
  }
}
