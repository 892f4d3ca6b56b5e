/**
 * The backups of an index in one repository. Of each backup the commit and the key files are
 * fetched into a temporary folder and searched, deleted documents included. Keys of its embedding
 * caches are compared with those that may stay in the index's own cache.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE_HEADER_BYTES, KEY_BYTES } from '../embed/cache/cache-format.ts';
import { type BackupContents, openContents } from '../home/backup-contents.ts';
import { type Backup, listBackups, readBackup } from '../home/backups.ts';
import { unneededObjects } from '../home/prune.ts';
import { openRepository } from '../home/repository.ts';
import type { Home } from '../home/stored-json.ts';
import { type Commit, readCommit } from '../index/commits/commit.ts';
import { CoreKeys } from '../segment/keys/core-keys.ts';
import { PackedKeys } from '../segment/keys/packed-keys.ts';
import { refuseAborted } from '../source/source-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { openFramed } from '../storage/frame.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { type ErasedKeys, textsOfJson } from './erased-keys.ts';
import type { Findings } from './findings.ts';

const KEY_FILE = /^generation\/(s\d+\.(keys|core))$/;
const CACHE_KEYS = /^embeddings\/[0-9a-f]{32}\/\d+\.keys$/;

/** The repository of some shards of a cluster's index: the node that wrote it may have left. */
const OF_SHARDS = /\/parts\/\d+(-\d+)*$/;

/** What to look for in a repository. */
export interface BackupSearch {
  readonly uuid: string;
  /** The name of the index: repositories of shards have backups of former nodes, by this name. */
  readonly index: string;
  readonly keys: ErasedKeys;
  /** Keys of cache entries that may stay, in hexadecimal; null: caches are not compared. */
  readonly staying: ReadonlySet<string> | null;
  readonly findings: Findings;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Searches a repository; ids of the backups that hold data. A place without backups has none.
 * Throws corrupt_index, unsupported, interrupted, io_error.
 */
export async function searchBackups(
  place: string,
  search: BackupSearch,
): Promise<ReadonlySet<string>> {
  const { findings, signal } = search;
  const home = await openRepository(place, false, signal);
  const holding = new Set<string>();
  if (home === null) {
    findings.note(`"${place}" holds no backups`);
    return holding;
  }
  for (const name of await listBackups(home, undefined, signal)) {
    refuseAborted(signal);
    const backup = await readBackup(home, name, { signal });
    if (backup === null) continue;
    const { head } = backup;
    const isFormer = OF_SHARDS.test(place) && head.index === search.index;
    if (head.uuid !== search.uuid && !isFormer) continue;
    findings.examined.backups++;
    const before = findings.remains.length;
    await searchBackup(home, backup, search);
    if (findings.remains.length > before) holding.add(head.id);
  }
  const unused = await unneededObjects(home, signal);
  if (unused > 0) {
    const detail = `${unused} objects that no backup needs`;
    findings.add({ place: 'backup', key: null, where: place, detail, goes: 'prune' });
  }
  return holding;
}

async function searchBackup(home: Home, backup: Backup, search: BackupSearch): Promise<void> {
  const { findings, keys, signal } = search;
  const { head } = backup;
  const where = `${home.place}/${head.index}/${head.id}`;
  const add = (key: number | null, detail: string) =>
    findings.add({ place: 'backup', key, where, detail, goes: 'prune' });
  for (const query of head.saved_queries) {
    const key = keys.mentionedIn(textsOfJson([query.name, query.description ?? '', query.request]));
    if (key !== undefined) add(key, 'a saved query in the backup mentions the row');
  }
  const contents = await openContents(home, backup, signal);
  await searchContents(contents, search, add);
  const foreign = await foreignEntries(contents, search);
  if (foreign > 0) add(null, `${foreign} vectors of texts that no live row has`);
}

/** Searches the commit and the key files of a backup or a bundle. Throws corrupt_index. */
export async function searchContents(
  contents: BackupContents,
  { keys, signal }: Pick<BackupSearch, 'keys' | 'signal'>,
  add: (key: number | null, detail: string) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-erase-'));
  try {
    const commit = await fetchKeyFiles(contents, folder, signal);
    const directory = openLocalDirectory(folder);
    for (const path of contents.lengths.keys()) {
      const name = KEY_FILE.exec(path)?.[1];
      if (name === undefined) continue;
      searchKeys(directory, name, keys, (key, doc) => {
        add(key, `document ${doc} of segment "${name.split('.')[0]}"`);
      });
    }
    for (const { key: shown, reason } of commit?.skipped?.first ?? []) {
      const key = keys.mentionedIn(`${shown ?? ''}\n${reason}`);
      if (key !== undefined) add(key, 'a row that could not be indexed');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Fetches the commit and the key files. */
async function fetchKeyFiles(
  contents: BackupContents,
  folder: string,
  signal?: AbortSignal,
): Promise<Commit | null> {
  for (const path of contents.lengths.keys()) {
    const name = path === 'generation/commit' ? 'commit' : KEY_FILE.exec(path)?.[1];
    if (name === undefined) continue;
    for await (const bytes of contents.read(path)) {
      refuseAborted(signal);
      writeFileSync(join(folder, name), bytes, { flag: 'a', mode: 0o600 });
    }
  }
  return readCommit(openLocalDirectory(folder));
}

function searchKeys(
  directory: Directory,
  name: string,
  keys: ErasedKeys,
  visit: (key: number, doc: number) => void,
): void {
  const kind = name.endsWith('.core') ? 'core' : 'keys';
  const { payload, path, file } = openFramed(directory, name, kind);
  try {
    keys.find(
      kind === 'core' ? CoreKeys.open(payload, path) : PackedKeys.open(payload, path),
      visit,
    );
  } finally {
    file.release();
  }
}

/** Entries of the backup's embedding caches that may not stay in the index's own. */
async function foreignEntries(
  contents: BackupContents,
  { staying }: BackupSearch,
): Promise<number> {
  if (staying === null) return 0;
  let foreign = 0;
  for (const path of contents.lengths.keys()) {
    if (!CACHE_KEYS.test(path)) continue;
    const bytes = Buffer.concat(await Array.fromAsync(contents.read(path)));
    for (let at = CACHE_HEADER_BYTES; at + KEY_BYTES <= bytes.length; at += KEY_BYTES) {
      if (!staying.has(bytes.toString('hex', at, at + KEY_BYTES))) foreign++;
    }
  }
  return foreign;
}
