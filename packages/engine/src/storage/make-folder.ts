import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { cannotFlush } from '@lakehouse-search/lake/internal';
import { ioError, systemCode } from './io-errors.ts';

/** Folders of this user alone, whatever the umask: texts of all tenants are in them. */
const PRIVATE = 0o700;

/**
 * Makes a folder and those above it that are missing, durably: each new name is flushed in the
 * folder that holds it, so that what is committed inside cannot be lost with its way there. Throws
 * io_error, disk_full.
 */
export function makeFolder(folder: string): void {
  try {
    const path = resolve(folder);
    for (const next of missingFolders(path)) {
      makeOne(next, folder);
      syncFolder(dirname(next));
    }
  } catch (error) {
    throw ioError(error, 'make', folder);
  }
}

/**
 * `path` and the folders above it that are not there, the topmost first. Node's recursive mkdir is
 * not used: it never returns where a folder exists but cannot hold another one, as /proc.
 */
function missingFolders(path: string): readonly string[] {
  const missing: string[] = [];
  for (let next = path; !isThere(next); next = dirname(next)) {
    missing.unshift(next);
    // a drive of Windows that is not there
    if (next === dirname(next)) break;
  }
  return missing;
}

/** Whether a folder is there. Another file in its place counts as none, so that mkdir names it. */
function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes `path`, a part of `folder`; another process may make it at the same time. */
function makeOne(path: string, folder: string): void {
  try {
    mkdirSync(path, { mode: PRIVATE });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (isThere(path)) return;
    const details = { path, errno: 'EEXIST' };
    const hint = 'choose another data folder';
    const next = [{ step: 'choose_data_folder' }] as const;
    const message = `cannot make "${folder}": "${path}" is a file, not a folder`;
    throw new LhsError('io_error', message, { hint, next, details, cause: error });
  }
}

/** Flushes the names in a folder, where the system can. Throws the system's other errors. */
export function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, 'r');
    fsyncSync(descriptor);
  } catch (error) {
    if (!cannotFlush(error)) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
