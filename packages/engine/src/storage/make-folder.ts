import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ioError } from './io-errors.ts';

/**
 * Makes a folder and those above it that are missing, durably: each new name is flushed in the
 * folder that holds it, so that what is committed inside cannot be lost with its way there. Throws
 * io_error, disk_full.
 */
export function makeFolder(folder: string): void {
  try {
    const path = resolve(folder);
    const first = mkdirSync(path, { recursive: true });
    if (first === undefined) return;
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      syncFolder(parent);
      if (parent === dirname(first)) return;
    }
  } catch (error) {
    throw ioError(error, 'make', folder);
  }
}

/** Flushes the names in a folder. Throws the system's errors. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
