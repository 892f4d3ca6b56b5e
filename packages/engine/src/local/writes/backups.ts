import type { KeyObject } from 'node:crypto';
import {
  type BackupRequest,
  type BackupResponse,
  type BackupStatus,
  type BackupStatusRequest,
  type BackupSummary,
  type BackupTarget,
  type CallContext,
  LhsError,
  type ListBackupsRequest,
  type PruneBackupsRequest,
  type PruneResponse,
  type RestoreRequest,
  type RestoreResponse,
} from '@lakehouse-search/contract';
import {
  checkBackupRequest,
  checkBackupStatusRequest,
  checkListBackupsRequest,
  checkPruneBackupsRequest,
  checkRestoreRequest,
  didYouMean,
  isListed,
  requireListed,
} from '@lakehouse-search/contract/internal';
import { eachOf } from '@lakehouse-search/lake/internal';
import { receiptKey } from '../../erase/receipt-key.ts';
import { backupAtHome } from '../../home/backup-at-home.ts';
import { backupIndex } from '../../home/backup-index.ts';
import { type Backup, type BackupName, listBackups, readBackup } from '../../home/backups.ts';
import { pruneRepository } from '../../home/prune.ts';
import { openRepository } from '../../home/repository.ts';
import { restoreIndex } from '../../home/restore-index.ts';
import type { Home } from '../../home/stored-json.ts';
import { definitionAt, homePlace } from '../../schema/parse/resolve-definition.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { indexToBackUp } from './index-to-back-up.ts';
import { timed } from './write-index.ts';

/** Backups that are read at a time. */
const READS_AT_ONCE = 24;

/** Where a request puts or finds backups. */
interface Place {
  readonly target: string;
  readonly prefix: string;
  /** Both. */
  readonly whole: string;
}

/**
 * Backs up an index; `afresh`: no file of a former backup is used again. Throws unsupported without
 * a target, and as `backupIndex`.
 */
export async function backupLocal(
  indexes: LocalIndexes,
  request: BackupRequest,
  work: CallContext & { readonly afresh?: boolean },
): Promise<BackupResponse> {
  const { index, verify = false, ...at } = checkBackupRequest(request);
  const known = accessible(indexes, index, work);
  const { target, prefix, whole } = requireTarget(indexes, at);
  return timed(async () => {
    try {
      const key = receiptKey(indexes.dataDir);
      const home = await openRepository(whole, true, work.signal);
      const what = indexToBackUp(indexes, known);
      const make =
        homePlace(known.definition, known.registered.baseDir) === whole
          ? backupAtHome
          : backupIndex;
      const done = await make(what, home!, { ...work, verify, key });
      const { filesCopied: files_copied, bytesCopied: bytes_copied } = done;
      const copied = { files_copied, bytes_copied, verified: verify };
      return { ...summary(done.manifest), target, prefix, ...copied };
    } catch (error) {
      throw withLeftFiles(indexes.explained(known.registered, error));
    }
  });
}

/** Adds to the error of a full target that it keeps the files copied so far. */
export function withLeftFiles(error: unknown): unknown {
  if (!(error instanceof LhsError) || error.code !== 'disk_full') return error;
  const { message, details, next, cause } = error;
  const hint =
    'free space in the target and back up again, which goes on from the files that were copied; ' +
    'a prune of the backups deletes them';
  return new LhsError('disk_full', message, { hint, next, details, cause });
}

/** The newest backup of an index. */
export async function backupStatusLocal(
  indexes: LocalIndexes,
  request: BackupStatusRequest,
  call: CallContext,
): Promise<BackupStatus> {
  const { index, ...at } = checkBackupStatusRequest(request);
  const { registered } = accessible(indexes, index, call);
  const place = targetOf(indexes, at);
  if (place === null) return { configured: false, present: false };
  const home = await openRepository(place.whole, false, call.signal);
  const names = home === null ? [] : await listBackups(home, registered.name, call.signal);
  for (const name of names) {
    const found = await readBackup(home!, name, call);
    if (found === null) continue;
    const { backup, snapshot, created_ms, file_count } = summary(found.head);
    return { configured: true, present: true, backup, snapshot, created_ms, file_count };
  }
  return { configured: true, present: false };
}

/** The backups of a target that the caller may see, newest first. */
export async function listBackupsLocal(
  indexes: LocalIndexes,
  request: ListBackupsRequest,
  call: CallContext,
): Promise<readonly BackupSummary[]> {
  const { index, ...at } = checkListBackupsRequest(request);
  if (index !== undefined) requireListed(call, index);
  const home = await existing(requireTarget(indexes, at), call);
  const names = await listBackups(home, index, call.signal);
  const listed = names.filter((name) => isListed(call, name.index));
  const shown = await eachOf(listed, READS_AT_ONCE, (name) => shownBackup(home, name, call));
  return shown.filter((one) => one !== null);
}

/** A backup that cannot be read is listed with the reason. */
async function shownBackup(
  home: Home,
  name: BackupName,
  call: CallContext,
): Promise<BackupSummary | null> {
  try {
    const found = await readBackup(home, name, call);
    return found === null ? null : summary(found.head);
  } catch (error) {
    const known = error instanceof LhsError && /^(corrupt_index|unsupported)$/.test(error.code);
    if (!known) throw error;
    const { id: backup, index } = name;
    const nothing = { created_ms: 0, index_generation: 0, num_docs: 0, file_count: 0, bytes: 0 };
    return { backup, index, snapshot: null, ...nothing, error: error.message };
  }
}

