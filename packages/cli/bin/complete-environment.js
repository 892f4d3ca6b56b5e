import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Fills in what a container may lack, so that no library fails on it: HOME (a user without an entry
 * in passwd), SHELL (oclif reads passwd without it) and a writable temporary folder (a read-only
 * file system). Returns the cache folder of lhs.
 */
export function completeEnvironment(env) {
  env.SHELL ??= '';
  env.HOME ||= home();
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME, '.cache'), 'lhs');
  if (!isWritable(tmpdir()) && makeFolder(join(cache, 'tmp'))) env.TMPDIR = join(cache, 'tmp');
  return cache;
}

function home() {
  try {
    return homedir();
  } catch {
    return '/'; // as container engines set it
  }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function makeFolder(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    return isWritable(folder);
  } catch {
    return false;
  }
}
