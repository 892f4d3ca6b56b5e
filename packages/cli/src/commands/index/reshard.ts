import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { readText } from '../../files/read-text.ts';
import { reshardLines } from '../../search/lines/reshard-lines.ts';
import { queriesOf } from '../../search/query-file.ts';
import { measuredLoad, suggestionLines, suggestShards } from '../../search/suggest-shards.ts';
import { progressReport } from '../../terminal/progress.ts';

const NEXT = 'next: the same command with --apply';

export default class IndexReshard extends LhsCommand {
  static override summary = 'Plan another number of shards for an index, or make them.';
  static override description =
    'As few of the 1,024 buckets of keys as possible get another shard. With --apply one commit ' +
    'gives the segments to the shards of their keys; merges divide them later. An index over ' +
    'several nodes needs a control plane (lhs help serve).';
  static override examples = [
    '<%= config.bin %> index reshard incidents --suggest',
    '<%= config.bin %> index reshard incidents --shards 3',
    '<%= config.bin %> index reshard incidents --shards 3 --apply --url https://lhs.example.com',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    shards: Flags.integer({
      description: 'number of shards afterwards, 1 to 1,024',
      helpValue: 'N',
      min: 1,
      max: 1024,
      exactlyOne: ['shards', 'suggest'],
    }),
    suggest: Flags.boolean({
      description: 'print a number of shards by size and by the time of searches measured now',
      exclusive: ['apply'],
    }),
    queries: Flags.string({
      description: 'queries to measure, one per line (the most frequent words)',
      helpValue: 'FILE',
      dependsOn: ['suggest'],
    }),
    apply: Flags.boolean({ description: 'put the new shards in force' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexReshard);
    const backend = await this.backend(flags);
    const { shards } = flags;
    if (shards === undefined) {
      const queries = flags.queries && queriesOf(await readText(flags.queries));
      const load = await measuredLoad(backend, args.index, queries || undefined);
      const suggestion = suggestShards(load);
      if (flags.json) return this.printJson(suggestion);
      return this.print(suggestionLines(suggestion));
    }
    const request = { index: args.index, shards };
    const report = progressReport(this.terminal, args.index, flags.json === true);
    const plan = await this.stoppable('the former shards are in force', (signal) =>
      flags.apply
        ? backend.applyReshard(request, { signal, progress: report.update }).finally(report.stop)
        : backend.planReshard(request, { signal }).finally(report.stop),
    );
    if (flags.json) return this.printJson(plan);
    this.print(reshardLines(plan));
    if (!flags.apply && plan.moves.length > 0) this.print([NEXT]);
  }
}
