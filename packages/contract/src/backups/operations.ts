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
    ...CHANGE,
    check: checkBackupRequest,
    example: { ...INDEX, prefix: 'nightly' },
  }),
  backupStatus: operation('POST /v1/index:backup-status', 'Admin/GetBackupStatus', {
    ...READ,
    check: checkBackupStatusRequest,
    example: INDEX,
  }),
  listBackups: operation('POST /v1/backups:list', 'Admin/ListBackups', {
    ...READ,
    list: 'backups',
    check: checkListBackupsRequest,
    example: INDEX,
  }),
  pruneBackups: operation('POST /v1/backups:prune', 'Admin/PruneBackups', {
    ...CHANGE,
    check: checkPruneBackupsRequest,
    example: { ...INDEX, keep: 7 },
  }),
  restore: operation('POST /v1/backups:restore', 'Admin/Restore', {
    scope: 'admin',
    plane: 'answers',
    check: checkRestoreRequest,
    example: { ...INDEX, as: 'restored' },
  }),
});
