import type { DropResponse } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { bytes, count, plural } from '../../terminal/figures.ts';

export default class IndexDrop extends LhsCommand {
  static override aliases = ['delete'];
  static override summary = 'Drop an index and its files. The table is not touched.';
  static override examples = [
    '<%= config.bin %> delete demo-incidents',
    '<%= config.bin %> delete demo-incidents --yes',
  ];
  static override args = {
    index: indexArg,
  };
  static override flags = { yes: Flags.boolean({ char: 'y', description: 'do not ask' }) };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexDrop);
    const backend = await this.backend(flags);
    await backend.describeIndex({ index: args.index });
    const asked = `Drop the index "${args.index}"?`;
    if (!(await confirm(this.terminal, asked, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was dropped');
    }
    const done = await backend.dropIndex({ index: args.index });
    if (flags.json) return this.printJson({ dropped: args.index, ...done });
    this.print([`${args.index} dropped; its table is as it was`, ...removedLine(done)]);
  }
}

/** `removed too: 2 generations, 12.0 MB; alias now; 1 saved query`; nothing: no line. */
function removedLine(done: DropResponse): readonly string[] {
  const { aliases, saved_queries, generations, points_in_time, bytes: size } = done;
  const parts = [
    generations === 0 ? '' : `${plural(generations, 'generation')}, ${bytes(size)}`,
    aliases.length === 0 ? '' : `aliases ${aliases.join(', ')}`,
    saved_queries === 0
      ? ''
      : `${count(saved_queries)} saved ${saved_queries === 1 ? 'query' : 'queries'}`,
    points_in_time === 0 ? '' : `${count(points_in_time)} open points in time`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [`removed: ${parts.join('; ')}`];
}
