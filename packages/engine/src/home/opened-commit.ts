import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { cacheFolder, markOpen, openedCommits, removeEntry } from '../storage/cache-folder.ts';
import { systemCode } from '../storage/io-errors.ts';
import { makeFolder } from '../storage/make-folder.ts';

/** Names the files of a folder with their lengths; made last. */
const CONTENTS = 'contents.json';
/** A folder that is removed again and again while it is opened. */
const ATTEMPTS = 8;

/** A commit in the cache, which stays there until `close`. */
export interface OpenedCommit {
  readonly folder: string;
  readonly close: () => void;
}

/**
 * The folder of a commit in the cache; `make` fills it if it is missing or has lost files. Throws
 * what `make` throws, and io errors.
 */
export async function openCommit(
  name: string,
  make: (draft: string) => Promise<void>,
): Promise<OpenedCommit> {
  const folder = join(openedCommits(), name);
  for (let attempt = 1; ; attempt++) {
    if (!isWhole(folder)) await makeWhole(folder, make);
    try {
      const close = markOpen(folder);
      if (isWhole(folder)) {
        utimesSync(folder, new Date(), new Date());
        return { folder, close };
      }
      close();
    } catch (error) {
      // another process has removed it meanwhile
      if (systemCode(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
    }
  }
}

async function makeWhole(folder: string, make: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(openedCommits(), `.new-${randomUUID()}`);
  try {
    makeFolder(draft);
    await make(draft);
    writeFileSync(join(draft, CONTENTS), JSON.stringify(lengthsIn(draft)), { mode: 0o600 });
    await removeEntry(folder);
    // another process may have been faster
    await rename(draft, folder).catch((error: unknown) => {
      if (!isWhole(folder)) throw error;
    });
  } catch (error) {
    throw error instanceof LhsError && isOfCache(error) ? unwritableCache(error) : error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Whether the cache could not be written. */
const isOfCache = ({ details: { path, errno } }: LhsError): boolean =>
  String(path).startsWith(cacheFolder()) && !/^E[MN]FILE$/.test(String(errno));

const unwritableCache = ({ code, message, details, cause }: LhsError): LhsError =>
  new LhsError(code, message, {
    hint: 'the cache needs room in a folder of this user: set LHS_COLD_CACHE_DIR to another one',
    details,
    cause,
  });

/** Whether a folder has all files with which it was made. */
function isWhole(folder: string): boolean {
  try {
    const lengths: object = JSON.parse(readFileSync(join(folder, CONTENTS), 'utf8'));
    return Object.entries(lengths).every(([name, length]) => lengthOf(folder, name) === length);
  } catch {
    return false;
  }
}

/** Lengths of files by their paths in a folder. */
function lengthsIn(folder: string): Readonly<Record<string, number>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, lengthOf(folder, name)]));
}

/** The length of a file; 0 for files that may grow: those beside the index. */
function lengthOf(folder: string, name: string): number {
  const { size } = statSync(join(folder, name));
  return name.includes('/') ? size : 0;
}
