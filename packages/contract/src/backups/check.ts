/** Requests for backups. */
import { folder, INDEX_FIELDS, name, newName, path } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  flag,
  oneOf,
  requestOf,
  text,
  whole,
  wrong,
} from '../checks/values.ts';
import type {
  BackupRequest,
  BackupStatusRequest,
  BackupTarget,
  ListBackupsRequest,
  PruneBackupsRequest,
  RestoreRequest,
} from './request.ts';

const MOST_KEPT = 1_000_000;

/** An absolute folder, or a place in an object store. */
const target: Check = (value, field) => {
  path(value, field);
  if (!/^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(value as string)) folder(value, field);
};
/** Checks the prefix of a target. Throws invalid_argument. */
export const checkPrefix: Check = (value, field) => {
  path(value, field);
  const parts = (value as string).split('/');
  if (parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._=-]{0,127}$/.test(part))) return;
  throw wrong(field, value, 'names separated by "/": letters, digits, ".", "_", "=" and "-"');
};
const TARGET_FIELDS: Fields<BackupTarget> = { target, prefix: checkPrefix };

const BACKUP_FIELDS: Fields<BackupRequest> = { ...INDEX_FIELDS, ...TARGET_FIELDS, verify: flag };
/** Checks a request for a backup. Throws invalid_argument. */
export const checkBackupRequest = requestOf<BackupRequest>(BACKUP_FIELDS);

const STATUS_FIELDS: Fields<BackupStatusRequest> = { ...INDEX_FIELDS, ...TARGET_FIELDS };
/** Checks a request for the newest backup of an index. Throws invalid_argument. */
export const checkBackupStatusRequest = requestOf<BackupStatusRequest>(STATUS_FIELDS);

const LIST_FIELDS: Fields<ListBackupsRequest> = { index: newName, ...TARGET_FIELDS };
/** Checks a request for a list of backups. Throws invalid_argument. */
export const checkListBackupsRequest = requestOf<ListBackupsRequest>(LIST_FIELDS);

const PRUNE_FIELDS: Fields<PruneBackupsRequest> = { ...LIST_FIELDS, keep: whole(1, MOST_KEPT) };
/** Checks a request to delete old backups. Throws invalid_argument or limit_exceeded. */
export const checkPruneBackupsRequest = requestOf<PruneBackupsRequest>(PRUNE_FIELDS, 'keep');

const RESTORE_FIELDS: Fields<RestoreRequest> = {
  ...LIST_FIELDS,
  backup: name,
  as: newName,
  aliases: oneOf('all', 'free', 'none'),
  base_dir: folder,
  definition: text,
};
/** Checks a request to restore an index. Throws invalid_argument. */
export const checkRestoreRequest = requestOf<RestoreRequest>(RESTORE_FIELDS);
