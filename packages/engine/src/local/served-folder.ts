/**
 * A data folder that a server uses: the server holds the folder's own `writer.lock` until it ends.
 * Other processes may read the indexes; what would change them is refused. Writers that have begun
 * before finish, and the server waits for them as writers of one index wait for each other.
 */

import { existsSync } from 'node:fs';
import { LhsError } from '@lakehouse-search/contract';
import { isGone, thisProcess } from '../base/process-identity.ts';
import { lockHolder, lockIndex, type WriterLock } from '../index/commits/writer-lock.ts';
import { requireUtf8Name } from '../storage/data-folder-name.ts';
import { makeFolder } from '../storage/make-folder.ts';
import type { LocalIndexes } from './local-indexes.ts';

/** Takes the data folder for this server. Throws index_busy, naming the other server; io_error, … */
export function lockDataFolder(dataDir: string): WriterLock {
  requireUtf8Name(dataDir);
  makeFolder(dataDir);
  try {
    return lockIndex(dataDir);
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'index_busy') throw error;
    throw servedBy(dataDir, 'serve', error.details);
  }
}

/** Throws index_busy for a change of a data folder that another process serves. */
export function refuseServed(dataDir: string, operation: string): void {
  const holder = existsSync(dataDir) ? lockHolder(dataDir) : null;
  if (holder === null || isGone(holder)) return;
  const own = thisProcess();
  if (holder.pid === own.pid && holder.host === own.host) return;
  throw servedBy(dataDir, operation, { pid: holder.pid, host: holder.host });
}

function servedBy(
  dataDir: string,
  operation: string,
  details: Readonly<Record<string, unknown>>,
): LhsError {
  const { pid, host } = details;
  const who = pid === undefined ? 'another process' : `process ${pid} on "${host}"`;
  const message = `${operation} is refused: "${dataDir}" is served by ${who}`;
  return new LhsError('index_busy', message, {
    hint: 'send the request to the server; searches of the data folder are possible',
    details,
  });
}

/** Throws unsupported if the index is a published one that is opened by its location. */
export function requireWritable({ looks }: Pick<LocalIndexes, 'looks'>, what: string): void {
  if (looks === null) return;
  const { location } = looks;
  const message = `cannot ${what} "${location}": an index that is opened by its location is read`;
  throw new LhsError('unsupported', message, {
    hint: 'change it on the machine that publishes it',
    details: { read_at: location },
  });
}