/** Deletes old backups of the caller's indexes. */
export async function pruneBackupsLocal(
  indexes: LocalIndexes,
  request: PruneBackupsRequest,
  work: CallContext,
): Promise<PruneResponse> {
  const { index, keep, ...at } = checkPruneBackupsRequest(request);
  if (index !== undefined) requireListed(work, index);
  const home = await existing(requireTarget(indexes, at), work);
  const isOurs = (name: string) => isListed(work, name) && (index === undefined || name === index);
  return pruneRepository(home, { ...work, keep, isOurs, clock: indexes.clock });
}

/** The name of the index that a restore makes. Throws as `restoreLocal`. */
export async function restoredName(
  indexes: LocalIndexes,
  request: RestoreRequest,
  call: CallContext,
): Promise<string> {
  const { as, index, backup, ...at } = request;
  const known = as ?? index;
  if (known !== undefined) {
    requireListed(call, known);
    return known;
  }
  const home = await existing(requireTarget(indexes, at), call);
  const { index: name } = (await chosen(home, index, backup, call)).head;
  requireListed(call, name);
  return name;
}

/** Makes a new index from a backup. */
export async function restoreLocal(
  indexes: LocalIndexes,
  request: RestoreRequest,
  work: CallContext,
): Promise<RestoreResponse> {
  const checked = checkRestoreRequest(request);
  const { index, backup, base_dir: baseDir, aliases: names = 'all', ...at } = checked;
  if (index !== undefined) requireListed(work, index);
  const key = receiptKey(indexes.dataDir);
  const home = await existing(requireTarget(indexes, at), work);
  const found = await chosen(home, index, backup, { ...work, key });
  const { definition = found.head.definition } = checked;
  const head = { ...found.head, definition };
  const name = checked.as ?? head.index;
  requireListed(work, name);
  if (!found.isSigned && checked.definition === undefined) await admitted(indexes, head, baseDir);
  indexes.sweep();
  const { dataDir, registry, openDirectory } = indexes;
  const options = { ...work, dataDir, registry, openDirectory, name, baseDir, names };
  return timed(async () => {
    const done = await restoreIndex(home, { ...found, head }, options);
    const { bytes: _, ...shown } = summary(head);
    const { bytes, aliases, savedQueries: saved_queries, leftOut: left_out } = done;
    return { ...shown, index: name, bytes, aliases, saved_queries, left_out };
  });
}

/** Throws what `EngineOptions.admit` throws of the definition of a backup. */
async function admitted(
  { admit }: LocalIndexes,
  { definition, base_dir }: Backup['head'],
  baseDir = base_dir,
): Promise<void> {
  await admit?.(definitionAt(definition, baseDir));
}

/** The backup to restore: by its id, else the newest of the index. Throws not_found. */
async function chosen(
  home: Home,
  index: string | undefined,
  backup: string | undefined,
  call: CallContext & { readonly key?: KeyObject },
): Promise<Backup> {
  const all = await listBackups(home, index, call.signal);
  const visible = all.filter((name) => isListed(call, name.index));
  const names = backup === undefined ? visible : visible.filter(({ id }) => id === backup);
  const [first, ...others] = names;
  const several = [...new Set(names.map((name) => name.index))].sort();
  if (several.length > 1) {
    const message = `"${home.place}" has backups of ${several.length} indexes: name one`;
    throw new LhsError('invalid_argument', message, {
      hint: `indexes: ${several.slice(0, 20).join(', ')}`,
    });
  }
  if (first === undefined) {
    const what = [backup, index].filter((part) => part !== undefined).join('" of "');
    const near =
      backup === undefined
        ? ''
        : didYouMean(
            backup,
            visible.map(({ id }) => id),
          );
    const named = what === '' ? '' : ` "${what}"`;
    throw new LhsError('not_found', `there is no backup${named} in "${home.place}"${near}`);
  }
  for (const name of [first, ...others]) {
    const found = await readBackup(home, name, call);
    if (found !== null) return found;
  }
  throw new LhsError('not_found', `no backup in "${home.place}" is complete`);
}

function summary(head: Backup['head']): BackupSummary {
  const { id, index, created_ms, snapshot, index_generation, num_docs, file_count, bytes } = head;
  const size = { file_count, bytes };
  return { backup: id, index, created_ms, snapshot, index_generation, num_docs, ...size };
}

function targetOf(indexes: LocalIndexes, at: BackupTarget): Place | null {
  const target = at.target ?? indexes.backupTarget;
  if (target === undefined) return null;
  const { prefix = '' } = at;
  const whole = prefix === '' ? target : `${target.replace(/\/+$/, '')}/${prefix}`;
  return { target, prefix, whole };
}

function requireTarget(indexes: LocalIndexes, at: BackupTarget): Place {
  const place = targetOf(indexes, at);
  if (place !== null) return place;
  throw new LhsError('unsupported', 'there is no backup target', {
    hint: 'name a place (a folder, or s3://bucket/prefix), or configure "backup_target"',
  });
}

async function existing({ whole }: Place, { signal }: CallContext): Promise<Home> {
  const home = await openRepository(whole, false, signal);
  if (home !== null) return home;
  throw new LhsError('not_found', `"${whole}" holds no backups`);
}
