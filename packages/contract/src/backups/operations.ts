import { INDEX } from '../examples.ts';
import { operation } from '../operation.ts';
import {
  checkBackupRequest,
  checkBackupStatusRequest,
  checkListBackupsRequest,
  checkPruneBackupsRequest,
  checkRestoreRequest,
} from './check.ts';

const CHANGE = { scope: 'ops', plane: 'answers' } as const;
const READ = { scope: 'ops', plane: 'answers', idempotent: true } as const;

/** The operations of backups. */
export const BACKUP_OPERATIONS = Object.freeze({
  backup: operation('POST /v1/index:backup', 'Admin/Backup', {
    member: 'backups.create',
    ...CHANGE,
    activity: 'only',
    check: checkBackupRequest,
    example: { ...INDEX, prefix: 'nightly' },
  }),
  backupStatus: operation('POST /v1/index:backup-status', 'Admin/GetBackupStatus', {
    member: 'backups.status',
    ...READ,
    check: checkBackupStatusRequest,
    example: INDEX,
  }),
  listBackups: operation('POST /v1/backups:list', 'Admin/ListBackups', {
    member: 'backups.list',
    ...READ,
    list: 'backups',
    check: checkListBackupsRequest,
    example: INDEX,
  }),
  pruneBackups: operation('POST /v1/backups:prune', 'Admin/PruneBackups', {
    member: 'backups.prune',
    ...CHANGE,
    check: checkPruneBackupsRequest,
    example: { ...INDEX, keep: 7 },
  }),
  restore: operation('POST /v1/backups:restore', 'Admin/Restore', {
    member: 'backups.restore',
    scope: 'admin',
    plane: 'answers',
    activity: 'named',
    check: checkRestoreRequest,
    example: { ...INDEX, as: 'restored' },
  }),
});
