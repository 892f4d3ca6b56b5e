import { Args } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { indexArg } from '../../../config/index-arg.ts';

export default class IndexPitClose extends LhsCommand {
  static override summary = 'Close a point in time and release its files.';
  static override examples = [
    '<%= config.bin %> index pit close demo-incidents "$PIT"',
    '<%= config.bin %> index pit close demo-incidents "$PIT" --json',
  ];
  static override args = {
    index: indexArg,
    pit: Args.string({
      ignoreStdin: true,
      description: 'id that pit open printed',
      required: true,
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexPitClose);
    const backend = await this.backend(flags);
    const answer = await backend.closePit({ index: args.index, pit_id: args.pit });
    if (flags.json) return this.printJson(answer);
    this.print([answer.closed ? 'closed' : 'it was closed before, or had expired']);
  }
}
