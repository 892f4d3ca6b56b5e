import { withDates } from '@lakehouse-search/contract/internal';
import { LhsCommand } from '../../base-command.ts';
import { outputFlags } from '../../output/output-target.ts';
import { aggregationFlags, aggregationSpecs } from '../../search/aggregation-flags.ts';
import { described } from '../../search/described.ts';
import { inFieldCase } from '../../search/field-case.ts';
import { aggregationLines } from '../../search/lines/aggregation-lines.ts';
import { aggregationTable } from '../../search/lines/aggregation-rows.ts';
import { partialRemarks } from '../../search/lines/partial.ts';
import { nothingFound } from '../../search/lines/result-lines.ts';
import { matchRequest } from '../../search/run-search.ts';
import { matchArgs, matchFlags } from '../../search/search-flags.ts';
import { commandWords } from '../../terminal/errors/next-step.ts';
import { duration, plural } from '../../terminal/figures.ts';
import { printable } from '../../terminal/text.ts';

export default class IndexAggregate extends LhsCommand {
  static override aliases = ['aggregate'];
  static override summary = 'Count and measure the documents that match a query.';
  static override examples = [
    '<%= config.bin %> aggregate demo-incidents timeout --histogram opened_at:month',
    '<%= config.bin %> aggregate demo-incidents timeout --terms service --avg minutes',
    `<%= config.bin %> aggregate demo-incidents --stats severity --percentiles severity`,
    `<%= config.bin %> aggregate demo-incidents --aggs '{"n": {"max": {"field": "minutes"}}}'`,
  ];
  static override args = matchArgs;
  static override flags = { ...aggregationFlags, ...matchFlags, ...outputFlags };

  override async run(): Promise<void> {
    const { args, flags: written } = await this.parse(IndexAggregate);
    const target = this.target(written);
    const backend = await this.backend(written);
    const flags = await inFieldCase(written, args.index, backend);
    const aggs = await aggregationSpecs(flags);
    const request = await matchRequest(args, flags);
    const answer = await backend.aggregate({ ...request, aggs });
    const { total, took_ms: took, notes = [] } = answer;
    this.terminal.err(...partialRemarks(answer), ...notes.map(commandWords).map(printable));
    const description =
      target.format === 'json' && total > 0 ? null : await described(backend, args.index);
    const fields = target.format === 'json' ? [] : (description?.fields ?? []);
    const dates = new Set(fields.filter(({ type }) => type === 'DATE').map(({ name }) => name));
    const results = withDates(answer.results, aggs, dates);
    if (total === 0 && description !== null) {
      this.terminal.err(...nothingFound(answer, request, description, { command: 'aggregate' }));
    }
    const head = `${plural(total, 'row')} in ${args.index} · ${duration(took)}`;
    const width = this.widthOf(target);
    await this.answer(target, {
      wire: () => answer,
      table: () => aggregationTable(results),
      lines: () => [head, '', ...aggregationLines(results, aggs, this.styleOf(target), width)],
    });
  }
}
