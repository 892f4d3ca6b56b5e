import type { IndexDescription } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { outputFlags } from '../../output/output-target.ts';
import { described } from '../../search/described.ts';
import { fieldsOfFewValues } from '../../search/few-values.ts';
import { inFieldCase } from '../../search/field-case.ts';
import { facetTable } from '../../search/lines/aggregation-rows.ts';
import { facetLines, skippedFacets } from '../../search/lines/facet-lines.ts';
import { partialRemarks } from '../../search/lines/partial.ts';
import { nothingFound } from '../../search/lines/result-lines.ts';
import { matchRequest } from '../../search/run-search.ts';
import { matchArgs, matchFlags } from '../../search/search-flags.ts';
import { commandWords } from '../../terminal/errors/next-step.ts';
import { duration, plural } from '../../terminal/figures.ts';
import { printable } from '../../terminal/text.ts';

export default class IndexFacets extends LhsCommand {
  static override aliases = ['facets'];
  static override summary = 'Count the values of fields among the documents of a query.';
  static override examples = [
    `<%= config.bin %> facets demo-incidents timeout --field service --field severity`,
    `<%= config.bin %> facets demo-incidents --field service --size 100 --json`,
  ];
  static override args = matchArgs;
  static override flags = {
    field: Flags.string({
      aliases: ['fields', 'facet', 'facets'],
      delimiter: ',',
      description: 'a fast field, up to 12 (fast KEYWORD and BOOL fields with few values)',
      helpValue: 'FIELD',
      multiple: true,
    }),
    size: Flags.integer({
      aliases: ['limit'],
      charAliases: ['n'],
      description: 'values per field (10, at most 100)',
      min: 1,
    }),
    ...matchFlags,
    ...outputFlags,
  };

  override async run(): Promise<void> {
    const { args, flags: written } = await this.parse(IndexFacets);
    const target = this.target(written);
    const backend = await this.backend(written);
    const flags = await inFieldCase(written, args.index, backend);
    const description = await described(backend, args.index);
    const fields = flags.field ?? (await countable(backend, description));
    const size = flags.size === undefined ? {} : { size: flags.size };
    const request = await matchRequest(args, flags);
    const answer = await backend.facets({ ...request, fields, ...size });
    const { facets, total, took_ms: took, notes = [] } = answer;
    this.terminal.err(...partialRemarks(answer), ...skippedFacets(answer));
    this.terminal.err(...notes.map(commandWords).map(printable));
    this.terminal.err(...fieldsAsQuery(args.query, description));
    if (total === 0)
      this.terminal.err(...nothingFound(answer, request, description, { command: 'facets' }));
    const head = `${plural(total, 'row')} in ${args.index} · ${duration(took)}`;
    const width = this.widthOf(target);
    await this.answer(target, {
      wire: () => answer,
      table: () => facetTable(facets),
      lines: () => [head, '', ...facetLines(facets, this.styleOf(target), width)],
    });
  }
}

const MOST_FIELDS = 12;

/** The fields that are counted when none is named. */
async function countable(backend: BackendApi, description: IndexDescription) {
  const fields = await fieldsOfFewValues(backend, description, ['KEYWORD', 'BOOL']);
  return fields.slice(0, MOST_FIELDS);
}

/** Says that the words of a query are names of fields; empty if one is not. */
function fieldsAsQuery(query: string | undefined, { fields }: IndexDescription): string[] {
  const words = query?.split(/[\s,]+/).filter((word) => word !== '') ?? [];
  const areFields = words.every((word) => fields.some(({ name }) => name === word));
  if (words.length === 0 || !areFields) return [];
  return [`${query} was read as a query; to count a field: --field ${words.join(',')}`];
}
