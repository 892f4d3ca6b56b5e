import type { BenchRequest } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { readText } from '../../files/read-text.ts';
import { queriesOf } from '../../search/query-file.ts';
import { count } from '../../terminal/figures.ts';

export default class IndexBench extends LhsCommand {
  static override summary =
    'Measure a file of queries: median µs inside the engine, totals, percentiles.';
  static override examples = [
    '<%= config.bin %> index bench demo-incidents --queries queries.txt',
    '<%= config.bin %> index bench commits --queries queries.txt --repeat 9 --json',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    queries: Flags.string({
      description: 'one query per line, or a JSON array of strings',
      helpValue: 'FILE',
      required: true,
    }),
    operator: Flags.string({
      options: ['or', 'and', 'phrase', 'query'],
      description: 'operator between words; query: each line is a query string (query)',
    }),
    limit: Flags.integer({ char: 'n', description: 'hits per query (10)', min: 1 }),
    warm: Flags.integer({ description: 'warm-up rounds (3)', min: 0 }),
    repeat: Flags.integer({ description: 'measured rounds (9)', min: 1 }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexBench);
    const backend = await this.backend(flags);
    const queries = queriesOf(await readText(flags.queries));
    const answer = await backend.bench({
      index: args.index,
      queries,
      operator: flags.operator as BenchRequest['operator'],
      limit: flags.limit,
      warm: flags.warm,
      repeat: flags.repeat,
    });
    if (flags.json) return this.printJson(answer);
    const us = (n: number) => `${n.toFixed(1)} µs`;
    this.print([
      `${count(queries.length)} queries on ${answer.index}, ${answer.operator}`,
      `mean ${us(answer.mean_us)} · p50 ${us(answer.p50_us)} · p90 ${us(answer.p90_us)} ` +
        `· p99 ${us(answer.p99_us)}`,
    ]);
  }
}
