import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { COMMIT_MARK, cacheFolder, markOpen, openedFolders } from '../../storage/cache-folder.ts';
import { attempt, ioError, systemCode } from '../../storage/io-errors.ts';
import { makeFolder } from '../../storage/make-folder.ts';
import type { PublishedCommit } from '../chain.ts';

/** A folder that is removed again and again while it is opened. */
const ATTEMPTS = 8;

/** A data folder in the cache, which stays there until `close`. */
export interface OpenedFolder {
  readonly folder: string;
  readonly close: () => void;
}

/** Opens a data folder of the cache; makes an empty one if there is none. Throws io errors. */
export function openFolder(name: string): OpenedFolder {
  const folder = join(openedFolders(), name);
  for (let n = 1; ; n++) {
    try {
      makeFolder(folder);
      const close = markOpen(folder);
      utimesSync(folder, new Date(), new Date());
      return { folder, close };
    } catch (error) {
      // another process has removed it meanwhile
      if (systemCode(error) !== 'ENOENT' || n === ATTEMPTS) {
        throw cacheError(ioError(error, 'write', folder));
      }
    }
  }
}

/** The error of work that writes the cache: says how to choose another one. */
export function cacheError(error: unknown): unknown {
  if (!(error instanceof LhsError)) return error;
  const { code, message, details, cause } = error;
  const isOfCache = String(details.path).startsWith(cacheFolder());
  if (!isOfCache || /^E[MN]FILE$/.test(String(details.errno))) return error;
  const hint =
    'the cache needs room in a folder of this user: set LHS_COLD_CACHE_DIR to another one';
  return new LhsError(code, message, { hint, details, cause });
}

const markOf = ({ uuid, attempt: by }: PublishedCommit): string => `${COMMIT_MARK}${uuid}.${by}`;

/** Notes that a folder gets files of a commit. */
export const markCommit = (folder: string, commit: PublishedCommit): void =>
  attempt('write', folder, () => writeFileSync(join(folder, markOf(commit)), '', { mode: 0o600 }));

/** Notes that a folder has files of no other commit of an index; null: of none. */
export function unmarkFormer(folder: string, uuid: string, newest: PublishedCommit | null): void {
  const own = newest === null ? null : markOf(newest);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(COMMIT_MARK + uuid) || name === own) continue;
    rmSync(join(folder, name), { force: true });
  }
}
