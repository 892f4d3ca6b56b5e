/**
 * Backups of indexes whose shards are on several nodes. Each node backs up its shards to a
 * repository of its own below the target; one manifest names these parts:
 *
 *     clusters/<index>/<id>.json     two lines, as the manifest of a backup
 *
 * It is written last and makes the backup visible.
 */
import {
  checkPrefix,
  completeOf,
  type Fields,
  list,
  orNull,
  record,
  text,
  whole,
} from '@lakehouse-search/contract/internal';
import { damaged, inStore } from '../source/store-errors.ts';
import { backupId } from './backup-index.ts';
import {
  BACKUP_ID,
  checkManifest,
  encodeLines,
  indexName,
  matching,
  readLines,
  type SigningOptions,
} from './manifest.ts';
import { openRepository } from './repository.ts';

const LINES = Object.freeze({ format: 'lhs-cluster-backup', version: 1 });
const KEY = /^clusters\/([a-z0-9][a-z0-9_-]{0,127})\/(\d{8}T\d{9}Z-[0-9a-f]{8})\.json$/;
const PART_KEY = /^(parts\/\d+(?:-\d+)*)\//;
const MOST_SHARDS = 1024;

/** The backup of the shards of one node. */
export interface ClusterBackupPart {
  /** Folder in the target, for requests of nodes. */
  readonly prefix: string;
  /** Id of the backup there. */
  readonly backup: string;
  readonly ordinals: readonly number[];
}

/** A backup of all shards of an index, at one snapshot. */
export interface ClusterBackup {
  readonly id: string;
  readonly index: string;
  readonly created_ms: number;
  /** The definition of the whole index, YAML. */
  readonly definition: string;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly num_docs: number;
  readonly file_count: number;
  readonly bytes: number;
  readonly aliases: readonly string[];
  readonly parts: readonly ClusterBackupPart[];
}

const count = whole(0, Number.MAX_SAFE_INTEGER);
const PART: Fields<ClusterBackupPart> = {
  prefix: checkPrefix,
  backup: matching(BACKUP_ID, 'the id of a backup'),
  ordinals: list(whole(0, MOST_SHARDS - 1), MOST_SHARDS),
};
const FIELDS: Fields<ClusterBackup> = {
  id: matching(BACKUP_ID, 'the id of a backup'),
  index: indexName,
  created_ms: count,
  definition: text,
  snapshot: orNull(text),
  index_generation: count,
  num_docs: count,
  file_count: count,
  bytes: count,
  aliases: list(indexName, 10_000),
  parts: list(record(PART, ['prefix', 'backup', 'ordinals']), MOST_SHARDS),
};
const readFields = completeOf<ClusterBackup>(FIELDS);

/** A backup of a target. */
export interface FoundClusterBackup extends ClusterBackup {
  /** Whether the reader's own key has signed it. */
  readonly isSigned: boolean;
}

/** Makes a backup visible whose parts are complete. Throws as `inStore`. */
export async function writeClusterBackup(
  place: string,
  draft: Omit<ClusterBackup, 'id'>,
  { key, signal }: SigningOptions = {},
): Promise<ClusterBackup> {
  const repository = await openRepository(place, true, signal);
  const backup = { ...draft, id: backupId(draft.created_ms) };
  const bytes = encodeLines(LINES, backup, key);
  const condition = 'absent' as const;
  await inStore(() => repository!.store.put(keyOf(backup), bytes, { condition, signal }));
  return backup;
}

/**
 * The backups of a target, the newest first; of one index if it is named. null: the target holds no
 * backups of any kind. Throws corrupt_index, unsupported, and as `inStore`.
 */
export async function listClusterBackups(
  place: string,
  index?: string,
  options: SigningOptions = {},
): Promise<readonly FoundClusterBackup[] | null> {
  const { signal } = options;
  const repository = await openRepository(place, false, signal);
  if (repository === null) return null;
  const below = index === undefined ? 'clusters/' : `clusters/${index}/`;
  const objects = await inStore(() => Array.fromAsync(repository.store.list(below, { signal })));
  const found: FoundClusterBackup[] = [];
  for (const { key } of objects.filter((object) => KEY.test(object.key))) {
    const lines = await readLines(repository, key, LINES, options);
    if (lines === null) continue;
    const { value, isSigned } = lines;
    const backup = checkManifest(`${place}/${key}`, () => readFields(value));
    if (keyOf(backup) !== key) throw damaged(`${place}/${key}`, 'it is of another backup');
    found.push({ ...backup, isSigned });
  }
  return found.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/**
 * Folders of the parts of all backups in a target, also of parts that no backup names any more.
 * Throws as `inStore`.
 */
export async function listPartFolders(
  place: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const repository = await openRepository(place, false, signal);
  if (repository === null) return [];
  const found = new Set<string>();
  await inStore(async () => {
    for await (const { key } of repository.store.list('parts/', { signal })) {
      const folder = PART_KEY.exec(key)?.[1];
      if (folder !== undefined) found.add(folder);
    }
  });
  return [...found].sort();
}

/** Makes backups invisible; their parts stay. Throws as `inStore`. */
export async function removeClusterBackups(
  place: string,
  backups: readonly ClusterBackup[],
): Promise<void> {
  const repository = await openRepository(place, false);
  if (repository === null || backups.length === 0) return;
  await inStore(() => repository.store.delete(backups.map(keyOf)));
}

const keyOf = ({ index, id }: Pick<ClusterBackup, 'index' | 'id'>): string =>
  `clusters/${index}/${id}.json`;
