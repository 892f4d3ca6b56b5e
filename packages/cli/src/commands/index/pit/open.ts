import { Flags } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { indexArg } from '../../../config/index-arg.ts';

export default class IndexPitOpen extends LhsCommand {
  static override summary =
    'Open a point in time: searches with its id see the index as it is now.';
  static override examples = [
    '<%= config.bin %> index pit open demo-incidents',
    `PIT=$(<%= config.bin %> index pit open demo-incidents --keep-alive 30m)`,
    `<%= config.bin %> search demo-incidents 'timeout' --pit "$PIT" --json`,
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = {
    'keep-alive': Flags.string({
      description: 'time until it expires after its last use: 30s, 5m (default), at most 1h',
      helpValue: 'TIME',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexPitOpen);
    const backend = await this.backend(flags);
    const pit = await backend.openPit({ index: args.index, keep_alive: flags['keep-alive'] });
    if (flags.json) return this.printJson(pit);
    this.print([pit.pit_id]);
    this.terminal.err(`open until ${pit.expires_at}; each search with --pit extends it`);
  }
}
