import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { inFieldCase } from '../../search/field-case.ts';
import { partialRemarks } from '../../search/lines/partial.ts';
import { count } from '../../terminal/figures.ts';
import { table } from '../../terminal/table.ts';

export default class IndexSuggest extends LhsCommand {
  static override summary = 'Complete or correct a text from the terms of a field.';
  static override examples = [
    '<%= config.bin %> index suggest demo-incidents --field title time',
    '<%= config.bin %> index suggest demo-incidents --field service biling --fuzzy 2',
  ];
  static override args = {
    index: indexArg,
    text: Args.string({ ignoreStdin: true, description: 'text to complete', default: '' }),
  };
  static override flags = {
    field: Flags.string({
      aliases: ['fields'],
      description: 'a TEXT or KEYWORD field',
      required: true,
    }),
    fuzzy: Flags.integer({
      description:
        'terms within this many edits (0 to 2) instead of terms that start with the text',
      helpValue: 'N',
      min: 0,
    }),
    limit: Flags.integer({ char: 'n', description: 'suggestions (10)', helpValue: 'N', min: 1 }),
  };

  override async run(): Promise<void> {
    const { args, flags: written } = await this.parse(IndexSuggest);
    const backend = await this.backend(written);
    const flags = await inFieldCase(written, args.index, backend);
    const answer = await backend.suggest({
      index: args.index,
      field: flags.field,
      text: args.text,
      limit: flags.limit,
      ...(flags.fuzzy === undefined ? {} : { fuzzy: true, max_edits: flags.fuzzy }),
    });
    this.terminal.err(...partialRemarks(answer));
    if (flags.json) return this.printJson(answer);
    if (answer.suggestions.length === 0) return this.print(['no suggestions']);
    const rows = answer.suggestions.map(({ text, doc_count, distance }) => [
      text,
      count(doc_count),
      ...(flags.fuzzy === undefined ? [] : [String(distance)]),
    ]);
    const columns = [
      { title: flags.field },
      { title: 'rows', align: 'right' as const },
      ...(flags.fuzzy === undefined ? [] : [{ title: 'edits', align: 'right' as const }]),
    ];
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
