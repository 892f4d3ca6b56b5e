import { existsSync } from 'node:fs';
import {
  type EngineOptions,
  isUnwritable,
  lockDataFolder,
} from '@lakehouse-search/engine/internal';
import type { StoreLocation } from '../store/open-store.ts';
import { IN_MEMORY } from '../store/sqlite-database.ts';
import type { ServerOptions } from './server-options.ts';

/**
 * Settings of an engine whose data folder is locked for this server: no other process changes it,
 * but for writers that had begun before.
 */
export const SERVED_FOLDER: Pick<EngineOptions, 'lookMs' | 'keepWriterMs'> = Object.freeze({
  lookMs: 20,
  /** So long a connector may take for the next step of a table that is far ahead. */
  keepWriterMs: 2000,
});

/** An open server needs no file of users: without one, it starts where none can be made. */
export function storeOfReader({ store, auth }: ServerOptions): StoreLocation {
  return !auth && 'file' in store && !existsSync(store.file) ? { file: IN_MEMORY } : store;
}

/** A folder that is there and cannot be written is served as it is: nobody changes it. */
export function lockIfWritable(dataDir: string): ReturnType<typeof lockDataFolder> | undefined {
  try {
    return lockDataFolder(dataDir);
  } catch (error) {
    if (!isUnwritable(error) || !existsSync(dataDir)) throw error;
    return undefined;
  }
}
