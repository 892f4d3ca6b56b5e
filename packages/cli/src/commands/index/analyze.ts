import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { table } from '../../terminal/table.ts';

export default class IndexAnalyze extends LhsCommand {
  static override summary = 'Show the tokens that a field (or an analyzer) makes of a text.';
  static override examples = [
    `<%= config.bin %> index analyze demo-incidents --field title 'Gateways timed out'`,
    `<%= config.bin %> index analyze --analyzer code 'parseHTTPHeader'`,
  ];
  static override args = {
    index: Args.string({
      ignoreStdin: true,
      description: 'name of the index, or the text with --analyzer',
      required: true,
    }),
    text: Args.string({ ignoreStdin: true, description: 'the text' }),
  };
  static override flags = {
    field: Flags.string({
      aliases: ['fields'],
      description: 'a TEXT field of the index',
      exclusive: ['analyzer'],
    }),
    analyzer: Flags.string({ description: 'a built-in analyzer, or one of the index' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexAnalyze);
    const backend = await this.backend(flags);
    const alone = args.text === undefined && flags.analyzer !== undefined;
    const answer = await backend.analyze({
      index: alone ? undefined : args.index,
      field: flags.field,
      analyzer: flags.analyzer,
      text: alone ? args.index : (args.text ?? ''),
    });
    if (flags.json) return this.printJson(answer);
    if (answer.tokens.length === 0) return this.print(['no tokens']);
    const rows = answer.tokens.map((t) => [String(t.position), `${t.start}-${t.end}`, t.token]);
    const columns = [
      { title: 'position', align: 'right' as const },
      { title: 'chars', align: 'right' as const },
      { title: 'token' },
    ];
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
