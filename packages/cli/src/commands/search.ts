import { LhsError, type SearchMode } from '@lakehouse-search/contract';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../base-command.ts';
import { indexArg } from '../config/index-arg.ts';
import { refuseFieldBehindSwitch } from '../config/switch-values.ts';
import { outputFlags } from '../output/output-target.ts';
import {
  fusionFlags,
  likeFlag,
  modeFlag,
  nearestFlags,
  type SearchFlags,
  searchFlags,
} from '../search/search-flags.ts';
import { styleFor } from '../terminal/style.ts';

/** Many questions from one open index. */
const queries = Flags.string({
  description: 'run one query or JSON request per line of FILE, print one response per line',
  helpValue: 'FILE',
  exclusive: ['after', 'offset', 'format', 'output', 'like'],
});

/** Prints that a flag in the text of a query, such as `'fox --fix'`, is searched as a word. */
function noteFlags(text: string | undefined, err: (line: string) => void): void {
  const names = [...(text ?? '').matchAll(/(?:^|\s)--([a-z-]+)/g)].map(([, name]) => name);
  const flag = names.find((name) => name in { ...searchFlags, ...outputFlags });
  if (flag === undefined) return;
  err(`--${flag} is searched as a word: write flags outside of the quotes, before --`);
}

export default class Search extends LhsCommand {
  static override summary = 'Search an index: ranked keys, cached fields, and rows on request.';
  static override examples = [
    `<%= config.bin %> search demo-incidents 'timeout AND service:billing'`,
    `<%= config.bin %> search demo-incidents 'title:"connection reset"' --sort -opened_at -n 5`,
    `<%= config.bin %> search demo-incidents 'people cannot sign in' --mode hybrid`,
    '<%= config.bin %> search demo-incidents --like id=4217 --filter service:billing',
    '<%= config.bin %> search demo-incidents timeout --hydrate --columns title,narrative',
    '<%= config.bin %> search demo-incidents timeout --limit 1000 --output hits.parquet',
    `<%= config.bin %> search demo-incidents -- '-resolved:true'`,
  ];
  static override args = {
    index: indexArg,
    query: Args.string({
      ignoreStdin: true,
      description: 'query (docs/query.md; default: all documents); a text with --mode',
    }),
  };
  static override flags = {
    mode: modeFlag,
    like: likeFlag,
    ...searchFlags,
    ...nearestFlags,
    ...fusionFlags,
    ...outputFlags,
    queries,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(Search);
    await this.search((flags.mode ?? 'lexical') as SearchMode, args, flags);
  }

  /** Searches in a mode: one query, or a file of queries. */
  protected async search(
    mode: SearchMode,
    args: { readonly index: string; readonly query?: string },
    flags: SearchFlags & Parameters<Search['target']>[0] & { readonly queries?: string },
  ): Promise<void> {
    const backend = await this.backend(flags, flags.queries === undefined ? undefined : {});
    await refuseFieldBehindSwitch(this.typed, backend, args.index);
    if (flags.queries !== undefined) {
      if (args.query !== undefined) {
        const both = `"${args.query}" and --queries cannot be combined`;
        const message = `${both}: the file contains the queries`;
        throw new LhsError('invalid_argument', message, { hint: 'remove one of them' });
      }
      const { runQueryFile } = await import('../search/query-file.ts');
      const { stdoutSink } = await import('../output/columns.ts');
      const { writeJson } = await import('../output/write-answer.ts');
      const data = (value: unknown) => writeJson(stdoutSink, value);
      const { err, width } = this.terminal;
      const output = { data, err, width, style: styleFor({ color: false }) };
      await runQueryFile(backend, mode, args.index, flags.queries, flags, output);
      return;
    }
    const target = this.target(flags);
    const { runSearch } = await import('../search/run-search.ts');
    const { err, interactive } = this.terminal;
    const width = this.widthOf(target);
    const readsRows = interactive && target.file === undefined;
    const place = { format: target.format, style: this.styleOf(target), width, readsRows, err };
    const shapes = await runSearch(backend, mode, args.index, args.query, flags, place);
    noteFlags(args.query, err);
    try {
      await this.answer(target, shapes);
    } catch (error) {
      const { withOtherSearches } = await import('../search/other-searches.ts');
      throw await withOtherSearches(error, backend, args.index, args.query);
    }
  }
}
