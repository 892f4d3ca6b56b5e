import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder for many small files: in memory where the system has such a place. What a killed
 * process has written is in the system's own memory there as anywhere, and an fsync costs nothing.
 */
export function scratchFolder(prefix: string): string {
  return mkdtempSync(join(inMemory() ? '/dev/shm' : tmpdir(), prefix));
}

function inMemory(): boolean {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
