import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { bytes, count, duration } from '../../terminal/figures.ts';

export default class IndexClone extends LhsCommand {
  static override aliases = ['index branch'];
  static override summary = 'Make a second index from the newest commit of an index, at once.';
  static override description =
    'They share files on disk, where the file system has hard links, and objects in their store. ' +
    'The table is not read. Aliases and saved queries stay with the first index.';
  static override examples = [
    '<%= config.bin %> index clone demo-incidents trial',
    '<%= config.bin %> index branch tickets tickets-audit --ref audit',
    '<%= config.bin %> index clone tickets tickets-trial --json',
  ];
  static override args = {
    index: indexArg,
    name: Args.string({ ignoreStdin: true, description: 'name of the clone', required: true }),
  };

  static override flags = {
    ref: Flags.string({ description: 'branch or tag of the table that the clone follows' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexClone);
    const backend = await this.backend(flags);
    const done = await backend.cloneIndex({
      index: args.index,
      name: args.name,
      ...(flags.ref === undefined ? {} : { ref: flags.ref }),
    });
    if (flags.json) return this.printJson(done);
    this.print([
      `${done.index}  cloned from ${done.cloned_from}  ${count(done.num_docs)} rows` +
        ` in ${duration(done.took_ms)} · ${bytes(done.bytes)}, ${bytes(done.bytes_copied)} copied`,
    ]);
  }
}
