import { Flags } from '@oclif/core';
import { LhsCommand } from '../../../base-command.ts';
import { backupTargetArg, targetField } from '../../../files/backup-target.ts';
import { bytes, count, dateTime } from '../../../terminal/figures.ts';
import { table } from '../../../terminal/table.ts';

export default class IndexBackupsList extends LhsCommand {
  static override summary = 'List the backups of a folder or an object store, newest first.';
  static override examples = [
    '<%= config.bin %> index backups list ./backups',
    '<%= config.bin %> index backups list s3://lake/backups --index incidents --json',
  ];
  static override args = { from: backupTargetArg };
  static override flags = {
    index: Flags.string({ description: 'backups of this index only', helpValue: 'INDEX' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexBackupsList);
    const backend = await this.backend(flags);
    const request = { ...targetField(args.from), index: flags.index };
    const backups = await backend.listBackups(request);
    if (flags.json) return this.printJson({ backups });
    if (backups.length === 0) return this.print(['no backups']);
    const rows = backups.map(({ backup, created_ms, num_docs, bytes: size, index, error }) =>
      error === undefined
        ? [
            backup,
            dateTime(new Date(created_ms).toISOString()),
            count(num_docs),
            bytes(size),
            index,
          ]
        : [backup, '', '', '', `${index}: ${error}`],
    );
    const columns = [
      { title: 'backup', align: 'right' as const },
      { title: 'made' },
      { title: 'rows', align: 'right' as const },
      { title: 'size', align: 'right' as const },
      { title: 'index' },
    ];
    this.print(table(columns, rows, this.terminal.width, this.style.dim));
  }
}
