import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { costLines, diffLines } from '../../search/lines/diff-lines.ts';
import { progressReport } from '../../terminal/progress.ts';

export default class IndexDiff extends LhsCommand {
  static override summary =
    'Compare the hits of a search at two moments: entered, left, moved, and the cause of each.';
  static override examples = [
    "<%= config.bin %> index diff incidents -q 'disk full' --from 5029384756100371",
    "<%= config.bin %> index diff incidents -q 'disk full' --from generation:3 --to now --json",
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    query: Flags.string({ char: 'q', description: 'query', helpValue: 'QUERY', required: true }),
    from: Flags.string({
      description: 'snapshot, branch or tag, generation:N, pit:ID or index:NAME',
      helpValue: 'MOMENT',
      required: true,
    }),
    to: Flags.string({ description: 'the other moment (now)', helpValue: 'MOMENT' }),
    filter: Flags.string({ description: 'filter, a query', helpValue: 'QUERY' }),
    syntax: Flags.string({ description: 'syntax of queries', options: ['default', 'kql'] }),
    limit: Flags.integer({
      char: 'n',
      description: 'hits of each side (10, at most 1000)',
      helpValue: 'N',
      min: 1,
    }),
    plan: Flags.boolean({ description: 'only print what would be built' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexDiff);
    const { query, from, to, filter, limit, json = false } = flags;
    const { index } = args;
    const syntax = flags.syntax as 'default' | 'kql' | undefined;
    const request = { index, query, from, to, filter, syntax, limit };
    const backend = await this.backend(flags);
    const plan = await backend.diffHits({ ...request, plan: true });
    if (flags.plan) {
      if (json) return this.printJson(plan);
      const lines = costLines(plan);
      return this.print(lines.length === 0 ? ['nothing is built'] : lines);
    }
    if (!json) this.terminal.err(...costLines(plan));
    const progress = progressReport(this.terminal, index, json);
    const diff = await this.stoppable('nothing was changed', (signal) =>
      backend.diffHits(request, { progress: progress.update, signal }).finally(progress.stop),
    );
    if (json) return this.printJson(diff);
    this.print(diffLines(diff, this.terminal.width));
  }
}
