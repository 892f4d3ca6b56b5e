import { Flags } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { backupTargetArg, targetField } from '../../../files/backup-target.ts';
import { confirm } from '../../../terminal/ask/confirm.ts';
import { bytes, plural } from '../../../terminal/figures.ts';

export default class IndexBackupsPrune extends LhsCommand {
  static override summary =
    'Delete all but the newest backups of each index, and the files that only they use.';
  static override examples = [
    '<%= config.bin %> index backups prune ./backups --keep 7 --yes',
    '<%= config.bin %> index backups prune s3://lake/backups --index incidents --keep 1 --json',
  ];
  static override args = { from: backupTargetArg };
  static override flags = {
    keep: Flags.integer({
      description: 'number of backups of each index that remain',
      helpValue: 'N',
      min: 1,
      required: true,
    }),
    index: Flags.string({ description: 'backups of this index only', helpValue: 'INDEX' }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexBackupsPrune);
    const { keep, index } = flags;
    const target = targetField(args.from);
    const backend = await this.backend(flags);
    const whose = index === undefined ? 'each index' : `"${index}"`;
    const asked = `Delete all but the ${plural(keep, 'newest backup')} of ${whose}?`;
    if (!(await confirm(this.terminal, asked, flags.yes ?? false))) {
      process.exitCode = 1;
      return this.terminal.err('nothing was deleted');
    }
    const done = await this.stoppable('unused files remain until the next prune', (signal) =>
      backend.pruneBackups({ ...target, index, keep }, { signal }),
    );
    if (flags.json) return this.printJson(done);
    this.print([
      `${plural(done.backups_removed.length, 'backup')} deleted, ${done.backups_kept} kept · ` +
        `${plural(done.files_removed, 'file')}, ${bytes(done.bytes_removed)}`,
      ...(done.deferred ? ['a backup is running: prune again to delete unused files'] : []),
    ]);
  }
}
