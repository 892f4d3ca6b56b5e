import { LhsCommand } from '../../base-command.ts';
import { aggregationFlags, aggregationSpecs } from '../../search/aggregation-flags.ts';
import { aggregationLines } from '../../search/aggregation-lines.ts';
import { matchArgs, matchFlags, matchRequest } from '../../search/match-flags.ts';
import { duration, plural } from '../../terminal/figures.ts';

export default class IndexAggregate extends LhsCommand {
  static override summary = 'Aggregate the documents of a query: values, times, figures.';
  static override examples = [
    `<%= config.bin %> index aggregate incidents timeout --terms service --histogram opened_at:week`,
    `<%= config.bin %> index aggregate incidents --stats severity --percentiles severity`,
    `<%= config.bin %> index aggregate incidents --aggs '{"by": {"terms": {"field": "service"}, "aggs": {"s": {"stats": {"field": "severity"}}}}}'`,
  ];
  static override args = matchArgs;
  static override flags = { ...matchFlags, ...aggregationFlags };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexAggregate);
    const aggs = aggregationSpecs(flags);
    const answer = await (await this.backend(flags)).aggregate({
      ...matchRequest(args, flags),
      aggs,
    });
    if (flags.json) return this.printJson(answer);
    const head = `${plural(answer.total, 'row')} in ${args.index} · ${duration(answer.took_ms)}`;
    const lines = aggregationLines(answer.results, aggs, this.style, this.terminal.width);
    this.print([head, '', ...lines]);
  }
}
