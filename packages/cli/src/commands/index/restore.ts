import { resolve } from 'node:path';
import type { RestoredNames } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { LhsCommand } from '../../base-command.ts';
import { backupTargetArg, targetField } from '../../files/backup-target.ts';
import { detachFlag } from '../../sync/start-detached.ts';
import { nextSync } from '../../terminal/errors/next-step.ts';
import { bytes, count, duration, snapshotName } from '../../terminal/figures.ts';

export default class IndexRestore extends LhsCommand {
  static override summary = 'Make an index from a backup, under its own or another name.';
  static override examples = [
    '<%= config.bin %> index restore ./backups',
    '<%= config.bin %> index restore s3://lake/backups --index incidents --as incidents-2 ' +
      '--aliases none',
  ];
  static override args = { from: backupTargetArg };
  static override flags = {
    ...detachFlag,
    index: Flags.string({
      description: 'index that was backed up, if the place has several',
      helpValue: 'INDEX',
    }),
    backup: Flags.string({ description: 'id of the backup (the newest)', helpValue: 'ID' }),
    as: Flags.string({ description: 'name of the new index (the one it had)', helpValue: 'NAME' }),
    aliases: Flags.option({
      options: ['all', 'free', 'none'] as const,
      description:
        'aliases and saved queries to restore: all (a name that is taken refuses the restore), ' +
        'those whose names are free, or none',
    })(),
    'base-dir': Flags.string({
      description: 'folder that relative paths of the definition begin at, if it has moved',
      helpValue: 'DIR',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(IndexRestore);
    const { index, backup, as, 'base-dir': baseDir } = flags;
    const aliases: RestoredNames | undefined = flags.aliases;
    const base = baseDir === undefined ? {} : { base_dir: resolve(baseDir) };
    const request = { ...targetField(args.from), index, backup, as, aliases, ...base };
    const done = await this.jobResult(flags, {
      request: { kind: 'restore', ...request },
      label: as ?? index ?? 'restore',
      stopped: 'nothing was restored',
      call: (backend, call) => backend.restore(request, call),
    });
    if (done === null) return;
    if (flags.json) return this.printJson(done);
    const snapshot = done.snapshot === null ? 'the empty table' : snapshotName(done.snapshot);
    const restored = await (await this.backend(flags)).describeIndex({ index: done.index });
    const names = [...done.aliases, ...done.saved_queries];
    this.print([
      `${done.index}  restored  ${count(done.num_docs)} rows in ${duration(done.took_ms)}` +
        ` · ${bytes(done.bytes)} · snapshot ${snapshot} · backup ${done.backup}`,
      ...(names.length > 0 ? [`aliases and saved queries: ${names.join(', ')}`] : []),
      ...(done.left_out.length > 0 ? [`left out: ${done.left_out.join(', ')}`] : []),
      `next: ${nextSync(restored)}`,
    ]);
  }
}
