import { LhsCommand } from '../../../base-command.ts';
import { indexArg } from '../../../config/index-arg.ts';
import { backupTargetArg, targetField } from '../../../files/backup-target.ts';
import { age, plural, snapshotName } from '../../../terminal/figures.ts';

export default class IndexBackupsStatus extends LhsCommand {
  static override summary = 'Print the newest backup of an index.';
  static override examples = [
    '<%= config.bin %> index backups status demo-incidents ./backups',
    '<%= config.bin %> index backups status demo-incidents --json',
  ];
  static override args = {
    index: indexArg,
    from: backupTargetArg,
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexBackupsStatus);
    const backend = await this.backend(flags);
    const status = await backend.backupStatus({ index: args.index, ...targetField(args.from) });
    if (flags.json) return this.printJson(status);
    if (!status.configured) {
      return this.print(['no place for backups', 'next: lhs config set backup_target PLACE']);
    }
    const { created_ms = 0, snapshot, file_count = 0 } = status;
    const of = snapshot ? `snapshot ${snapshotName(snapshot)}` : 'the empty table';
    this.print([
      status.present
        ? `${args.index}  backed up ${age(Date.now() - created_ms)} ago · ${of} · ` +
          `${plural(file_count, 'file')} · ${status.backup}`
        : `${args.index}  has no backup`,
    ]);
  }
}
