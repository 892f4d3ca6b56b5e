import { Args } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { outputFlags } from '../../output/output-target.ts';
import { savedQuery, withOverrides } from '../../search/saved-query.ts';
import { fusionFlags, nearestFlags, searchFlags } from '../../search/search-flags.ts';

export default class QueryRun extends LhsCommand {
  static override summary = 'Run a saved query; each flag overrides a part of its request.';
  static override examples = [
    '<%= config.bin %> query run slow',
    '<%= config.bin %> query run slow --limit 100 --hydrate --json',
    "<%= config.bin %> query run slow --filter 'severity:1' --facet service",
    '<%= config.bin %> query run slow --limit 1000 --output slow.parquet',
  ];
  static override args = {
    name: Args.string({ ignoreStdin: true, description: 'name of the query', required: true }),
  };
  static override flags = { ...searchFlags, ...nearestFlags, ...fusionFlags, ...outputFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(QueryRun);
    const target = this.target(flags);
    const backend = await this.backend(flags);
    const search = await withOverrides(await savedQuery(backend, args.name), flags);
    const { presentSearch, shapedAnswer } = await import('../../search/run-search.ts');
    const { width, err, interactive } = this.terminal;
    const readsRows = interactive && target.file === undefined;
    const place = { format: target.format, style: this.styleOf(target), width, readsRows, err };
    const shapes = presentSearch(backend, search, place, (answer) => shapedAnswer(answer, flags));
    await this.answer(target, shapes);
  }
}
