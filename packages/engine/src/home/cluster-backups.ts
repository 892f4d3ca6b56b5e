/**
 * Backups of indexes whose shards are on several nodes. Each node backs up its shards to a
 * repository of its own below the target; one manifest names these parts:
 *
 *     clusters/<index>/<id>.json     two lines, as the manifest of a backup
 *
 * It is written last and makes the backup visible.
 */
import type { KeyObject } from 'node:crypto';
import { LhsError } from '@lakehouse-search/contract';
import {
  checkPrefix,
  type Fields,
  list,
  orNull,
  record,
  requestOf,
  text,
  whole,
} from '@lakehouse-search/contract/internal';
import { damaged, inStore } from '../source/store-errors.ts';
import { backupId } from './backup-index.ts';
import {
  BACKUP_ID,
  decodeLines,
  encodeLines,
  indexName,
  MANIFEST_BYTES,
  matching,
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
const readFields = requestOf<ClusterBackup>(
  FIELDS,
  ...(Object.keys(FIELDS) as (keyof ClusterBackup)[]),
);

/** A backup of a target. */
export interface FoundClusterBackup extends ClusterBackup {
  /** Whether the reader's own key has signed it. */
  readonly isSigned: boolean;
}

/** The key that signs backups and verifies them; absent: they are not signed. */
export interface SigningOptions {
  readonly key?: KeyObject | undefined;
  readonly signal?: AbortSignal | undefined;
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
  { key: own, signal }: SigningOptions = {},
): Promise<readonly FoundClusterBackup[] | null> {
  const repository = await openRepository(place, false, signal);
  if (repository === null) return null;
  const { store } = repository;
  const keys: string[] = [];
  await inStore(async () => {
    const below = index === undefined ? 'clusters/' : `clusters/${index}/`;
    for await (const { key } of store.list(below, { signal })) if (KEY.test(key)) keys.push(key);
  });
  const found: FoundClusterBackup[] = [];
  for (const key of keys) {
    const got = await inStore(() => store.get(key, { maxBytes: MANIFEST_BYTES, signal }));
    if (typeof got !== 'string') found.push(decode(got.bytes, `${place}/${key}`, key, own));
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

function decode(
  bytes: Uint8Array,
  place: string,
  key: string,
  own: KeyObject | undefined,
): FoundClusterBackup {
  try {
    const { value, isSigned } = decodeLines(LINES, bytes, place, own);
    const backup = readFields(value);
    if (keyOf(backup) === key) return { ...backup, isSigned };
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'invalid_argument') throw error;
    throw damaged(place, error.message, error);
  }
  throw damaged(place, 'it is of another backup');
}
