import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { indexArg } from '../../config/index-arg.ts';
import { backupTargetArg, targetField } from '../../files/backup-target.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { bytes, count, duration, plural, snapshotName } from '../../terminal/figures.ts';

export default class IndexBackup extends LhsCommand {
  static override summary =
    'Back up an index to a folder or an object store. Only new files are copied.';
  static override examples = [
    '<%= config.bin %> index backup demo-incidents ./backups',
    '<%= config.bin %> index backup demo-incidents --to s3://lake/backups --verify --json',
  ];
  static override args = {
    index: indexArg,
    to: backupTargetArg,
  };
  static override flags = {
    ...detachFlag,
    to: Flags.string({ description: 'the same as a flag', helpValue: 'PLACE' }),
    verify: Flags.boolean({ description: 'read every file of the backup again and compare it' }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexBackup);
    const target = targetField(args.to, flags.to);
    const request = { index: args.index, ...target, verify: flags.verify };
    const done = await this.jobResult(flags, {
      request: { kind: 'backup', ...request },
      stopped: 'no backup was made; the next one continues with what was copied',
      call: (backend, call) => backend.backup(request, call),
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const snapshot = done.snapshot === null ? 'the empty table' : snapshotName(done.snapshot);
    this.print([
      `${args.index}  backed up ${count(done.num_docs)} rows in ${duration(done.took_ms)}` +
        ` · snapshot ${snapshot}`,
      `copied ${bytes(done.bytes_copied)} of ${bytes(done.bytes)}, ` +
        `${done.files_copied} of ${plural(done.file_count, 'file')}` +
        (done.verified ? ' · all read again and compared' : ''),
      `backup ${done.backup} in ${done.target}`,
    ]);
  }
}
