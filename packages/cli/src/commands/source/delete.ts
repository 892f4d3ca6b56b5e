import { deleteRows } from '@lakehouse-search/lake';
import { Args, Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { sourceFlags, tableOf } from '../../source/source-flags.ts';
import { confirm } from '../../terminal/ask/confirm.ts';
import { plural, snapshotName } from '../../terminal/figures.ts';

export default class SourceDelete extends LhsCommand {
  static override summary = 'Delete rows of a table by a condition, in one snapshot.';
  static override examples = [
    `<%= config.bin %> source delete ops.incidents --warehouse ./lake --where 'id = 4217'`,
    '<%= config.bin %> source delete ops.incidents --warehouse ./lake --where "service = ' +
      `'media'" --yes`,
  ];
  static override args = {
    table: Args.string({ ignoreStdin: true, description: 'namespace.table (not with --path)' }),
  };
  static override flags = {
    ...sourceFlags,
    where: Flags.string({
      description: 'condition in SQL over the columns',
      helpValue: 'SQL',
      required: true,
    }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourceDelete);
    const config = await tableOf(flags, args.table);
    const name = args.table ?? flags.path;
    if (
      !(await confirm(
        this.terminal,
        `Delete the rows of ${name} where ${flags.where}?`,
        flags.yes ?? false,
      ))
    ) {
      process.exitCode = 1;
      return this.terminal.err('nothing was deleted');
    }
    const done = await deleteRows(config, flags.where);
    if (flags.json)
      return this.printJson({
        snapshot: done.snapshot,
        deleted: done.deleted,
      });
    if (done.snapshot === null)
      return this.print([`no row of ${name} is like that; nothing was committed`]);
    this.print([
      `${name}  -${plural(done.deleted, 'row')} · ` + `snapshot ${snapshotName(done.snapshot)}`,
    ]);
  }
}
